package generator

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/lock"
)

// This file compares what a run has found with what idem.lock holds, and reports what stored rows would not survive: each at the place that
// was changed, with what breaks, for how long, and what there is to choose from. With -accept it is noted instead.

// lockChange compares one file.
type lockChange struct {
	*lockFile
	reader *reader
	rep    *report
	o      Options
	found  *found
}

// judge compares everything the run speaks for.
func (c *lockChange) judge() {
	gone := map[*lock.Operation]bool{}
	for _, was := range c.was.Operations {
		if c.is.Operation(was.Name) == nil && c.covers(was) {
			gone[was] = true
		}
	}
	for _, is := range c.is.Operations {
		was := c.was.Operation(is.Name)
		taken := was != nil && was.Folder != is.Folder && !c.covers(was)
		if before := c.before(is); before != nil && was != nil && !taken { // its name is that of an operation that was another method's
			delete(gone, before)
			c.forgotten(before, is)
		} else if before != nil && was == nil && c.is.Operation(before.Name) != nil {
			c.forgotten(before, is)
			c.fresh(before, is)
			continue
		}
		switch {
		case was == nil:
			if was = c.renamed(is, gone); was == nil {
				c.fresh(&lock.Operation{}, is)
				continue
			}
			delete(gone, was)
			c.forgotten(was, is)
			c.fresh(was, is)
			continue
		case taken:
			delete(gone, c.renamed(is, gone)) // which is what the method was called
			c.report(c.at[is], c.at[is].method.Pos, codeLockTaken, "operation %s is recorded for %s in %s:%d, which this run does not look at; run idemgen over "+
				"both (idemgen ./...) if it has moved, else give it another name with `//idem:op`", is.Name, was.Folder, lock.Name, was.Line)
			continue
		}
		c.compare(was, is)
	}
	for _, was := range c.was.Operations {
		if gone[was] {
			c.removed(was)
		}
	}
}

// covers tells whether the run looks at the folder of an entry.
func (c *lockChange) covers(was *lock.Operation) bool {
	return c.reader.speaksFor(c.rep, c.lockFile, c.found, was.Folder, was.Interface())
}

// fresh is for an operation whose rows begin anew: whatever was stored before is not found any more.
func (c *lockChange) fresh(was, is *lock.Operation) {
	c.upcasts(was, is)
	c.tell(is)
}

// compare judges an operation that was there before.
func (c *lockChange) compare(was, is *lock.Operation) {
	l := c.at[is]
	m := l.method
	if !lock.SameKey(was, is) {
		at := m.KeyPos
		if n, ok := m.Says["scope"]; ok && slices.Equal(was.Key, is.Key) {
			at = n.Pos
		}
		old, now := keyTexts(was, is)
		c.refuse(l, at, codeLockKey, "the key of `%s` was %s, and is %s now: stored outcomes are not found any more, so for %s a retry of an old request "+
			"runs the method again; %s", l.wrapper.method(m), old, now, kept(was), acceptOr("go back to the old one"))
		c.fresh(was, is)
		return
	}
	if longest := keptFor(was); lock.Longer(longest, is.TTL) {
		is.Kept = longest
	}
	if changes := lock.Mismatches(was, is); len(changes) > 0 {
		c.refuse(l, c.argumentPlace(m, changes[0].Path), codeLockRetry, "a retry of an old request of `%s` would be refused with ErrMismatch for %s, because its fingerprint changes: %s; %s",
			l.wrapper.method(m), kept(was), sentence(changes), acceptOr("choose what counts with `//idem:fingerprint`"))
	}
	c.errors(was, is)
	c.result(was, is)
}

// errors judges what stored errors are known as.
func (c *lockChange) errors(was, is *lock.Operation) {
	changes := lock.ErrorChanges(was, is)
	if len(changes) == 0 {
		lock.InheritErrors(was, is)
		return
	}
	l := c.at[is]
	at := l.method.KeyPos
	if n, ok := l.method.Says["errors"]; ok {
		at = n.Pos
	}
	c.refuse(l, at, codeLockResult, "final errors of `%s` that were stored before this change would come back for %s as an idem.StoredError with their text alone: %s; %s",
		l.wrapper.method(l.method), kept(was), sentence(changes), acceptOr("keep the name and the data, or a variable of the old name beside the new one"))
}

