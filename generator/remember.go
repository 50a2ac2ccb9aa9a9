package generator

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"time"
)

// This file remembers answers: when everything that a run looks at is what it was in an earlier one, the answer is that one's, and nothing is
// loaded. Only answers of the lean loader are remembered, because it knows what it has read, and only those after which every output is what
// it should be. What it stands for is kept as digests (digest.go), in a folder of the user's, never among the sources.

// memory is what may be remembered of one command line.
type memory struct {
	folder  cacheFolder
	name    string // the record's; empty: nothing is remembered
	dir     string
	found   *found
	started time.Time
}

// record is an answer, and what it depended on.
type record struct {
	Seen   string            // the digest of what the scan found
	Inputs map[string]string // files and folders that were read besides, and their digests
	Result Result            // without the contents of its files
	Sums   []string          // their digests
}

// recordVersion changes with what a record means.
const recordVersion = "idemgen 1"

// recall opens the memory of a run with these options.
func recall(o Options, dir string, f *found) *memory {
	m := &memory{folder: cacheFolder(o.Cache), dir: dir, found: f, started: time.Now()}
	if o.Cache == "" || o.Accept || o.Load == LoadWhole || o.Out != "" || o.loader != nil || len(f.folders) == 0 {
		return m
	}
	if slices.ContainsFunc(o.Patterns, func(p string) bool { return !isFolderPattern(p) }) {
		return m // what they name is for the go command to say
	}
	env, ok := environmentDigest(dir)
	if !ok {
		return m
	}
	asked := o // what does not change the answer is left out
	asked.Dir, asked.Cache, asked.Load, asked.Write = dir, "", LoadLean, false
	h := sha256.New()
	for _, part := range []string{recordVersion, env, fmt.Sprintf("%#v", asked), os.Getenv("PATH")} {
		writePart(h, part)
	}
	m.name = hex.EncodeToString(h.Sum(nil))
	return m
}

// answer is what the earlier run found; nil: something is different now, or there was none.
func (m *memory) answer() *Result {
	var r record
	if m.name == "" || !m.folder.read(m.name, &r) {
		return nil
	}
	if len(r.Sums) != len(r.Result.Files) || r.Seen != m.found.digest(m.dir, nil) {
		return nil
	}
	for name, before := range r.Inputs {
		if now, _ := inputDigest(name); now != before {
			return nil
		}
	}
	for i := range r.Result.Files {
		f := &r.Result.Files[i]
		text, err := os.ReadFile(from(m.dir, f.Path))
		if err != nil || digest(text) != r.Sums[i] {
			return nil
		}
		f.Content, f.Old = text, text
	}
	return &r.Result
}

// keep remembers an answer, for which inputs were read besides what the scan found; nil: nobody knows what was read. That it can't be kept is
// no error: the next run takes longer.
func (m *memory) keep(r *Result, inputs []string, written bool) {
	if m.name == "" || inputs == nil {
		return
	}
	kept := record{Inputs: map[string]string{}, Result: *r}
	kept.Result.Files = slices.Clone(r.Files)
	for i := range kept.Result.Files {
		f := &kept.Result.Files[i]
		if f.Changed() && !written {
			return
		}
		kept.Sums = append(kept.Sums, digest(f.Content))
		f.Content, f.Old = nil, nil
	}
	kept.Seen = m.found.digest(m.dir, r.Files)
	for _, name := range inputs {
		if slices.ContainsFunc(r.Files, func(f File) bool { return from(m.dir, f.Path) == name }) {
			continue
		}
		sum, changed := inputDigest(name)
		if changed.After(m.started.Add(-clockStep)) {
			return // during this run: nobody knows which of the two it has seen
		}
		kept.Inputs[name] = sum
	}
	m.folder.write(m.name, kept)
}

// clockStep is by how much a file's time may be behind the clock.
const clockStep = 20 * time.Millisecond
