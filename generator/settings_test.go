package generator

import (
	"go/token"
	"math"
	"strings"
	"testing"
	"time"
)

func TestSettingsAreRead(t *testing.T) {
	t.Parallel()
	minute, second := time.Minute, time.Second
	for text, check := range map[string]func(settings) bool{
		"policy poll":                    func(s settings) bool { return *s.Policy == "poll" && s.MaxWait == nil },
		"policy \t poll  1m":             func(s settings) bool { return *s.Policy == "poll" && *s.MaxWait == minute },
		"policy conflict":                func(s settings) bool { return *s.Policy == "conflict" && s.MaxWait == nil },
		"stale 1s":                       func(s settings) bool { return *s.Lease == second && !s.NoRenew },
		"stale 100ms norenew":            func(s settings) bool { return *s.Lease == second/10 && s.NoRenew },
		"stale 1h30m":                    func(s settings) bool { return *s.Lease == 90*minute },
		"ttl 1m":                         func(s settings) bool { return *s.TTL == minute },
		"ttl forever":                    func(s settings) bool { return *s.TTL == math.MaxInt64 },
		"takeover rerun":                 func(s settings) bool { return *s.Takeover == "rerun" && s.MaxAttempts == nil },
		"takeover hold maxattempts 3":    func(s settings) bool { return *s.Takeover == "hold" && *s.MaxAttempts == 3 },
		"takeover rerun  maxattempts  1": func(s settings) bool { return *s.Takeover == "rerun" && *s.MaxAttempts == 1 },
	} {
		n, _ := parseAnnotation(prefix+text, token.Position{Line: 1, Column: 1})
		var s settings
		if wrong := s.set(n); wrong != nil || !check(s) {
			t.Errorf("%s: %+v, %+v", text, s, wrong)
		}
	}
}

func TestBadSettingsAreRefusedAtTheValue(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{ // what is at the place, and what is said
		"policy wait":                           "wait|unknown policy",
		"policy poll 20":                        "20|no unit",
		"policy poll 0s":                        "0s|must be positive",
		"policy poll 20s more":                  "more|unexpected",
		"policy conflict 5s":                    "5s|unexpected",
		"policy poll,conflict":                  "poll,conflict|unknown policy",
		"stale 30":                              "30|no unit",
		"stale -5s":                             "-5s|must be positive",
		"stale 0s":                              "0s|must be positive",
		"stale 0.1ns":                           "0.1ns|must be positive",
		"stale 99ms":                            "99ms|too short",
		"stale 999999999h":                      "999999999h|out of range",
		"stale soon":                            "soon|not a duration",
		"stale 5s renew":                        "renew|unexpected",
		"stale 5s norenew 3":                    "3|unexpected",
		"ttl never":                             "never|not a duration",
		"ttl forever and ever":                  "and|unexpected",
		"ttl 1m // a minute":                    "//|unexpected",
		"takeover recover":                      "recover|needs the name",
		"takeover recover maxattempts 3":        "recover|needs the name",
		"takeover recover x.Find":               "x.Find|the name alone",
		"takeover recover Find()":               "Find()|the name alone",
		"takeover recover Find again":           "again|unexpected",
		"takeover recover Find maxattempts":     "maxattempts|needs a number",
		"takeover hold maxattempts -1":          "-1|not a number of attempts",
		"takeover rerun maxattempts 2147483648": "2147483648|out of range",
		"takeover rerun maxattempts 99999999999999999999":  "99999999999999999999|out of range",
		"takeover rerun maxattempts -99999999999999999999": "-99999999999999999999|not a number",
		"tx mine":                        "mine|unknown transaction mode",
		"tx own join":                    "join|unexpected",
		"tx join // theirs":              "//|unexpected",
		"takeover again":                 "again|unknown takeover policy",
		"takeover rerun attempts 3":      "attempts|unexpected",
		"takeover rerun maxattempts":     "maxattempts|needs a number",
		"takeover rerun maxattempts 0":   "0|not a number of attempts",
		"takeover rerun maxattempts 2.5": "2.5|not a number of attempts",
		"takeover rerun maxattempts 2 3": "3|unexpected",
	} {
		n, _ := parseAnnotation(prefix+text, token.Position{Line: 1, Column: 1})
		var s settings
		wrong := s.set(n)
		at, says, _ := strings.Cut(want, "|")
		if wrong == nil {
			t.Errorf("%s was not refused", text)
			continue
		}
		if rest := (prefix + text)[wrong.at.Column-1:]; !strings.HasPrefix(rest, at) || !strings.Contains(wrong.text, says) {
			t.Errorf("%s: %q at %q; want %q at %q", text, wrong.text, rest, says, at)
		}
	}
}
