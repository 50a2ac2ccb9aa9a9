package sqlite_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/sqlite"
)

// This file runs real processes on one database file, and kills some. What the methods did is in a file of its own, to which each run
// adds a line before it returns; what callers were told comes from the processes' output.

// The part of a worker, and what it is told, by its environment.
const (
	workerDriver = "IDEMGEN_TEST_SQLITE_DRIVER"
	workerFile   = "IDEMGEN_TEST_SQLITE_FILE"
)

const (
	processKeys    = 30
	processCallers = 6
	processLease   = 3 * time.Second
)

func TestMain(m *testing.M) {
	if driver := os.Getenv(workerDriver); driver != "" {
		if err := work(driver, os.Getenv(workerFile)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// effect is one run, as its method has noted it.
type effect struct {
	Key     string
	Attempt int
	PID     int
	Result  string
}

// told is what a caller got.
type told struct{ Key, Result string }

// work calls every key from several goroutines, each in an order of its own.
func work(driver, file string) error {
	db, err := sql.Open(driver, "file:"+file)
	if err != nil {
		return err
	}
	defer db.Close()
	ctx := context.Background()
	if err := sqlite.Migrate(ctx, db); err != nil {
		return err
	}
	engine, err := idem.New(sqlite.NewStore(db))
	if err != nil {
		return err
	}
	defer engine.Close()
	effects, err := os.OpenFile(file+".effects", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer effects.Close()
	op := &idem.Operation[string]{Name: "processes.Charge", Lease: processLease, MaxWait: time.Minute}
	var callers sync.WaitGroup
	failed := make(chan error, processCallers*processKeys)
	var output sync.Mutex
	for range processCallers {
		callers.Go(func() {
			for _, k := range rand.Perm(processKeys) {
				key := fmt.Sprintf("key-%d", k)
				result, err := idem.Do(ctx, engine, op, idem.Call[string]{
					Key:  idem.StringKey(key),
					Args: func(f *idem.Fingerprint) { f.Add("key", key) },
					Run: func(ctx context.Context) (string, error) {
						run, _ := idem.FromContext(ctx)
						e := effect{key, run.Attempt, os.Getpid(), fmt.Sprintf("%d by %d", rand.Int64(), os.Getpid())}
						if err := addLine(effects, e); err != nil {
							return "", err
						}
						time.Sleep(rand.N(20 * time.Millisecond)) // so that a kill finds runs under way, and others wait
						return e.Result, nil
					},
				})
				if err != nil {
					failed <- err
					continue
				}
				output.Lock()
				err = addLine(os.Stdout, told{key, result})
				output.Unlock()
				if err != nil {
					failed <- err
				}
			}
		})
	}
	callers.Wait()
	close(failed)
	return <-failed
}

// addLine writes v as one line by one write.
func addLine(f *os.File, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return err
}

// worker is a process that works.
type worker struct {
	cmd    *exec.Cmd
	stdout strings.Builder
	stderr strings.Builder
	done   chan error
}

func startWorker(t *testing.T, d driver, file string) *worker {
	t.Helper()
	w := &worker{cmd: exec.Command(os.Args[0]), done: make(chan error, 1)}
	w.cmd.Env = append(os.Environ(), workerDriver+"="+d.registered, workerFile+"="+file)
	w.cmd.Stdout, w.cmd.Stderr = &w.stdout, &w.stderr
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { w.done <- w.cmd.Wait() }()
	return w
}

func TestProcessesOnOneFileRunEachKeyOnceAndTellTheSame(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		file := filepath.Join(t.TempDir(), "claims.db")
		var workers []*worker
		for range 4 {
			workers = append(workers, startWorker(t, d, file))
		}
		effects := judge(t, file, workers, nil)
		if len(effects) != processKeys {
			t.Errorf("%d runs for %d keys", len(effects), processKeys)
		}
	})
}

func TestProcessesThatAreKilledAreSucceededOncePerLease(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		file := filepath.Join(t.TempDir(), "claims.db")
		killed := map[int]bool{}
		var workers []*worker
		for range 4 {
			w := startWorker(t, d, file)
			workers = append(workers, w)
			before := len(readEffects(t, file))
			for deadline := time.Now().Add(30 * time.Second); len(readEffects(t, file)) < before+3 && time.Now().Before(deadline); {
				time.Sleep(time.Millisecond)
			}
			killed[w.cmd.Process.Pid] = true
			_ = w.cmd.Process.Kill()
			<-w.done
			w.done <- nil
		}
		for range 3 {
			workers = append(workers, startWorker(t, d, file))
		}
		effects := judge(t, file, workers, killed)
		if len(effects) <= processKeys {
			t.Log("no kill found a run under way")
		}
		var check string
		if err := d.open(t, file).QueryRow("PRAGMA integrity_check").Scan(&check); err != nil || check != "ok" {
			t.Errorf("the file is damaged: %q, %v", check, err)
		}
	})
}

// judge waits for the workers and compares what they were told and did: per key one answer, by one of the runs, which is the last; a run
// that was followed by another is one of a process that was killed, and no attempt ran twice.
func judge(t *testing.T, file string, workers []*worker, killed map[int]bool) []effect {
	t.Helper()
	answers := map[string]string{}
	for _, w := range workers {
		if err := <-w.done; err != nil {
			t.Errorf("a worker failed: %v\n%s", err, w.stderr.String())
		}
		lines := bufio.NewScanner(strings.NewReader(w.stdout.String()))
		for lines.Scan() {
			var a told
			if json.Unmarshal(lines.Bytes(), &a) != nil {
				continue // cut off by a kill
			}
			if before, ok := answers[a.Key]; ok && before != a.Result {
				t.Errorf("%s: one caller got %q, another %q", a.Key, before, a.Result)
			}
			answers[a.Key] = a.Result
		}
	}
	if len(answers) != processKeys {
		t.Errorf("answers for %d keys, want %d", len(answers), processKeys)
	}
	effects := readEffects(t, file)
	last := map[string]effect{}
	for _, e := range effects {
		before, again := last[e.Key]
		if again && !killed[before.PID] {
			t.Errorf("%s: attempt %d ran although the process of attempt %d was alive", e.Key, e.Attempt, before.Attempt)
		}
		if again && e.Attempt <= before.Attempt {
			t.Errorf("%s: attempt %d ran after attempt %d", e.Key, e.Attempt, before.Attempt)
		}
		last[e.Key] = e
	}
	for key, e := range last {
		if answers[key] != e.Result {
			t.Errorf("%s: callers were told %q, the last run made %q", key, answers[key], e.Result)
		}
	}
	return effects
}

func readEffects(t *testing.T, file string) (effects []effect) {
	t.Helper()
	text, err := os.ReadFile(file + ".effects")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		var e effect
		if json.Unmarshal([]byte(line), &e) == nil {
			effects = append(effects, e)
		}
	}
	return effects
}
