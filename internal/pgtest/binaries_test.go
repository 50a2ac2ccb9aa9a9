package pgtest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestTheNewestInstalledVersionIsTaken(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, dir := range []string{"9.6/bin", "14/bin", "18/bin"} {
		install(t, filepath.Join(root, dir), "initdb", "postgres")
	}
	install(t, filepath.Join(root, "99/bin"), "initdb") // a client package
	got, err := newest([]string{filepath.Join(root, "*/bin")})
	if want := filepath.Join(root, "18/bin"); got != want || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestNothingInstalledSaysWhatToInstall(t *testing.T) {
	t.Parallel()
	if _, err := newest([]string{filepath.Join(t.TempDir(), "*/bin")}); !errors.Is(err, errNoBinaries) {
		t.Errorf("got %v", err)
	}
}

func TestADatabaseIsPutIntoBothFormsOfAddress(t *testing.T) {
	t.Parallel()
	for dsn, want := range map[string]string{
		"postgres://u:p@h:1/db?sslmode=disable": "postgres://u:p@h:1/x?sslmode=disable",
		"host=h dbname=db":                      "host=h dbname=db dbname=x",
	} {
		if got := withDatabase(dsn, "x"); got != want {
			t.Errorf("got %s", got)
		}
	}
}

func install(t *testing.T, dir string, programs ...string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		if err := os.WriteFile(filepath.Join(dir, p), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
