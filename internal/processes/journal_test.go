//go:build unix

package processes

import (
	"bytes"
	"encoding/json"
	"os"
)

// This file is what workers write down, in files to which all of them append. The kernel puts the lines in one order, which
// is the order in which they were written whoever wrote them: no clock is needed to say what came first.

// The files, in the run's folder.
const (
	ledgerFile  = "ledger"
	historyFile = "history"
)

// effect is a line of the ledger: a run has come to a phase.
type effect struct {
	Call    string // whose run it is
	Worker  string
	Key     string
	Attempt int
	Fence   int64
	Phase   phase
	Receipt receipt // when done
}

// phase is how far an effect has come.
type phase string

// The phases. A line is on disk before its run goes on.
const (
	phaseStart   phase = "start"   // it happens from now on
	phaseDone    phase = "done"    // it has happened
	phaseRefused phase = "refused" // it will not happen
	phaseSilent  phase = "silent"  // it has happened, and the method can't say so
)

// move is a line of the history: a call was made, or answered.
type move struct {
	Call    string
	Worker  string
	Key     string
	Answer  answer // empty when the call is made
	Stored  bool
	Receipt receipt
	Detail  string // what was unexpected about it
}

// journal is a file to append to.
type journal struct {
	file *os.File
	sync bool
}

func openJournal(path string, sync bool) (*journal, error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	return &journal{f, sync}, err
}

// write appends a line, in one write. The line begins with a line break of its own: who is killed while writing may leave
// half a line, and must not spoil the next one's.
func (j *journal) write(line any) {
	text, err := json.Marshal(line)
	if err == nil {
		_, err = j.file.Write(append(append([]byte("\n"), text...), '\n'))
	}
	if err == nil && j.sync {
		err = j.file.Sync()
	}
	if err != nil {
		panic("a journal can't be written: " + err.Error()) // what is not written down must not happen
	}
}

// readJournal reads all lines of a journal, and counts those that were broken off.
func readJournal[T any](path string) (lines []T, torn int, err error) {
	data, err := os.ReadFile(path)
	for text := range bytes.SplitSeq(data, []byte("\n")) {
		var line T
		switch {
		case len(text) == 0:
		case json.Unmarshal(text, &line) != nil:
			torn++
		default:
			lines = append(lines, line)
		}
	}
	return lines, torn, err
}
