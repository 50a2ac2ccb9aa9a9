package pgtest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// This file finds Postgres's server programs, which most packagers keep off the PATH.

var errNoBinaries = errors.New(`no Postgres server programs (initdb, postgres) found; install them
  Debian, Ubuntu: apt-get install postgresql
  Fedora:         dnf install postgresql-server
  macOS:          brew install postgresql@17
or set IDEMGEN_POSTGRES_BIN to the folder that holds them, or IDEMGEN_TEST_DATABASE_URL to a running server`)

// installed is where packages put the programs.
var installed = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/opt/homebrew/opt/postgresql@*/bin",
	"/usr/local/opt/postgresql@*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// binaries returns the folder of initdb and postgres: IDEMGEN_POSTGRES_BIN alone where that is set, else the one on the
// PATH, else the newest installed one.
func binaries() (string, error) {
	if dir := os.Getenv("IDEMGEN_POSTGRES_BIN"); dir != "" {
		if !usable(dir) {
			return "", errors.New("IDEMGEN_POSTGRES_BIN is set, but there are no initdb and postgres in that folder")
		}
		return dir, nil
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil && usable(filepath.Dir(path)) {
			return filepath.Dir(path), nil
		}
	}
	return newest(installed)
}

// newest returns the folder with the highest version in its path among those that match a pattern.
func newest(patterns []string) (string, error) {
	var dirs []string
	for _, p := range patterns {
		found, err := filepath.Glob(p)
		if err != nil {
			return "", err
		}
		dirs = append(dirs, found...)
	}
	dirs = slices.DeleteFunc(dirs, func(dir string) bool { return !usable(dir) })
	if len(dirs) == 0 {
		return "", errNoBinaries
	}
	return slices.MaxFunc(dirs, func(a, b string) int { return version(a) - version(b) }), nil
}

func usable(dir string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// version is the last number in dir; a folder without one counts as the oldest.
func version(dir string) int {
	digits := strings.FieldsFunc(dir, func(r rune) bool { return r < '0' || r > '9' })
	if len(digits) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(digits[len(digits)-1])
	return n
}
