package main

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestUnified(t *testing.T) {
	t.Parallel()
	lines := func(s string) string { return strings.Join(strings.Split(s, ""), "\n") + "\n" }
	for _, c := range []struct{ name, old, new, want string }{
		{"equal texts have no difference", "abc", "abc", ""},
		{"a change stands between three lines", "abcdefghi", "abcdXfghi", "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+X\n f\n g\n h\n"},
		{"near changes share a hunk", "abcdefghi", "aXcdefgYi", "@@ -1,9 +1,9 @@\n a\n-b\n+X\n c\n d\n e\n f\n g\n-h\n+Y\n i\n"},
		{"far changes do not", "abcdefghijkl", "Xbcdefghijkl!", "@@ -1,4 +1,4 @@\n-a\n+X\n b\n c\n d\n@@ -10,3 +10,4 @@\n j\n k\n l\n+!\n"},
		{"an addition at the start", "abcd", "Xabcd", "@@ -1,3 +1,4 @@\n+X\n a\n b\n c\n"},
	} {
		want := c.want
		if want != "" {
			want = "--- a/p/f.go\n+++ b/p/f.go\n" + want
		}
		if got := unified("p/f.go", []byte(lines(c.old)), []byte(lines(c.new))); got != want {
			t.Errorf("%s: got\n%swant\n%s", c.name, got, want)
		}
	}
}

func TestUnifiedOfNewAndUnendedFiles(t *testing.T) {
	t.Parallel()
	if got, want := unified("f.go", nil, []byte("a\nb\n")), "--- /dev/null\n+++ b/f.go\n@@ -0,0 +1,2 @@\n+a\n+b\n"; got != want {
		t.Errorf("new file: got\n%s", got)
	}
	want := "--- a/f.go\n+++ b/f.go\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"
	if got := unified("f.go", []byte("a"), []byte("a\n")); got != want {
		t.Errorf("unended file: got\n%s", got)
	}
}

// Any list of edits must lead from the one text to the other, whatever they are.
func TestCompareLeadsFromOldToNew(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	text := func(n int) []string {
		s := make([]string, r.IntN(n))
		for i := range s {
			s[i] = string(rune('a'+r.IntN(4))) + "\n"
		}
		return s
	}
	for i := range 500 {
		size := 30
		if i == 0 {
			size = 5000 // beyond maxEdits
		}
		a, b := text(size), text(size)
		var before, after []string
		for _, e := range compare(a, b) {
			if e.op != '+' {
				before = append(before, e.line)
			}
			if e.op != '-' {
				after = append(after, e.line)
			}
		}
		if strings.Join(before, "") != strings.Join(a, "") || strings.Join(after, "") != strings.Join(b, "") {
			t.Fatalf("the edits do not lead from %q to %q", a, b)
		}
	}
}
