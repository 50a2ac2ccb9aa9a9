package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAnswersAreRememberedWhereTheyCanBeTrusted(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", folder)
	t.Setenv("HOME", folder)
	user, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, variable, ci string
		wish               wish
		want               string
	}{
		{"by default", "", "", wish{cache: "on"}, filepath.Join(user, "idemgen")},
		{"not with -check", "", "", wish{cache: "on", check: true}, ""},
		{"not with -cache=off", "", "", wish{cache: "off"}, ""},
		{"not where it is switched off", "off", "", wish{cache: "on"}, ""},
		{"in another folder", folder, "", wish{cache: "on"}, folder},
		{"not in CI", folder, "true", wish{cache: "on"}, ""},
		{"outside of CI that says so", folder, "false", wish{cache: "on"}, folder},
	} {
		t.Setenv(cacheVariable, c.variable)
		t.Setenv("CI", c.ci)
		if got := c.wish.cacheFolder(); got != c.want {
			t.Errorf("%s: %q; want %q", c.name, got, c.want)
		}
	}
}

func TestARunWithAMemoryGivesTheSameAnswerAgain(t *testing.T) {
	t.Setenv("CI", "")
	t.Setenv(cacheVariable, t.TempDir())
	dir := module(t, source)
	if code, _, stderr := idemgen(t, dir, "./..."); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	_, first, firstErr := idemgen(t, dir, "-n", "./...")
	code, stdout, stderr := idemgen(t, dir, "-n", "./...")
	if code != exitDone || stdout != first || stderr != firstErr {
		t.Errorf("exit %d, %q and %q; before %q and %q", code, stdout, stderr, first, firstErr)
	}
	for _, wrong := range []string{"-cache=perhaps", "-load=some"} {
		if code, _, stderr := idemgen(t, dir, wrong, "./..."); code != exitUsage || stderr == "" {
			t.Errorf("%s: exit %d, %q", wrong, code, stderr)
		}
	}
}
