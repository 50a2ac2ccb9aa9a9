package generator

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/idemgen/idemgen/internal/lock"
)

// This file is about operations that have another name than before, or are gone: which entry of idem.lock a method had, and what is said of it.

// before finds what the method of an operation is recorded as, where that is only under other names.
func (c *lockChange) before(is *lock.Operation) (before *lock.Operation) {
	for _, was := range c.was.Operations {
		switch {
		case was.Folder != is.Folder || was.Method != is.Method:
		case was.Name == is.Name:
			return nil
		case before == nil:
			before = was
		}
	}
	return before
}

// renamed finds the entry that is the same method by another name.
func (c *lockChange) renamed(is *lock.Operation, gone map[*lock.Operation]bool) *lock.Operation {
	var alike []*lock.Operation
	for _, was := range c.was.Operations {
		if !gone[was] {
			continue
		}
		if was.Folder == is.Folder && was.Method == is.Method {
			return was
		}
		sameName := strings.TrimPrefix(was.Method, was.Interface()) == strings.TrimPrefix(is.Method, is.Interface())
		near := sameName || was.Folder == is.Folder && was.Interface() == is.Interface()
		if near && lock.SameKey(was, is) && was.Codec == is.Codec && was.Result.Hash == is.Result.Hash &&
			len(lock.Mismatches(was, is)) == 0 {
			alike = append(alike, was)
		}
	}
	if len(alike) != 1 {
		return nil
	}
	return alike[0]
}

// forgotten reports an operation that has another name than before.
func (c *lockChange) forgotten(was, is *lock.Operation) {
	l := c.at[is]
	at := l.method.Pos
	if n, ok := l.method.Says["op"]; ok {
		at = n.Pos
	}
	other := "keep the name with `//idem:op " + was.Name + "`"
	if strings.Contains(was.Name, "[_") { // where the type arguments stand follows from the method's name
		other = "keep the names of the method, its interface and its package"
	}
	c.refuse(l, at, codeLockKey, "operation %s is called %s now: its stored keys are forgotten, so for %s a retry of an old request runs the method again; %s",
		was.Name, is.Name, kept(was), acceptOr(other))
}

// removed reports an operation that is not there any more. Where its method is, but without a key, a retry runs it again: an error. Where
// it is gone altogether nothing can run, and only its outcomes are out of reach: the entry stays until that is accepted.
func (c *lockChange) removed(was *lock.Operation) {
	if l := c.forwarded(was); l != nil {
		c.refuse(l, l.method.Pos, codeLockGone, "`%s` has no key any more: for %s a retry of an old request runs it again, though its outcome is stored; %s",
			was.Method, kept(was), acceptOr("give it back its key"))
		return
	}
	text := fmt.Sprintf("operation %s is gone, and its outcomes stay stored for %s", was.Name, kept(was))
	if c.o.Accept {
		c.accepted = append(c.accepted, acceptance{nil, text})
		return
	}
	c.rep.warnf(token.Position{Filename: c.path, Line: was.Line, Column: 1}, codeLockGone, "%s; %s", text, acceptOr("bring it back"))
}

// forwarded finds the method of an entry, where it has no key now.
func (c *lockChange) forwarded(was *lock.Operation) *locked {
	for _, m := range c.reader.made {
		if !sameFolder(m.source.Dir, c.folder(was.Folder)) {
			continue
		}
		for _, w := range m.Wrappers {
			for _, method := range w.Methods {
				if w.method(method) == was.Method && !method.Keyed {
					return &locked{m, w, method}
				}
			}
		}
	}
	return nil
}
