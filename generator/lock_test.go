package generator

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// This file takes modules through changes, and looks at what becomes of idem.lock.

// lockModule is a module with two packages; edits are pairs of what is replaced in the first one's source.
func lockModule(t *testing.T) (root string, step func(o Options, edits ...string) (said []string, lockText string)) {
	t.Helper()
	source := `package pay

import "context"

// Receipt proves it.
type Receipt struct {
	ID    string
	Cents int32
}

//idem:wrap
type Payments interface {
	//idem:key id
	Charge(ctx context.Context, id string, cents int64) (Receipt, error)

	//idem:key id
	Void(ctx context.Context, id string) error
}
`
	root = tree(t, "go.mod: module m\n\ngo 1.26\n", "pay/pay.go: "+source,
		"ship/ship.go: package ship"+importContext+keyed("Ships"), "ship/a_plan9.go: package ship"+importContext+keyed("Others"))
	return root, func(o Options, edits ...string) ([]string, string) {
		t.Helper()
		text := strings.NewReplacer(edits...).Replace(source)
		if err := os.WriteFile(filepath.Join(root, "pay/pay.go"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if o.Patterns == nil {
			o.Patterns = []string{"./..."}
		}
		o.Write = true
		_, said, r := outcome(t, root, o)
		for _, d := range r.Diagnostics {
			t.Log(d)
		}
		for _, n := range r.Notes {
			t.Log("note: " + n)
		}
		locked, err := os.ReadFile(filepath.Join(root, "idem.lock"))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return said, string(locked)
	}
}

// Each change is made to a module whose first state is recorded: what is said of it, and what the file holds then.
func TestLock_Changes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edits []string
		said  string
		has   string // what the file holds after a change that is not refused
		after string // and after it was accepted
	}{
		"nothing":                          {nil, "", "result.Cents int32", ""},
		"a field is added":                 {[]string{"ID    string", "ID string; At int"}, "", "result.At int", ""},
		"a number gets wider":              {[]string{"Cents int32", "Cents int64"}, "", "result.Cents int64", ""},
		"a number gets narrower":           {[]string{"Cents int32", "Cents int16"}, "IDEM081", "", "result.Cents int16"},
		"a field is renamed":               {[]string{"Cents int32", "Amount int32"}, "IDEM081", "", "result.Amount int32"},
		"a result is gone":                 {[]string{"(Receipt, error)", "error"}, "IDEM081", "", "codec void"},
		"the key is another":               {[]string{"key id\n\tCharge", "key cents\n\tCharge"}, "IDEM082", "", "key $cents int"},
		"a scope comes":                    {[]string{"key id\n\tCharge", "key id\n\t//idem:scope id\n\tCharge"}, "IDEM082", "", "scope $id string"},
		"the operation is renamed":         {[]string{"key id\n\tCharge", "key id\n\t//idem:op pay.charge\n\tCharge"}, "IDEM082", "", "operation pay.charge"},
		"the method is renamed":            {[]string{"Void(", "Cancel("}, "IDEM082", "", "operation m/pay.Payments.Cancel"},
		"the interface is renamed":         {[]string{"type Payments", "type Moneys"}, "IDEM082", "", "operation m/pay.Moneys.Void"},
		"the wrapper has a type parameter": {[]string{"type Payments", "type Payments[T any]"}, "IDEM082", "", "operation m/pay.Payments[_].Void"},
		"a parameter is renamed":           {[]string{"cents int64", "amount int64"}, "IDEM083", "", "argument amount int"},
		"a parameter is added":             {[]string{"cents int64", "cents int64, currency string"}, "", "argument currency string", ""},
		"a parameter gets narrower":        {[]string{"cents int64", "cents int32"}, "", "argument cents int", ""},
		"an argument counts no more":       {[]string{"key id\n\tCharge", "key id\n\t//idem:fingerprint except cents\n\tCharge"}, "IDEM083", "", "argument id string"},
		"a key is taken away":              {[]string{"key id\n\tVoid", "skip\n\tVoid"}, "IDEM084", "", "operation m/pay.Payments.Charge"},
		"the ttl changes":                  {[]string{"key id\n\tCharge", "key id\n\t//idem:ttl 90m\n\tCharge"}, "", "ttl 1h30m", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, step := lockModule(t)
			if said, text := step(Options{}); len(said) > 0 || !strings.Contains(text, "result.Cents int32") {
				t.Fatalf("at first: %v\n%s", said, text)
			}
			_, before := step(Options{})
			said, text := step(Options{}, c.edits...)
			var codes []string
			for _, s := range said {
				codes = append(codes, s[strings.LastIndexByte(s, ' ')+1:])
			}
			slices.Sort(codes)
			if strings.Join(slices.Compact(codes), " ") != c.said {
				t.Errorf("said %v, want %s", said, c.said)
			}
			if c.said != "" {
				if text != before {
					t.Errorf("the file has changed though it was refused:\n%s", text)
				}
				if said, text = step(Options{Accept: true}, c.edits...); len(said) > 0 {
					t.Errorf("after it was accepted: %v", said)
				}
				if strings.Contains(text, "\treads ") {
					t.Errorf("what can't be read is read:\n%s", text)
				}
				c.has = c.after
			}
			if !strings.Contains(text, c.has+"\n") {
				t.Errorf("no %q in\n%s", c.has, text)
			}
			if said, again := step(Options{}, c.edits...); len(said) > 0 || again != text {
				t.Errorf("a run later: %v\n%s", said, again)
			}
		})
	}
}

