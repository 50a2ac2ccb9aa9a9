package main

import "github.com/idemgen/idemgen/internal/spelling"

// This file finds what somebody meant who mistyped a word.

// nearest is the candidate that is at most two slips away from what was typed, and not all of it.
func nearest(typed string, candidates []string) (string, bool) {
	best, slips := "", 3
	for _, c := range candidates {
		if d := spelling.Slips(typed, c); d < slips && d < len(c)-1 {
			best, slips = c, d
		}
	}
	return best, best != ""
}
