package main

import (
	"fmt"
	"strings"
)

// This file prints the difference of two texts in the unified format, so that patch and people can read it.

const contextLines = 3

// edit is one line of the way from the old text to the new: ' ' kept, '-' dropped, '+' added.
type edit struct {
	op   byte
	line string
}

// unified is the difference from old to new; empty where there is none. A nil old is a file that is not there.
func unified(path string, old, new []byte) string {
	edits := compare(splitLines(old), splitLines(new))
	var b strings.Builder
	for from := 0; ; {
		start, end := hunk(edits, from)
		if start == end {
			break
		}
		if from == 0 {
			before := "a/" + path
			if old == nil {
				before = "/dev/null"
			}
			fmt.Fprintf(&b, "--- %s\n+++ b/%s\n", before, path)
		}
		writeHunk(&b, edits, start, end)
		from = end
	}
	return b.String()
}

func splitLines(text []byte) []string {
	var lines []string
	for line := range strings.Lines(string(text)) {
		lines = append(lines, line)
	}
	return lines
}

// hunk finds the next group of changes at or after from, with the lines around it; start == end: there is none.
func hunk(edits []edit, from int) (start, end int) {
	first := from
	for first < len(edits) && edits[first].op == ' ' {
		first++
	}
	if first == len(edits) {
		return first, first
	}
	end = first
	for i := first; i < len(edits) && i <= end+2*contextLines; i++ {
		if edits[i].op != ' ' {
			end = i + 1
		}
	}
	return max(from, first-contextLines), min(len(edits), end+contextLines)
}

func writeHunk(b *strings.Builder, edits []edit, start, end int) {
	var before, after [2]int // lines of the old and the new text, above the hunk and in it
	for i, e := range edits[:end] {
		counts := &before
		if i >= start {
			counts = &after
		}
		if e.op != '+' {
			counts[0]++
		}
		if e.op != '-' {
			counts[1]++
		}
	}
	fmt.Fprintf(b, "@@ -%s +%s @@\n", lineRange(before[0], after[0]), lineRange(before[1], after[1]))
	for _, e := range edits[start:end] {
		b.WriteByte(e.op)
		b.WriteString(e.line)
		if !strings.HasSuffix(e.line, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// lineRange counts from 1, but an empty range names the line before it.
func lineRange(above, lines int) string {
	if lines == 0 {
		return fmt.Sprintf("%d,0", above)
	}
	return fmt.Sprintf("%d,%d", above+1, lines)
}

// maxEdits is where texts are so different that nobody gains by knowing what they share.
const maxEdits = 1000

// compare finds a shortest way from a to b (Myers' greedy algorithm): ends[d] holds, by diagonal, how far d changes get.
func compare(a, b []string) []edit {
	var ends []map[int]int
	reach := map[int]int{1: 0}
	for d := range maxEdits {
		ends = append(ends, map[int]int{})
		for k := -d; k <= d; k += 2 {
			x := reach[k-1] + 1
			if k == -d || k != d && reach[k-1] < reach[k+1] {
				x = reach[k+1]
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			reach[k], ends[d][k] = x, x
			if x >= len(a) && x-k >= len(b) {
				return walkBack(a, b, ends)
			}
		}
	}
	var edits []edit
	for _, line := range a {
		edits = append(edits, edit{'-', line})
	}
	for _, line := range b {
		edits = append(edits, edit{'+', line})
	}
	return edits
}

// walkBack reads the edits off from the end to the beginning.
func walkBack(a, b []string, ends []map[int]int) []edit {
	var reversed []edit
	x, y := len(a), len(b)
	for d := len(ends) - 1; d >= 0; d-- {
		k := x - y
		px, py := 0, 0
		if d > 0 {
			pk := k - 1
			if k == -d || k != d && ends[d-1][k-1] < ends[d-1][k+1] {
				pk = k + 1
			}
			px = ends[d-1][pk]
			py = px - pk
		}
		for x > px && y > py {
			x, y = x-1, y-1
			reversed = append(reversed, edit{' ', a[x]})
		}
		switch {
		case x > px:
			x--
			reversed = append(reversed, edit{'-', a[x]})
		case y > py:
			y--
			reversed = append(reversed, edit{'+', b[y]})
		}
	}
	edits := make([]edit, 0, len(reversed))
	for i := len(reversed) - 1; i >= 0; i-- {
		edits = append(edits, reversed[i])
	}
	return edits
}
