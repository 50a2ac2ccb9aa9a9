package generator

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// This file remembers answers: when everything that a run looks at is what it was in an earlier one, the answer is that one's, and nothing is
// loaded. Only answers of the lean loader are remembered, because it knows what it has read, and only those after which every output is what
// it should be. What it stands for is kept as digests (digest.go), in a folder of the user's, never among the sources.

// memory is what may be remembered of one command line.
type memory struct {
	file    string // the record's; empty: nothing is remembered
	dir     string
	found   *found
	started time.Time
}

// record is what a file holds, after a line with the digest of the rest.
type record struct {
	Of     string            // the record's own name, so that a copy is of no use to another
	Seen   string            // the digest of what the scan found
	Inputs map[string]string // files and folders that were read besides, and their digests
	Result Result            // without the contents of its files
	Sums   []string          // their digests
}

// recordVersion changes with what a record means.
const recordVersion = "idemgen 1"

// maxRecords is how many are kept; when there are more, the older half goes.
const maxRecords = 512

// recall opens the memory of a run with these options.
func recall(o Options, dir string, f *found) *memory {
	m := &memory{dir: dir, found: f, started: time.Now()}
	patterns := o.Patterns
	if o.Cache == "" || o.Load == LoadWhole || o.Out != "" || o.loader != nil || len(f.folders) == 0 {
		return m
	}
	if slices.ContainsFunc(patterns, func(p string) bool { return !isFolderPattern(p) }) {
		return m // what they name is for the go command to say
	}
	env, ok := environmentDigest(dir)
	if !ok {
		return m
	}
	h := sha256.New()
	for _, part := range append([]string{recordVersion, env, dir, o.Tags, os.Getenv("PATH"), boolText(o.beyond), boolText(o.Tests)}, patterns...) {
		writePart(h, part)
	}
	m.file = filepath.Join(o.Cache, hex.EncodeToString(h.Sum(nil)))
	return m
}

func boolText(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// answer is what the earlier run found; nil: something is different now, or there was none.
func (m *memory) answer() *Result {
	if m.file == "" {
		return nil
	}
	text, err := os.ReadFile(m.file)
	if err != nil {
		return nil
	}
	sum, text, _ := bytes.Cut(text, []byte("\n"))
	var r record
	if string(sum) != digest(text) || json.Unmarshal(text, &r) != nil || r.Of != filepath.Base(m.file) {
		return nil // cut short, or not ours
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
	if m.file == "" || inputs == nil {
		return
	}
	kept := record{Of: filepath.Base(m.file), Inputs: map[string]string{}, Result: *r}
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
	text, err := json.Marshal(kept)
	if err != nil {
		return
	}
	m.write(append([]byte(digest(text)+"\n"), text...))
}

// clockStep is by how much a file's time may be behind the clock.
const clockStep = 20 * time.Millisecond

// write puts the record in its place, whole or not at all.
func (m *memory) write(text []byte) {
	folder := filepath.Dir(m.file)
	if os.MkdirAll(folder, 0o700) != nil {
		return
	}
	temp := filepath.Join(folder, ".new-"+rand.Text())
	if os.WriteFile(temp, text, 0o600) != nil || os.Rename(temp, m.file) != nil {
		_ = os.Remove(temp)
		return
	}
	forget(folder)
}

// forget removes the older half of the records when there are too many, and what interrupted runs have left.
func forget(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) <= maxRecords {
		return
	}
	type aged struct {
		name string
		at   time.Time
	}
	var all []aged
	for _, e := range entries {
		info, err := e.Info()
		if name := e.Name(); err == nil && info.Mode().IsRegular() && (isRecord(name) || strings.HasPrefix(name, ".new-")) {
			all = append(all, aged{filepath.Join(folder, name), info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b aged) int { return a.at.Compare(b.at) })
	for _, a := range all[:len(all)/2] {
		_ = os.Remove(a.name)
	}
}

// isRecord tells by the name that a file is one of ours.
func isRecord(name string) bool {
	b, err := hex.DecodeString(name)
	return err == nil && len(b) == sha256.Size
}
