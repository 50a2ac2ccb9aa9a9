// Command mutants shows that the tests would notice: it takes away one protection of the runtime at a time, by changing one line
// in a copy of the repository, and runs the tests that are named for it. A mutant that no named test notices has survived, and
// fails the command. A mutant whose line is no longer there fails it, too, and so does a named test that fails without any.
//
// Run it from the repository's root: go run ./scripts/mutants [-run REGEXP]. It works on copies of the tree, as it is with what is not
// committed yet; the tree itself is not touched.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"sync"
	"time"
)

func main() {
	only := flag.String("run", "", "the mutants to try, by a regular expression for their names; all by default")
	jobs := flag.Int("j", 2, "how many to try at once, each in a copy of its own")
	flag.Parse()
	chosen, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	var tried []mutant
	for _, m := range slices.Concat(mutants, ofCodecs, ofSQLite, seldom, attempts) {
		if chosen.MatchString(m.name) {
			tried = append(tried, m)
		}
	}
	if len(tried) == 0 {
		fmt.Fprintln(os.Stderr, "mutants: there is none of that name")
		os.Exit(2)
	}
	if !run(tried, *jobs) {
		os.Exit(1)
	}
}

// run tries all mutants and prints a line for each; false: not all were caught.
func run(tried []mutant, jobs int) bool {
	began := time.Now()
	if err := sound(tried); err != nil {
		fmt.Fprintln(os.Stderr, "mutants: without a mutant:", err)
		return false
	}
	fmt.Printf("%-58s %-64s %s\n", "mutant", "caught by", "seconds")
	next := make(chan mutant)
	var caught, failed int
	var printing sync.Mutex
	var workers sync.WaitGroup
	for range min(jobs, len(tried)) {
		workers.Go(func() {
			c, err := newCopy()
			if err != nil {
				fmt.Fprintln(os.Stderr, "mutants:", err)
				os.Exit(1)
			}
			defer c.remove()
			for m := range next {
				start := time.Now()
				by, err := c.try(m)
				printing.Lock()
				if err != nil {
					failed++
					fmt.Printf("%-58s %-64s %.1f\n", m.name, "NOT CAUGHT: "+err.Error(), time.Since(start).Seconds())
				} else {
					caught++
					fmt.Printf("%-58s %-64s %.1f\n", m.name, by, time.Since(start).Seconds())
				}
				printing.Unlock()
			}
		})
	}
	for _, m := range tried {
		next <- m
	}
	close(next)
	workers.Wait()
	fmt.Printf("%d mutants: %d caught, %d not, in %.0fs\n", len(tried), caught, failed, time.Since(began).Seconds())
	return failed == 0
}
