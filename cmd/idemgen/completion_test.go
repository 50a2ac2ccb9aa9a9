package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/templates"
)

func TestCandidates(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"":                          "init claims explain completion version help : …",
		"c":                         "claims completion :",
		"claims ":                   "list show complete not-happened hold release stats audit sweep",
		"claims l":                  "list",
		"claims list -s":            "-state -scope",
		"claims list -state u":      "unknown",
		"claims hold -f":            "-force",
		"claims complete -result ":  ":",
		"claims show ":              "",
		"claims nonsense ":          "",
		"e":                         "explain :",
		"./":                        ":",
		"-c":                        "-C -check …",
		"-check -":                  "-C -out -tags -check -diff -n -json -h …",
		"-C ":                       ":",
		"-tags ":                    "",
		"-check ":                   ":",
		"./a ":                      ":",
		"explain IDEM01":            "IDEM010 IDEM011 IDEM012 IDEM013 IDEM014 IDEM015 IDEM016 IDEM017 …",
		"explain idem015":           "IDEM015",
		"explain -":                 "-h",
		"init -m":                   "-migrations",
		"init -migrations g":        "goose golang-migrate",
		"init --migrations g":       "goose golang-migrate",
		"init -migrations = g":      "goose golang-migrate",
		"init -migrations =":        "goose golang-migrate dbmate tern atlas plain none",
		"init -dir ":                ":",
		"init ":                     ":",
		"completion ":               "bash zsh fish powershell",
		"help v":                    "vet version",
		"version ":                  "",
		"version -":                 "-json -h",
		"nonsense ":                 "",
		"init -migrations goose -d": "-dir -diff",
	} {
		var out strings.Builder
		if code := run(t.Context(), append([]string{completeWord}, strings.Split(line, " ")...), &out, &out); code != exitDone {
			t.Errorf("%q: exit %d", line, code)
		}
		var got []string
		for l := range strings.Lines(out.String()) {
			word, _, _ := strings.Cut(strings.TrimSpace(l), "\t")
			got = append(got, word)
		}
		if all := strings.Join(got, " "); all != want && !within(want, got) {
			t.Errorf("%q completes to %v, want %s", line, got, want)
		}
	}
}

// within tells that all words of want, which ends in dots, are among the others.
func within(want string, all []string) bool {
	some, open := strings.CutSuffix(want, " …")
	for _, w := range strings.Fields(some) {
		open = open && slices.Contains(all, w)
	}
	return open
}

// shellScripts type a command line into each shell and print what it completes to; $SCRIPT is the script for it.
var shellScripts = map[string]string{
	"bash": `source "$SCRIPT"
complete -p idemgen >/dev/null
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_idemgen
printf '%s\n' "${COMPREPLY[@]}"`,
	"zsh": `compdef() { :; }
_describe() { local x; for x in ${(P)4}; do print -r -- ${x%%:*}; done }
_files() { print -r -- */ }
source "$SCRIPT"
words=("$@") CURRENT=$#
_idemgen`,
	"fish": `source $SCRIPT
complete -C "$argv" | string replace -r '\t.*' ''
true`,
}

func TestShellsComplete(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", bin, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	work := t.TempDir()
	for _, folder := range []string{"pay", "ship"} {
		if err := os.Mkdir(filepath.Join(work, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for shell, script := range shellScripts {
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("there is no %s here", shell)
			continue
		}
		text := filepath.Join(bin, shell+".txt")
		if err := os.WriteFile(text, []byte(templates.Completion(shell)), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ words, with, without string }{
			{"idemgen expl", "explain", "version"},
			{"idemgen explain IDEM07", "IDEM073", "IDEM015"},
			{"idemgen -C ", "pay", "explain"},
			{"idemgen init -migrations go", "golang-migrate", "dbmate"},
			{"idemgen -che", "-check", "-diff"},
		} {
			args := []string{"-c", script, "x"}
			if shell == "fish" {
				args = append([]string{"--no-config"}, args[:2]...)
				args = append(args, c.words)
			} else {
				args = append(args, strings.Split(c.words, " ")...)
			}
			cmd := exec.CommandContext(t.Context(), path, args...)
			cmd.Dir = work
			cmd.Env = append(os.Environ(), "SCRIPT="+text, "HOME="+work, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			found := strings.ReplaceAll(" "+strings.Join(strings.Fields(string(out)), " ")+" ", "/ ", " ")
			if err != nil || !strings.Contains(found, " "+c.with+" ") || strings.Contains(found, " "+c.without+" ") {
				t.Errorf("%s: %q completes to %q, %v; want %s and not %s", shell, c.words, out, err, c.with, c.without)
			}
		}
	}
}
