package generator

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// This file is about the tests that -tests writes.

// They compile, pass, and fuzz.
func TestRoundTripTestsRun(t *testing.T) {
	c := loadCorpus(t)
	c.writeOutputs(t)
	out, err := c.goTool("test", "-v", "-run=RoundTrip", "./340-round-trip", "./341-round-trip-kept")
	if err != nil {
		t.Fatal(out)
	}
	for _, name := range []string{
		"TestStoreChargeRoundTrip2", "TestStoreQuoteRoundTrip", "TestHiddenDoRoundTrip", "TestLinuxDoRoundTrip", "TestStorePutRoundTrip", "FuzzStorePutRoundTrip",
	} {
		if !strings.Contains(out, "--- PASS: "+name) {
			t.Errorf("%s did not run:\n%s", name, out)
		}
	}
	if out, err = c.goTool("test", "-run=^$", "-fuzz=^FuzzStoreQuoteRoundTrip$", "-fuzztime=100x", "-parallel=1", "./340-round-trip"); err != nil {
		t.Error(out)
	}
}

// An output has tests when they are asked for, and as long as they are there.
func TestRoundTripTestsStayUntilSomebodyDeletesThem(t *testing.T) {
	t.Parallel()
	text := func(result string) string {
		return "package p" + importContext + "\n\n//idem:wrap\ntype Store interface {\n\t//idem:key id\n\tDo(ctx context.Context, id string) " + result + "\n}\n"
	}
	root := tree(t, "go.mod: module m\n\ngo 1.26\n", "a.go: "+text("(int, error)"), "b_windows.go: "+strings.ReplaceAll(text("(int, error)"), "Store", "Win"),
		"idem_gen_roundtrip_b_windows_test.go: "+header+"\n\npackage p\n")
	tests := filepath.Join(root, "idem_gen_roundtrip_test.go")
	run := func(o Options, wantFiles, wantSaid string) {
		t.Helper()
		o.Write = true
		files, said, _ := outcome(t, root, o)
		if got := strings.Join(files, " "); got != wantFiles {
			t.Errorf("files: %s; want %s", got, wantFiles)
		}
		if got := strings.Join(said, " "); got != wantSaid {
			t.Errorf("said: %s; want %s", got, wantSaid)
		}
	}
	run(Options{}, "idem_gen.go", "") // those of another system are left alone
	run(Options{Tests: true}, "idem_gen.go idem_gen_roundtrip_test.go", "")
	run(Options{}, "idem_gen.go idem_gen_roundtrip_test.go", "")
	writeFile(t, filepath.Join(root, "a.go"), text("error"))
	run(Options{Tests: true, Accept: true}, "idem_gen.go", "idem_gen_roundtrip_test.go:1:1 IDEM073") // nothing is stored any more
	writeFile(t, filepath.Join(root, "a.go"), text("(int, error)"))
	if err := os.Remove(tests); err != nil {
		t.Fatal(err)
	}
	run(Options{Accept: true}, "idem_gen.go", "")
	writeFile(t, tests, "package p\n")
	run(Options{}, "idem_gen.go", "")
	run(Options{Tests: true}, "", "idem_gen_roundtrip_test.go:1:1 IDEM071") // not idemgen's
}

// With -out they go where the wrappers go.
func TestRoundTripTestsGoWhereTheOutputGoes(t *testing.T) {
	t.Parallel()
	root := tree(t, "go.mod: module m\n\ngo 1.26\n", "a/a.go: package a"+importContext+
		"\n\ntype T struct{ N int }\n\n//idem:wrap\ntype Store interface {\n\t//idem:key id\n\tDo(ctx context.Context, id string) (T, error)\n}\n")
	files, said, r := outcome(t, root, Options{Patterns: []string{"./a"}, Out: "gen", Tests: true})
	if want := []string{"gen/idem_gen.go", "gen/idem_gen_roundtrip_test.go"}; !slices.Equal(files, want) || len(said) > 0 {
		t.Fatalf("files %q, said %q; want %q", files, said, want)
	}
	if text := string(r.Files[1].Content); !strings.Contains(text, "package gen\n") || !strings.Contains(text, "(t, &storeDo)") {
		t.Error(text)
	}
}
