package generator

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// nextStep is how the last part of a diagnostic begins: with what to do.
var nextStep = regexp.MustCompile("(?:; |: )(?:(?:where that can't be annotated|for example), )?(?:did you mean |" +
	"(?:add|annotate|call|change|choose|close|correct|declare|delete|export|forward|give|hand|have|implement|import|instantiate|keep|leave|look|make|mend|move|name|pass|put|rename|" +
	"return|run|say|separate|split|store|take|use|wrap|write)(?: |`|$))[^;]*$")

// Every diagnostic ends with the one next step: after a semicolon (or a colon), what to do.
func TestDiagnosticsEndWithTheNextStep(t *testing.T) {
	t.Parallel()
	var paths []string
	for _, pattern := range []string{"../golden/*.txtar", "examples/*.txtar"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal("no files in ", pattern)
		}
		paths = append(paths, found...)
	}
	line := regexp.MustCompile(`(?m)^\S+:\d+:\d+: (?:error|warning): (.*) \[(IDEM\d{3})\]$`)
	seen := map[string]bool{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range line.FindAllStringSubmatch(string(text), -1) {
			if !nextStep.MatchString(m[1]) && !seen[m[1]] {
				seen[m[1]] = true
				t.Errorf("%s: it does not end with what to do, as in \"…; write `//idem:key EXPR`\": %s [%s]", filepath.Base(path), m[1], m[2])
			}
		}
	}
}

func TestDurationHints(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"7d": "168h", "1w": "168h", "1.5d": "36h", "2days": "48h", "1d12h": "36h", "1d30m": "24h30m", "5min": "5m", "10sec": "10s", "2hours": "2h",
		"15S": "15s", "1H30M": "1h30m", "90seconds": "1m30s",
		"soon": "one as in 500ms, 15s, 1h30m", "5y": "one as in 500ms, 15s, 1h30m", "99999999w": "one as in 500ms, 15s, 1h30m", "-5d": "one as in 500ms, 15s, 1h30m",
		"0d": "one as in 500ms, 15s, 1h30m",
	} {
		hint := durationHint(text)
		if !strings.HasSuffix(hint, "; write "+want) {
			t.Errorf("%s: %s, want %s", text, hint, want)
		}
		if _, got, _ := strings.Cut(hint, "; write "); got == want && !strings.HasPrefix(want, "one") {
			if _, err := time.ParseDuration(want); err != nil {
				t.Error(err)
			}
		}
	}
}
