package spelling

import "testing"

func TestSlips(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "ab", 2}, {"ab", "ba", 1}, {"abc", "abd", 1}, {"abc", "ac", 1}, {"kitten", "sitting", 3}} {
		if got, back := Slips(c.a, c.b), Slips(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("Slips(%q, %q) = %d, and %d the other way; want %d", c.a, c.b, got, back, c.want)
		}
	}
}
