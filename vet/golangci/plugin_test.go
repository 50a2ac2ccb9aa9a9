package golangci

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/vet"
)

// The plugin is found under the name that docs/vet.md tells people to configure, and brings the analyzer.
func TestThePluginIsRegistered(t *testing.T) {
	t.Parallel()
	build, err := register.GetPlugin("idemgen")
	if err != nil {
		t.Fatal(err)
	}
	for _, settings := range []any{nil, map[string]any{}} {
		p, err := build(settings)
		if err != nil {
			t.Fatal(err)
		}
		analyzers, err := p.BuildAnalyzers()
		if err != nil || len(analyzers) != 1 || analyzers[0] != vet.Analyzer {
			t.Errorf("the analyzers are %v, %v", analyzers, err)
		}
		if err := analysis.Validate(analyzers); err != nil {
			t.Error(err)
		}
		if mode := p.GetLoadMode(); mode != register.LoadModeTypesInfo {
			t.Errorf("the load mode is %s: without types nothing is found", mode)
		}
	}
}

func TestSettingsAreRefused(t *testing.T) {
	t.Parallel()
	build, err := register.GetPlugin("idemgen")
	if err != nil {
		t.Fatal(err)
	}
	for _, settings := range []any{map[string]any{"strict": true}, "strict"} {
		if _, err := build(settings); err == nil {
			t.Errorf("settings without effect are accepted: %v", settings)
		}
	}
}
