package main

import (
	"errors"
	"fmt"
	"strings"
)

// mutant takes one protection away.
type mutant struct {
	name     string // what is wrong with it
	file     string
	old, new string // a part of one line that is there once, and what stands there instead
	pkg      string // of the test
	test     string // that must fail
}

// apply is text with m.
func (m mutant) apply(text string) (string, error) {
	switch n := strings.Count(text, m.old); {
	case strings.Contains(m.old+m.new, "\n"):
		return "", errors.New("it changes more than one line")
	case n != 1:
		return "", fmt.Errorf("%q is in %s %d times", m.old, m.file, n)
	}
	return strings.Replace(text, m.old, m.new, 1), nil
}