// result judges the shape of what is stored, and says which older shapes are read.
func (c *lockChange) result(was, is *lock.Operation) {
	var changes, codec []lock.Change
	if was.Codec != is.Codec {
		codec = otherCodec(was, is)
	}
	comparable := was.Result.Layout != nil && is.Result.Layout != nil && (was.Codec == "proto") == (is.Codec == "proto")
	if comparable {
		changes = lock.Unreadable(was.Result.Layout, is.Result.Layout)
	}
	if comparable && (len(changes) == 0 || was.Result.Hash == is.Result.Hash) {
		lock.Inherit(was.Result.Layout, is.Result.Layout)
	}
	upcast := c.upcasts(was, is)
	if len(changes) == 0 && (comparable || len(codec) == 0) { // what was read until now is read still
		for _, hash := range append(slices.Clip(was.Reads), was.Result.Hash) {
			if hash != is.Result.Hash && hash != "" && !upcast[hash] {
				is.Reads = append(is.Reads, hash)
			}
		}
	}
	if upcast[was.Result.Hash] { // the function reads it
		changes = nil
		if comparable {
			codec = nil
		}
	}
	if changes = append(codec, changes...); len(changes) > 0 {
		c.unreadable(was, is, changes)
	}
	for _, u := range was.Upcasts {
		if !upcast[u.Hash] && u.Hash != is.Result.Hash {
			l := c.at[is]
			c.refuse(l, l.method.KeyPos, codeLockResult, "outcomes of `%s` that were stored in shape %s would be unreadable for %s without their `//idem:upcast`; %s",
				l.wrapper.method(l.method), u.Hash, kept(was), acceptOr("keep it"))
		}
	}
	c.tell(is)
}

// otherCodec says that results have another codec now, and what there is to know about it.
func otherCodec(was, is *lock.Operation) []lock.Change {
	change := lock.Change{Path: "the result", What: fmt.Sprintf("was stored with codec %s, and is with %s now", was.Codec, is.Codec)}
	if was.Result.Hash != "" && is.Result.Hash != "" {
		change.What += " (both over json: docs/codecs.md says which read each other's rows)"
	}
	return []lock.Change{change}
}

// tell gives the method the shapes that it reads.
func (c *lockChange) tell(is *lock.Operation) {
	m := c.at[is].method
	if is.Result.Hash == "" || slices.ContainsFunc(m.Results, generic) {
		return
	}
	slices.Sort(is.Reads)
	is.Reads = slices.Compact(is.Reads)
	m.Reads = append([]string{is.Result.Hash}, is.Reads...)
}

// unreadable reports a result whose old outcomes can't be read as what it is now.
func (c *lockChange) unreadable(was, is *lock.Operation, changes []lock.Change) {
	l := c.at[is]
	at := l.method.KeyPos
	if len(l.method.Returns) > 0 && len(l.method.Results) > 0 {
		at = l.method.Returns[0]
	}
	other := "keep what is stored as it is"
	switch {
	case slices.ContainsFunc(l.method.Results, generic):
		other += ", or read it in an UnmarshalJSON of the type"
	case was.Codec == "json" && is.Codec != "void" && was.Result.Hash != is.Result.Hash:
		other = fmt.Sprintf("read them with `//idem:upcast %s FUNC`, a function from the old type to the new", was.Result.Hash)
	}
	c.refuse(l, at, codeLockResult, "outcomes of `%s` from before this change would be unreadable, or mean something else, for %s: %s; %s",
		l.wrapper.method(l.method), kept(was), sentence(changes), acceptOr(other))
}

// refuse reports a change of l, or notes that it is accepted.
func (c *lockChange) refuse(l *locked, at token.Position, code, format string, args ...any) {
	if c.o.Accept {
		text, _, _ := strings.Cut(fmt.Sprintf(format, args...), "; run idemgen -accept")
		c.accepted = append(c.accepted, acceptance{l.made, text})
		return
	}
	c.report(l, at, code, format, args...)
}

func (c *lockChange) report(l *locked, at token.Position, code, format string, args ...any) {
	c.rep.errorf(l.made.source.Dir, at, code, format, args...)
}

// argumentPlace is where the argument at the head of a path stands.
func (c *lockChange) argumentPlace(m *method, path string) token.Position {
	if n, ok := m.Says["fingerprint"]; ok {
		return n.Pos
	}
	name, _, _ := strings.Cut(path, ".")
	for i := range m.Sig.Params().Len() {
		if i < len(m.Params) && m.parameterName(i) == strings.TrimRight(name, "[]") {
			return m.Params[i]
		}
	}
	return m.Pos
}
