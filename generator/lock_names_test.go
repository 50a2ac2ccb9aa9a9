package generator

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// This file is about operations whose names and times change hands.

// lockedSource writes sources one after the other, and says what a run says of the last, and what is recorded then. Options are those of runs
// after the first.
func lockedSource(t *testing.T, o Options, sources ...string) (texts []string, locked string) {
	t.Helper()
	root := tree(t, "go.mod: module m\n\ngo 1.26\n")
	for i, source := range sources {
		if err := os.WriteFile(filepath.Join(root, "m.go"), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Run(t.Context(), Options{Dir: root, Write: true, Accept: i > 0 && o.Accept})
		if err != nil || i < len(sources)-1 && len(r.Diagnostics) > 0 {
			t.Fatal(err, r.Diagnostics)
		}
		texts = nil
		for _, d := range r.Diagnostics {
			texts = append(texts, d.Code+" "+d.Text)
		}
	}
	text, err := os.ReadFile(filepath.Join(root, "idem.lock"))
	if err != nil {
		t.Fatal(err)
	}
	return texts, string(text)
}

func TestLock_ANameThatGoesToAnotherMethodForgetsItsKeys(t *testing.T) {
	t.Parallel()
	source := func(methods ...string) string {
		text := "package m" + importContext + "\n//idem:wrap\ntype Store interface {\n"
		for _, m := range methods {
			name, op, _ := strings.Cut(m, " ")
			text += "\t//idem:key id\n\t//idem:op " + op + "\n\t" + name + "(ctx context.Context, id string) error\n\n"
		}
		return text + "}\n"
	}
	for name, c := range map[string]struct {
		was, is []string
		said    []string
	}{
		"two change names":               {[]string{"A a", "B b"}, []string{"A b", "B a"}, []string{"operation a is called b now", "operation b is called a now"}},
		"a new method takes a name":      {[]string{"A a"}, []string{"A legacy", "B a"}, []string{"operation a is called legacy now"}},
		"one takes the name of one gone": {[]string{"A a", "B b"}, []string{"B a"}, []string{"operation b is called a now"}},
		"a method is renamed":            {[]string{"A a", "B b"}, []string{"C a", "B b"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, _ := lockedSource(t, Options{}, source(c.was...), source(c.is...))
			if len(said) != len(c.said) {
				t.Fatalf("said %q", said)
			}
			for i, want := range c.said {
				if !strings.HasPrefix(said[i], "IDEM082 "+want) {
					t.Errorf("%s; want %s", said[i], want)
				}
			}
			said, locked := lockedSource(t, Options{Accept: true}, source(c.was...), source(c.is...), source(c.is...))
			if len(said) > 0 || strings.Count(locked, "operation ") != len(c.is) {
				t.Errorf("accepted: %q\n%s", said, locked)
			}
		})
	}
}

// A constant is part of the stored text, and a parameter's name is not.
func TestLock_AKeyIsKnownByWhatItIsMadeOf(t *testing.T) {
	t.Parallel()
	source := func(name, value, parameter string) string {
		return "package m" + importContext + "\nconst " + name + " = " + value + "\n\n//idem:wrap\ntype Store interface {\n\t//idem:key " + name + "+string(" +
			parameter + ")\n\t//idem:fingerprint none\n\tDo(ctx context.Context, " + parameter + " string) error\n}\n"
	}
	first := source("prefix", `"v1-"`, "id")
	if said, locked := lockedSource(t, Options{}, first, source("start", `"v1-"`, "key")); len(said) > 0 || !strings.Contains(locked, "\tkey \"v1-\"+string($key) string\n") {
		t.Errorf("other names: %q\n%s", said, locked)
	}
	said, _ := lockedSource(t, Options{}, first, source("prefix", `"v2-"`, "id"))
	if len(said) != 1 || !strings.HasPrefix(said[0], "IDEM082 the key of `Store.Do` was `\"v1-\"+string(id)`, and is `\"v2-\"+string(id)` now") {
		t.Errorf("another value: %q", said)
	}
}

// Rows keep the ttl that they were stored with, and so that is how long a change matters.
func TestLock_AShorterTTLIsNotThatOfOldRows(t *testing.T) {
	t.Parallel()
	source := func(ttl, result string) string {
		return "package m" + importContext + "\n//idem:wrap\ntype Store interface {\n\t//idem:key id\n\t//idem:ttl " + ttl +
			"\n\tDo(ctx context.Context, id string) (" + result + ", error)\n}\n"
	}
	for _, c := range []struct{ first, second, has, said string }{
		{"720h", "1h", "\tttl 1h\n\tkept 720h\n", " for 720h: "},
		{"forever", "1h", "\tttl 1h\n\tkept forever\n", " for good (they are kept forever): "},
		{"1h", "720h", "\tttl 720h\n\targument", " for 720h: "},
	} {
		steps := []string{source(c.first, "int64"), source(c.second, "int64"), source(c.second, "int64")}
		if said, locked := lockedSource(t, Options{}, steps...); len(said) > 0 || !strings.Contains(locked, c.has) {
			t.Errorf("from %s to %s: %q\n%s", c.first, c.second, said, locked)
		}
		if said, _ := lockedSource(t, Options{}, append(steps, source(c.second, "string"))...); len(said) != 1 || !strings.Contains(said[0], c.said) {
			t.Errorf("from %s to %s: %q", c.first, c.second, said)
		}
	}
}
