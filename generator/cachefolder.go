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

// This file keeps records in a folder of the user's. A record is there as a whole or not at all, whoever else writes; one that was damaged, or
// belongs to another question, is none. That one can't be kept is no error: the next run takes longer.

// cacheFolder is the folder; empty: nothing is kept.
type cacheFolder string

// maxRecords is how many are kept; when there are more, the older half goes.
const maxRecords = 512

// sealedRecord is a record with the name it was written under, so that a copy is of no use to another question.
type sealedRecord struct {
	Of     string
	Record any
}

// read fills v with the record of that name, and tells whether there is one.
func (c cacheFolder) read(name string, v any) bool {
	if c == "" {
		return false
	}
	text, err := os.ReadFile(filepath.Join(string(c), name))
	if err != nil {
		return false
	}
	sum, text, _ := bytes.Cut(text, []byte("\n"))
	if string(sum) != digest(text) {
		return false
	}
	s := sealedRecord{Record: v}
	return json.Unmarshal(text, &s) == nil && s.Of == name
}

// write puts a record in its place, after a line with the digest of the rest.
func (c cacheFolder) write(name string, v any) {
	text, err := json.Marshal(sealedRecord{name, v})
	if c == "" || err != nil || os.MkdirAll(string(c), 0o700) != nil {
		return
	}
	temp := filepath.Join(string(c), ".new-"+rand.Text())
	text = append([]byte(digest(text)+"\n"), text...)
	if os.WriteFile(temp, text, 0o600) != nil || os.Rename(temp, filepath.Join(string(c), name)) != nil {
		_ = os.Remove(temp)
		return
	}
	c.forget()
}

// forget removes the older half of the records when there are too many, and what interrupted runs have left.
func (c cacheFolder) forget() {
	entries, err := os.ReadDir(string(c))
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
			all = append(all, aged{filepath.Join(string(c), name), info.ModTime()})
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