func TestLock_AMethodThatIsGoneStaysRecordedUntilThatIsAccepted(t *testing.T) {
	t.Parallel()
	root, step := lockModule(t)
	_, before := step(Options{})
	gone := []string{"\t//idem:key id\n\tVoid(ctx context.Context, id string) error\n", ""}
	if said, text := step(Options{}, gone...); !slices.Equal(said, []string{"idem.lock:19:1 IDEM084"}) || text != before {
		t.Errorf("%v\n%s", said, text)
	}
	if said, text := step(Options{Accept: true}, gone...); len(said) > 0 || strings.Contains(text, "Void") {
		t.Errorf("%v\n%s", said, text)
	}
	// So does a package, for a run that would find it.
	if err := os.RemoveAll(filepath.Join(root, "ship")); err != nil {
		t.Fatal(err)
	}
	if said, text := step(Options{Patterns: []string{"./pay"}}, gone...); len(said) > 0 || !strings.Contains(text, "m/ship.Ships.Do") {
		t.Errorf("a run over another package: %v\n%s", said, text)
	}
	if said, _ := step(Options{}, gone...); len(said) != 1 || !strings.HasSuffix(said[0], "IDEM084") {
		t.Errorf("a run over all: %v", said)
	}
	if said, text := step(Options{Accept: true}, gone...); len(said) > 0 || strings.Contains(text, "ship") {
		t.Errorf("%v\n%s", said, text)
	}
}

