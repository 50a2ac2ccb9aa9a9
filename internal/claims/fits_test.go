package claims

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/shape"
)

type receipt struct {
	ID    string            `json:"id"`
	Cents int32             `json:"cents"`
	Big   uint8             `json:"big,omitempty"`
	Rate  float64           `json:"rate,omitempty"`
	Paid  *bool             `json:"paid,omitempty"`
	At    time.Time         `json:"at,omitzero"`
	Lines []line            `json:"lines,omitempty"`
	Pair  [2]int            `json:"pair,omitzero"`
	Names map[string]string `json:"names,omitempty"`
	ByNo  map[int]bool      `json:"by_no,omitempty"`
	Raw   []byte            `json:"raw,omitempty"`
	Text  int64             `json:"text,string,omitempty"`
	Next  *receipt          `json:"next,omitempty"`
}

type line struct {
	SKU string `json:"sku"`
}

// tried is json as a person may give it, and what is said of it; empty: it fits.
var tried = map[string]string{
	`{"id":"a","cents":1}`: "",
	`{"id":"a","cents":-2147483648,"big":255,"rate":1e2,"paid":null,"at":"2026-01-02T03:04:05Z","lines":[{"sku":"x"}],"pair":[1,2],` +
		`"names":{"a":"b"},"by_no":{"-1":true},"raw":"AAE=","text":"12","next":{"id":"b","cents":2,"next":null}}`: "",
	`{"id":"a","cents":1,"lines":null,"names":null,"raw":null}`: "",

	`{"id":"a"}`:                                     "result.cents is missing",
	`{"id":"a","cents":1,"total":2}`:                 "a field that the type does not have",
	`{"ID":"a","cents":1}`:                           "a field that the type does not have",
	`{"id":"a","id":"b","cents":1}`:                  "result.id is there twice",
	`{"id":1,"cents":1}`:                             "at result.id there must be a string",
	`{"id":null,"cents":1}`:                          "at result.id there must be a string",
	`{"id":"a","cents":1.5}`:                         "at result.cents there must be a whole number",
	`{"id":"a","cents":"1"}`:                         "at result.cents there must be a whole number",
	`{"id":"a","cents":2147483648}`:                  "at result.cents there must be a whole number",
	`{"id":"a","cents":1,"big":256}`:                 "at result.big",
	`{"id":"a","cents":1,"big":-1}`:                  "at result.big",
	`{"id":"a","cents":1,"rate":1e999}`:              "at result.rate",
	`{"id":"a","cents":1,"paid":"yes"}`:              "at result.paid there must be true or false",
	`{"id":"a","cents":1,"at":"yesterday"}`:          "at result.at there must be a time",
	`{"id":"a","cents":1,"lines":[{"sku":1}]}`:       "at result.lines[0].sku there must be a string",
	`{"id":"a","cents":1,"lines":{}}`:                "at result.lines there must be a list",
	`{"id":"a","cents":1,"pair":[1]}`:                "at result.pair there must be a list of 2",
	`{"id":"a","cents":1,"names":{"secret-name":1}}`: "at result.names[…] there must be a string",
	`{"id":"a","cents":1,"names":{"a":"b","a":"c"}}`: "a name is there twice",
	`{"id":"a","cents":1,"by_no":{"x":true}}`:        "at result.by_no there must be names that are of type int",
	`{"id":"a","cents":1,"raw":"~"}`:                 "at result.raw there must be a string in base64",
	`{"id":"a","cents":1,"text":12}`:                 "at result.text there must be a string that holds a int64",
	`{"id":"a","cents":1,"next":{"id":"b"}}`:         "result.next.cents is missing",
	`{"id":"a","cents":1} {}`:                        "more than one value",
	`{"id":"a","cents":1,"text":" 12"}`:              "at result.text there must be a string",
	"{\"id\":\"a\xff\",\"cents\":1}":                 "not valid UTF-8",
	`[]`:                                             "at result there must be an object",
	`null`:                                           "at result there must be an object",
	`{"id":"a"`:                                      "",
}

// TestWhatFitsIsReadByThePrograms holds the check to the codec: what it lets pass is read, and every value comes back as it was given.
func TestWhatFitsIsReadByThePrograms(t *testing.T) {
	t.Parallel()
	layout := shape.LayoutOf(shape.Of(reflect.TypeFor[receipt]()))
	for data, says := range tried {
		err := fits([]byte(data), layout)
		if !json.Valid([]byte(data)) && !strings.Contains(says, "more than") {
			if err == nil {
				t.Errorf("%s is no json, and fits", data)
			}
			continue
		}
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; want %q", data, err, says)
		}
		if err != nil && strings.Contains(err.Error(), "secret-name") {
			t.Errorf("a value is quoted: %v", err)
		}
		read, failed := (idem.JSON[receipt]{}).Decode(idem.Ref{}, []byte(data))
		if err == nil && failed != nil {
			t.Errorf("%s fits, and is not read: %v", data, failed)
		}
		if err == nil {
			if again, err := json.Marshal(read); err != nil || fits(again, layout) != nil {
				t.Errorf("what is stored as %s does not fit: %v", again, err)
			}
		}
	}
}

func FuzzFits(f *testing.F) {
	layout := shape.LayoutOf(shape.Of(reflect.TypeFor[receipt]()))
	for data := range tried {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if fits(data, layout) != nil {
			return
		}
		if _, err := (idem.JSON[receipt]{}).Decode(idem.Ref{}, data); err != nil {
			t.Errorf("%q fits, and is not read: %v", data, err)
		}
	})
}

func TestNamesOfGenericOperations(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a.B.C":                            "a.B.C",
		"a.Box[int].Put":                   "a.Box[_].Put",
		"a.Box[int,map[string]b.X[c,d]].P": "a.Box[_,_].P",
		"a.Box[struct{A int; B,C int}].P":  "a.Box[_].P",
		"a.Box]x[":                         "a.Box]x[",
	} {
		if got := generic(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestTimesArePeoples(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"10m": 10 * time.Minute, "7d": 7 * 24 * time.Hour, "36h": 36 * time.Hour} {
		if d, err := duration(text); err != nil || d != want {
			t.Errorf("%s: %s, %v", text, d, err)
		}
	}
	for _, text := range []string{"d", "-1d", "1.5d", "99999999d", "week"} {
		if d, err := duration(text); err == nil {
			t.Errorf("%s is %s", text, d)
		}
	}
}

// TestTerminalsAreNotTold what somebody put into a scope or an origin for them.
func TestTerminalsAreNotTold(t *testing.T) {
	t.Parallel()
	if got := visible("a\x1b[31mb\u202ec\u0085d\ne"); got != "a?[31mb?c?d?e" {
		t.Errorf("%q", got)
	}
}
