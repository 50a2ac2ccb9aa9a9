package generator

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func textOf(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// onlyFiles fails when anything but the named files is left below dir.
func onlyFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	var got []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			got = append(got, rel)
		}
		return err
	})
	if err != nil || strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("files are %v, want %v (%v)", got, want, err)
	}
}

func TestWriteMakesFilesAndTheirDirectories(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "gen", "deep", "idem_gen.go")
	if err := write([]File{{Path: path, Content: []byte("new")}}); err != nil {
		t.Fatal(err)
	}
	if got := textOf(t, path); got != "new" {
		t.Errorf("the file holds %q", got)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o444 == 0 || info.Mode().Perm()&0o111 != 0 {
		t.Errorf("the new file's mode is %v (%v)", info.Mode(), err)
	}
	onlyFiles(t, dir, "gen/deep/idem_gen.go")
}

func TestWriteLeavesWhatDidNotChange(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "idem_gen.go")
	if err := os.WriteFile(path, []byte("same"), 0o600); err != nil {
		t.Fatal(err)
	}
	before, _ := os.Stat(path)
	if err := write([]File{{Path: path, Content: []byte("same"), Old: []byte("same")}}); err != nil {
		t.Fatal(err)
	}
	after, _ := os.Stat(path)
	if !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		t.Error("a file that had not changed was written")
	}
}

func TestWriteKeepsModesAndLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, link := filepath.Join(dir, "elsewhere.go"), filepath.Join(dir, "idem_gen.go")
	if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(target, 0o440); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("elsewhere.go", link); err != nil {
		t.Fatal(err)
	}
	if err := write([]File{{Path: link, Content: []byte("new"), Old: []byte("old")}}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link became %v (%v)", info.Mode(), err)
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o440 {
		t.Errorf("the mode became %v (%v)", info.Mode(), err)
	}
	if got := textOf(t, target); got != "new" {
		t.Errorf("the target holds %q", got)
	}
	onlyFiles(t, dir, "elsewhere.go", "idem_gen.go")
}

// A path below a file can't be made, and a directory can't be replaced: the first fails before, the second after others are in place.
func TestWriteIsAllOrNothing(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]func(dir string) string{
		"a directory can't be made": func(dir string) string { return filepath.Join(dir, "a.go", "z", "idem_gen.go") },
		"a directory is in the way": func(dir string) string { return filepath.Join(dir, "z") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			old := filepath.Join(dir, "a.go")
			if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Join(dir, "z", "full"), 0o700); err != nil {
				t.Fatal(err)
			}
			err := write([]File{
				{Path: bad(dir), Content: []byte("new")},
				{Path: filepath.Join(dir, "b.go"), Content: []byte("new")},
				{Path: old, Content: []byte("new"), Old: []byte("old")},
			})
			if err == nil {
				t.Fatal("no error")
			}
			if got := textOf(t, old); got != "old" {
				t.Errorf("a.go holds %q", got)
			}
			onlyFiles(t, dir, "a.go")
		})
	}
}

// What was replaced before a rename failed gets its old text back.
func TestWriteRestores(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.go"), filepath.Join(dir, "b.go")
	for _, path := range []string{a, b} {
		if err := os.WriteFile(path, []byte("new"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := restore([]replacement{{target: a, old: []byte("old"), done: true}, {target: b, done: true}, {target: filepath.Join(dir, "c.go"), old: []byte("old")}}); err != nil {
		t.Fatal(err)
	}
	if got := textOf(t, a); got != "old" {
		t.Errorf("a.go holds %q", got)
	}
	onlyFiles(t, dir, "a.go")
}

func TestWriteKeepsWhatSomebodyElseWroteMeanwhile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.go"), filepath.Join(dir, "b.go")
	if err := os.WriteFile(b, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, old := range []string{"", "old"} {
		err := write([]File{{Path: a, Content: []byte("new")}, {Path: b, Content: []byte("new"), Old: []byte(old)}})
		if err == nil || !strings.Contains(err.Error(), "run idemgen again") || textOf(t, b) != "theirs" {
			t.Errorf("after %q: %v; it holds %q", old, err, textOf(t, b))
		}
		onlyFiles(t, dir, "b.go")
	}
}