func TestLock_APackageThatBecomesAModuleIsGone(t *testing.T) {
	t.Parallel()
	root, step := lockModule(t)
	step(Options{})
	if err := os.WriteFile(filepath.Join(root, "ship/go.mod"), []byte("module m/ship\n\ngo 1.26\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, _ := step(Options{}); len(said) != 1 || !strings.HasSuffix(said[0], "IDEM084") {
		t.Errorf("%v", said)
	}
}

// Only what is written is accepted: not what a run without writing says, and not beside other mistakes.
func TestLock_OnlyWhatIsWrittenIsCalledAccepted(t *testing.T) {
	t.Parallel()
	root, step := lockModule(t)
	step(Options{})
	path := filepath.Join(root, "pay/pay.go")
	source := textOf(t, path)
	for _, c := range []struct {
		from, to string
		write    bool
		want     string
	}{
		{"Cents int32", "Amount int32", false, "-accept would accept: outcomes of"},
		{"Void(", "// idem:kee x\n\tVoid(", true, ""},
		{"Void(", "Void(", true, "accepted: outcomes of"},
	} {
		text := strings.Replace(strings.Replace(source, "Cents int32", "Amount int32", 1), c.from, c.to, 1)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Run(t.Context(), Options{Dir: root, Patterns: []string{"./..."}, Accept: true, Write: c.write})
		if err != nil {
			t.Fatal(err)
		}
		var said string
		for _, n := range r.Notes {
			if strings.Contains(n, "accept") {
				said += n
			}
		}
		if c.want == "" && said != "" || !strings.HasPrefix(said, c.want) {
			t.Errorf("%q is called %q, and should be %q; %v", c.to, said, c.want, r.Diagnostics)
		}
	}
}

func TestLock_AnOperationOfAPackageOutOfSightIsNotTakenOver(t *testing.T) {
	t.Parallel()
	_, step := lockModule(t)
	_, before := step(Options{})
	taken := []string{"key id\n\tVoid", "key id\n\t//idem:op m/ship.Ships.Do\n\tVoid"}
	for _, accept := range []bool{false, true} {
		said, text := step(Options{Patterns: []string{"./pay"}, Accept: accept}, taken...)
		if len(said) != 1 || !strings.HasSuffix(said[0], "IDEM085") || text != before {
			t.Errorf("accepted: %t, said %v\n%s", accept, said, text)
		}
	}
}

func TestLock_AMethodWithOtherArgumentsIsNotTheSameByAnotherName(t *testing.T) {
	t.Parallel()
	_, step := lockModule(t)
	step(Options{})
	said, text := step(Options{}, "Charge(ctx context.Context, id string, cents int64)", "Pay(ctx context.Context, id, cents string)")
	if len(said) != 1 || !strings.HasSuffix(said[0], "IDEM084") || !strings.Contains(text, "Payments.Pay") || !strings.Contains(text, "Payments.Charge") {
		t.Errorf("%v\n%s", said, text)
	}
}

func TestLock_ARunSpeaksForItsOwnPackagesAndBuild(t *testing.T) {
	t.Parallel()
	root, step := lockModule(t)
	if said, text := step(Options{Patterns: []string{"./ship"}}); len(said) > 0 || strings.Contains(text, "pay") || !strings.Contains(text, "m/ship.Ships.Do") {
		t.Errorf("one package: %v\n%s", said, text)
	}
	if _, text := step(Options{Patterns: []string{"./pay"}}); !strings.Contains(text, "m/ship.Ships.Do") || !strings.Contains(text, "Charge") {
		t.Errorf("and then the other:\n%s", text)
	}
	// What another system's build has recorded stays.
	path := filepath.Join(root, "idem.lock")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := strings.ReplaceAll(string(text[strings.Index(string(text), "operation m/ship"):]), "Ships", "Others")
	if err := os.WriteFile(path, append(append(text, '\n'), other...), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, text := step(Options{}); len(said) > 0 || !strings.Contains(text, "m/ship.Others.Do") {
		t.Errorf("%v\n%s", said, text)
	}
	if err := os.Remove(filepath.Join(root, "ship/a_plan9.go")); err != nil {
		t.Fatal(err)
	}
	if said, _ := step(Options{}); len(said) != 1 || !strings.HasSuffix(said[0], "IDEM084") {
		t.Errorf("when the file is gone: %v", said)
	}
}

func TestLock_AFileThatCannotBeReadKeepsTheModuleFromBeingWritten(t *testing.T) {
	t.Parallel()
	root, step := lockModule(t)
	path := filepath.Join(root, "idem.lock")
	const newer = "version 2\n"
	if err := os.WriteFile(path, []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, text := step(Options{Accept: true}); !slices.Equal(said, []string{"idem.lock:1:9 IDEM080"}) || text != newer {
		t.Errorf("%v\n%s", said, text)
	}
	if _, err := os.Stat(filepath.Join(root, "pay/idem_gen.go")); err == nil {
		t.Error("an output was written")
	}
}

func TestLock_KeepsTheLineEndsOfWindows(t *testing.T) {
	t.Parallel()
	root, step := lockModule(t)
	_, text := step(Options{})
	text = strings.ReplaceAll(text, "\n", "\r\n")
	if err := os.WriteFile(filepath.Join(root, "idem.lock"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, again := step(Options{}); len(said) > 0 || again != text {
		t.Errorf("%v\n%q", said, again)
	}
}

// What was left out of stored rows where it was zero stays so in these, whatever becomes of its tag: as a pointer it would be nil.
func TestLock_RemembersWhatWasLeftOut(t *testing.T) {
	t.Parallel()
	_, step := lockModule(t)
	for _, c := range []struct{ field, said, has string }{
		{"Cents int32 `json:\",omitempty\"`", "", "result.Cents int32 omitted"},
		{"Cents int32", "", "result.Cents int32 omitted"},
		{"Cents int64", "", "result.Cents int64 omitted"},
		{"Cents *int64", "IDEM081", "result.Cents int64 omitted"},
	} {
		said, text := step(Options{}, "Cents int32", c.field)
		if strings.Join(said, "") != c.said && !strings.HasSuffix(strings.Join(said, ""), " "+c.said) || !strings.Contains(text, c.has+"\n") {
			t.Errorf("%s: said %v, in\n%s", c.field, said, text)
		}
	}
	if said, text := step(Options{Accept: true}, "Cents int32", "Cents *int64"); len(said) > 0 || !strings.Contains(text, "result.Cents ?int64\n") {
		t.Errorf("%v\n%s", said, text)
	}
}

// A to B adds a field, B to C renames one: rows of A are read as B's, by the same function.
func TestLock_UpcastsTakeOverWhatTheirShapeRead(t *testing.T) {
	t.Parallel()
	root, step := lockModule(t)
	_, a := step(Options{})
	hash := func(text string) string {
		_, rest, _ := strings.Cut(text, "\tshape ")
		return rest[:16]
	}
	added := []string{"ID    string", "ID string; Note string"}
	_, b := step(Options{}, added...)
	if !strings.Contains(b, "\treads "+hash(a)+"\n") {
		t.Fatalf("the older shape is not read:\n%s", b)
	}
	renamed := func(notes string) []string {
		return []string{
			"ID    string", "ID string; Note string", "Cents int32", "Amount int32", "key id\n\tCharge", "key id\n\t" + notes + "\n\tCharge",
			"//idem:wrap", "type old struct { ID, Note string; Cents int32 }\n\nfunc upcast(o old) Receipt { return Receipt{ID: o.ID, Note: o.Note, Amount: o.Cents} }\n\n//idem:wrap",
		}
	}
	upcast := renamed("//idem:upcast " + hash(b) + " upcast")
	said, c := step(Options{}, upcast...)
	if len(said) > 0 || !strings.Contains(c, "\tupcast "+hash(b)+" reads "+hash(a)+"\n") || !strings.Contains(c, "\tupcast "+hash(b)+".Cents int32\n") || strings.Contains(c, "\treads ") {
		t.Fatalf("%v\n%s", said, c)
	}
	output, err := os.ReadFile(filepath.Join(root, "pay/idem_gen.go"))
	if want := `idem.UpcastFrom(upcast, "` + hash(b) + `", "` + hash(a) + `")`; err != nil || !strings.Contains(string(output), want) {
		t.Errorf("no %s in\n%s", want, output)
	}
	if said, again := step(Options{}, upcast...); len(said) > 0 || again != c {
		t.Errorf("a run later: %v\n%s", said, again)
	}
	// A shape with a function of its own is read by that.
	both := slices.Clone(upcast)
	both[5] = "key id\n\t//idem:upcast " + hash(a) + " first\n\t//idem:upcast " + hash(b) + " upcast\n\tCharge"
	both[7] = "type older struct { ID string; Cents int32 }\n\nfunc first(o older) Receipt { return Receipt{ID: o.ID, Amount: o.Cents} }\n\n" + both[7]
	if said, text := step(Options{}, both...); len(said) > 0 || strings.Contains(text, " reads ") || !strings.Contains(text, "\tupcast "+hash(a)+" {}\n") {
		t.Errorf("with a function for each: %v\n%s", said, text)
	}
	// Without its line, what it read is lost.
	without := renamed("//idem:ttl 24h")
	if said, _ := step(Options{}, without...); len(said) != 1 || !strings.HasSuffix(said[0], "IDEM081") {
		t.Errorf("without the upcast: %v", said)
	}
	if said, text := step(Options{Accept: true}, without...); len(said) > 0 || strings.Contains(text, "upcast") {
		t.Errorf("%v\n%s", said, text)
	}
}

// The hash of a shape is the same for integers of all widths, and for an upcast that is not enough.
func TestLock_AnUpcastHasRoomForWhatWasStored(t *testing.T) {
	t.Parallel()
	_, step := lockModule(t)
	_, was := step(Options{})
	_, rest, _ := strings.Cut(was, "\tshape ")
	for cents, fits := range map[string]bool{"int16": false, "uint32": false, "int32": true, "int64": true} {
		said, text := step(Options{}, "Cents int32", "Price string", "key id\n\tCharge", "key id\n\t//idem:upcast "+rest[:16]+" upcast\n\tCharge",
			"//idem:wrap", "type old struct { ID string; Cents "+cents+" }\n\nfunc upcast(o old) Receipt { return Receipt{ID: o.ID} }\n\n//idem:wrap")
		switch {
		case fits && (len(said) > 0 || !strings.Contains(text, "\tupcast "+rest[:16]+".Cents "+cents+"\n")):
			t.Errorf("%s: %v\n%s", cents, said, text)
		case !fits && (text != was || len(said) != 1 || !strings.HasSuffix(said[0], "IDEM086")):
			t.Errorf("%s: %v\n%s", cents, said, text)
		}
		step(Options{Accept: true})
	}
}
