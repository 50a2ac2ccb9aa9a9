// Command gotest runs go test with the arguments it is given and counts: go test's ordinary lines pass through, what
// a failing test printed is shown whole, so are attributes (testing.T.Attr), and the end says how many tests passed, failed and were skipped, and how
// long it took.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"time"
)

func main() {
	start := time.Now()
	cmd := exec.Command("go", append([]string{"test", "-json"}, os.Args[1:]...)...)
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
		os.Exit(1)
	}
	t := newTally(os.Stdout)
	readErr := t.read(events)
	err = cmd.Wait()
	t.summary(time.Since(start))
	if readErr != nil {
		fmt.Fprintln(os.Stderr, "gotest: reading go test's events:", readErr)
	}
	if err != nil || readErr != nil || t.failed > 0 || t.passed == 0 {
		os.Exit(1)
	}
}
