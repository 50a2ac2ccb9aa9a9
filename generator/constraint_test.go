package generator

import (
	"strings"
	"testing"
)

func TestFileNamesImplyConstraints(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"plain": "", "linux": "", "a_linux": "linux", "a_linux_amd64": "linux/amd64", "linux_amd64": "amd64", "a_amd64_linux": "linux",
		"a_linux_test": "linux", "a_linux.pb": "linux", "a_unix": "", "a_test": "", "_linux": "linux", "a_Linux": "",
	} {
		if got := impliedBy(base); got != want {
			t.Errorf("impliedBy(%q) = %q, want %q", base, got, want)
		}
	}
}

func TestOutputIsBuiltWhenItsSourceIs(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{ // the name, or what is wrong with it
		"a_linux":         "idem_gen_a_linux.go",
		"h":               "idem_gen_h.go",
		"sys_linux_amd64": "idem_gen_sys_linux_amd64.go",
		"a_linux_test":    "idem_gen_a_linux_test.go",
		"in_test":         "idem_gen_in_test.go",
		"linux":           "only built for linux",
		"linux_amd64":     "only built for linux/amd64",
		"arm64_test":      "only built for arm64",
		"test":            "name of another output",
		"x_test":          "name of another output",
		"roundtrip_test":  "name of another output",
	} {
		name, expression, problem := constrainedName(base, "go1.20")
		switch {
		case problem == "" && (name != want || expression != "go1.20"):
			t.Errorf("%s: %s under %s, want %s", base, name, expression, want)
		case problem != "" && !strings.Contains(problem, want):
			t.Errorf("%s: %s, want %s", base, problem, want)
		}
	}
}

func TestConstraintsAreJoined(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, want string }{
		{"", "cgo"}, {"linux", "linux && cgo"}, {"linux || darwin", "(linux || darwin) && cgo"}, {"!windows", "!windows && cgo"},
	} {
		if got := both(c.a, "cgo"); got != c.want {
			t.Errorf("both(%q) = %q, want %q", c.a, got, c.want)
		}
	}
}
