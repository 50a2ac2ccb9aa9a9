package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator"
)

// The lines of -json in full: programs read them.
func TestJSONLines(t *testing.T) {
	t.Parallel()
	broken := strings.Replace(source, "idem:key k", "idem:key missing", 1)
	noted := strings.NewReplacer("idem:takeover rerun", "idem:policy poll 5s").Replace(source)
	files := func(state string) []string {
		return []string{
			`{"version":1,"kind":"file","file":"idem.lock","state":"` + state + `"}`,
			`{"version":1,"kind":"file","file":"pay/idem_gen.go","state":"` + state + `"}`,
		}
	}
	for name, c := range map[string]struct {
		text, args string
		written    bool // run without -json before
		code       int
		want       []string
	}{
		"a diagnostic": {
			text: broken, args: "./...", code: exitFail,
			want: []string{"{\"version\":1,\"kind\":\"diagnostic\",\"file\":\"pay/pay.go\",\"line\":9,\"col\":13,\"severity\":\"error\",\"code\":\"IDEM031\",\"text\":\"undefined: `missing`;*"},
		},
		"a file that is written": {
			text: source, args: "./...",
			want: files("written"),
		},
		"a file that is there": {
			text: source, args: "./...", written: true,
			want: files("current"),
		},
		"a file that is missing": {
			text: source, args: "-check ./...", code: exitFail,
			want: files("outdated"),
		},
		"a list": {
			text: source, args: "-n ./...",
			want: files("outdated"),
		},
		"notes": {
			text: noted, args: "-check ./...", written: true,
			want: append([]string{`{"version":1,"kind":"note","text":"*`, `{"version":1,"kind":"note","text":"*`}, files("current")...),
		},
		"a warning that -check takes for a failure": {
			text: "package pay\n", args: "-check ./...", code: exitFail, written: true,
			want: []string{
				`{"version":1,"kind":"diagnostic","file":"idem.lock","line":5,"col":1,"severity":"warning","code":"IDEM084","text":"*`,
				`{"version":1,"kind":"diagnostic","file":"pay/idem_gen.go","line":1,"col":1,"severity":"warning","code":"IDEM073","text":"*`,
				files("current")[0],
			},
		},
		"a failure": {
			text: source, args: "./nowhere", code: exitFail,
			want: []string{`{"version":1,"kind":"failure","text":"there is no folder ./nowhere; name one that is there*`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := module(t, source)
			path := filepath.Join(dir, "pay", "pay.go")
			if c.written {
				if strings.Contains(c.text, "//idem:") {
					put(t, dir, generator.ExampleFile{Path: "pay/pay.go", Text: c.text})
				}
				if code, _, stderr := idemgen(t, dir, "./..."); code != exitDone {
					t.Fatal(stderr)
				}
			}
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			code, stdout, stderr := idemgen(t, dir, append([]string{"-json"}, strings.Fields(c.args)...)...)
			if code != c.code || stderr != "" {
				t.Errorf("exit %d, stderr %q", code, stderr)
			}
			lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
			same := slices.EqualFunc(lines, c.want, func(line, want string) bool {
				head, open := strings.CutSuffix(want, "*")
				return line == want || open && strings.HasPrefix(line, head) && strings.HasSuffix(line, "\"}")
			})
			if !same {
				t.Errorf("the lines are\n%s\nwant\n%s", stdout, strings.Join(c.want, "\n"))
			}
		})
	}
}

// The page and the schema know all fields, and no others.
func TestJSONIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../docs/json.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties map[string]struct {
			Enum    []string
			Pattern string
		}
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	form := reflect.TypeFor[message]()
	for i := range form.NumField() {
		name, _, _ := strings.Cut(form.Field(i).Tag.Get("json"), ",")
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/json.md does not explain %s", name)
		}
		if _, ok := schema.Properties[name]; !ok {
			t.Errorf("docs/json.schema.json has no %s", name)
		}
		delete(schema.Properties, name)
	}
	for name := range schema.Properties {
		t.Errorf("docs/json.schema.json has %s, and no line does", name)
	}
	for _, line := range regexp.MustCompile("(?m)^\\{\"version\".*$").FindAllString(string(page), -1) {
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&message{}); err != nil {
			t.Errorf("docs/json.md: %v in %s", err, line)
		}
	}
}
