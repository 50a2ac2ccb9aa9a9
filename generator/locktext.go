package generator

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/idemgen/idemgen/internal/lock"
)

// This file has the words for what changes: what was and what is, for how long, and what there is to choose from.

func acceptOr(other string) string {
	return "run idemgen -accept if that may be, or " + other
}

// kept is for how long rows of the operation are there.
func kept(was *lock.Operation) string {
	if ttl := keptFor(was); ttl != "forever" {
		return ttl
	}
	return "good (they are kept forever)"
}

// keptFor is the longest ttl that rows of the operation have been stored with.
func keptFor(was *lock.Operation) string {
	if lock.Longer(was.Kept, was.TTL) {
		return was.Kept
	}
	return was.TTL
}

// keyTexts are two keys for people: their expressions or, where they are the same, with what becomes of them.
func keyTexts(was, is *lock.Operation) (old, now string) {
	if old, now = keyWords(was, false), keyWords(is, false); old == now {
		return keyWords(was, true), keyWords(is, true)
	}
	return old, now
}

// importedFrom is the path of a package in an expression of the file; people read its last element.
var importedFrom = regexp.MustCompile(`"(?:[^"]*/)?([^"/]+)"\.`)

func keyWords(o *lock.Operation, kinds bool) string {
	expression := func(part string) string {
		part = importedFrom.ReplaceAllString(strings.ReplaceAll(part, "$", ""), "$1.")
		if i := strings.LastIndexByte(part, ' '); i >= 0 {
			text := "`" + part[:i] + "`"
			if kinds {
				text += " as " + part[i+1:]
			}
			return text
		}
		return "`" + part + "`"
	}
	var parts []string
	for _, k := range o.Key {
		parts = append(parts, expression(k))
	}
	text := strings.Join(parts, ", ")
	if o.Scope != "" {
		text += " within " + expression(o.Scope)
	}
	return text
}

// sentence lists changes, not too many.
func sentence(changes []lock.Change) string {
	const most = 4
	var texts []string
	for i, change := range changes {
		if i == most {
			texts = append(texts, fmt.Sprintf("and %d more", len(changes)-most))
			break
		}
		texts = append(texts, "`"+change.Path+"` "+change.What)
	}
	return strings.Join(texts, ", ")
}
