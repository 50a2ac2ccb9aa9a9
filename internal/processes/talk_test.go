//go:build unix

package processes

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"time"
)

// This file is how the test and its workers talk: a line of JSON each, up by the worker's standard output, down by its
// standard input. What a worker has said before it dies is heard.

// notice is what a worker says.
type notice struct {
	What  string // a fault, one of the words below, or the kind of an event
	Key   string `json:",omitempty"`
	Fence int64  `json:",omitempty"`
	At    point  `json:",omitempty"`
	ID    string `json:",omitempty"`
	Step  string `json:",omitempty"`
}

// What workers say beside their faults and events. The first two are questions: the answer is to go on.
const (
	taking    = "taking"    // about to take over
	finishing = "finishing" // a run that has taken over is about to end
	took      = "took"      // has tried to take over
	wrote     = "wrote"     // a run that was stalled has sent its last step
)

// command is what a worker is told. The end of its input tells it to finish.
type command struct {
	Generations *generations `json:",omitempty"` // which keys to call
	Calm        bool         `json:",omitempty"` // no faults from now on
	Go          string       `json:",omitempty"` // allow what this id asked for
	Met         bool         `json:",omitempty"` // and what was to come first has come
}

// patience is how long a worker waits for the test's word before it goes on without.
const patience = 3 * lease

// say tells the test.
func (w *worker) say(n notice) {
	line, err := json.Marshal(n)
	if err != nil {
		panic(err)
	}
	w.saying.Lock()
	defer w.saying.Unlock()
	_, _ = w.out.Write(append(line, '\n')) // without the test, the next read of the input ends the worker
}

// listen does what the test says, until there is nothing more to hear.
func (w *worker) listen(in io.Reader) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var c command
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			panic(err)
		}
		if c.Generations != nil {
			w.generations.Store(c.Generations)
		}
		if c.Calm {
			w.calm.Store(true)
		}
		if allowed, ok := w.expected.Load(c.Go); ok {
			select {
			case allowed.(chan bool) <- c.Met:
			default:
			}
		}
	}
	w.calm.Store(true) // also when it ends because the test has died
	close(w.deaf)
}

// ask asks the test whether to go on, and waits until it may. Met says that something else was let go first. When no faults are
// made any more, it need not ask.
func (w *worker) ask(ctx context.Context, what, key string) (id string, met bool) {
	id = w.nextID()
	if !w.calm.Load() {
		allowed := w.expect(id)
		w.say(notice{What: what, Key: key, ID: id})
		met = w.await(ctx, id, allowed, time.After(patience))
	}
	return id, met
}

// expect makes ready for the test's word on id. It comes at most once.
func (w *worker) expect(id string) <-chan bool {
	c := make(chan bool, 1)
	w.expected.Store(id, c)
	return c
}

// await waits for the word, as long as there can be one.
func (w *worker) await(ctx context.Context, id string, word <-chan bool, tooLong <-chan time.Time) (met bool) {
	defer w.expected.Delete(id)
	select {
	case met = <-word:
	case <-ctx.Done():
	case <-w.deaf:
	case <-tooLong:
	}
	return met
}
