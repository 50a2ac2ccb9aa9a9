package generator

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// This file shows that running the outputs tells: it changes one line of an output at a time, and what TestOutputsReplay does must fail then.

const mutatedSource = `package sound

import "context"

type Req struct{ ID *string }

//idem:wrap
type Store interface {
	//idem:key a
	Join(ctx context.Context, a, b string, opts ...string) (string, string, error)
	//idem:key *req.ID
	//idem:scope tenant
	Put(ctx context.Context, req *Req, tenant string) ([]string, error)
	//idem:key k
	//idem:fingerprint except note
	Note(ctx context.Context, k, note string) error
	//idem:skip
	Plain(a, b string) (string, error)
}
`

// outputMutants are lines of that output, and what stands there instead.
var outputMutants = map[string][2]string{
	"arguments are swapped":             {"w.next.Join(ctx, a, b, opts...)", "w.next.Join(ctx, b, a, opts...)"},
	"variadic arguments are dropped":    {"w.next.Join(ctx, a, b, opts...)", "w.next.Join(ctx, a, b)"},
	"none becomes empty":                {"w.next.Join(ctx, a, b, opts...)", "w.next.Join(ctx, a, b, append([]string{}, opts...)...)"},
	"an argument is not compared":       {`f.Add("b", b)`, `_ = b`},
	"variadic arguments are not":        {`f.Add("opts", opts)`, `_ = opts`},
	"what is excepted is compared":      {`f.Add("k", k) }`, `f.Add("k", k); f.Add("note", note) }`},
	"the key is another argument":       {"Key: idem.StringKey(a)", "Key: idem.StringKey(b[:1])"},
	"the key is constant":               {"Key:  idem.StringKey(k)", `Key:  idem.StringKey("k")`},
	"a nil pointer is not looked for":   {"if req != nil && req.ID != nil {", "if true {"},
	"the scope is left out":             {"Scope: idem.StringKey(tenant)", "Scope: idem.Key{}"},
	"a result is dropped":               {"res.R1, res.R2, err = w", "res.R1, _, err = w"},
	"results are swapped":               {"return res.R1, res.R2, err", "return res.R2, res.R1, err"},
	"the method's error is swallowed":   {"return idem.Void{}, w.next.Note(ctx, k, note)", "return idem.Void{}, func(error) error { return nil }(w.next.Note(ctx, k, note))"},
	"the method gets the caller's ctx":  {"func(ctx context.Context) ([]string, error)", "func(context.Context) ([]string, error)"},
	"the method runs beside the engine": {"_, err := idem.Do(", "_ = w.next.Note(ctx, k, note); _, err := idem.Do("},
	"a forwarded call is not":           {"return w.next.Plain(a, b)", "return w.next.Plain(b, a)"},
}

func TestReplayNoticesMutants(t *testing.T) {
	c := loadCorpus(t)
	sound := filepath.Join(c.root, "mutants", "sound")
	writeFile(t, filepath.Join(sound, "sound.go"), mutatedSource)
	r := c.run(t, ".", Options{Patterns: []string{"./mutants/sound"}, Write: true})
	if r.Files = withoutLock(r.Files); len(r.Files) != 1 || len(r.Diagnostics) > 0 {
		t.Fatal(r.Diagnostics)
	}
	loaded, err := packages.Load(replayConfig(c), "./mutants/sound")
	if err != nil {
		t.Fatal(err)
	}
	program := strings.ReplaceAll(newReplayBuilder(loaded[0]).file(t, false), "ZZReplay", "TestReplay")
	writeFile(t, filepath.Join(sound, "zz_test.go"), program)
	folders := map[string]string{}
	text := string(r.Files[0].Content)
	for name, change := range outputMutants {
		if strings.Count(text, change[0]) != 1 {
			t.Fatalf("%s: %q is in the output %d times:\n%s", name, change[0], strings.Count(text, change[0]), text)
		}
		folder := strings.NewReplacer(" ", "-", "'", "").Replace(name)
		folders["example.com/cases/mutants/"+folder] = name
		dir := filepath.Join(c.root, "mutants", folder)
		writeFile(t, filepath.Join(dir, "sound.go"), mutatedSource)
		writeFile(t, filepath.Join(dir, "idem_gen.go"), strings.Replace(text, change[0], change[1], 1))
		writeFile(t, filepath.Join(dir, "zz_test.go"), program)
	}
	out, _ := c.goTool("test", "-vet=off", "-count=1", "./mutants/...")
	if !strings.Contains(out, "ok  \texample.com/cases/mutants/sound\t") {
		t.Fatalf("without a mutant:\n%s", out)
	}
	for path, name := range folders {
		switch {
		case strings.Contains(out, "FAIL\t"+path+" [build failed]"):
			t.Errorf("%s: it does not compile:\n%s", name, out)
		case !strings.Contains(out, "FAIL\t"+path+"\t"):
			t.Errorf("nobody notices that %s", name)
		}
	}
}
