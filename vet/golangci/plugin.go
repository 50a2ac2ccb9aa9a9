// Package golangci lets golangci-lint run idemgen's analyzer, by its module plugin system. docs/vet.md says how to set it up.
package golangci

import (
	"errors"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/vet"
)

// init is how a plugin makes itself known: it is imported for that alone.
func init() { register.Plugin(vet.Analyzer.Name, newPlugin) }

// plugin is the analyzer in golangci-lint's terms.
type plugin struct{}

// newPlugin refuses settings: there are none, and what is written there would have no effect.
func newPlugin(settings any) (register.LinterPlugin, error) {
	if m, ok := settings.(map[string]any); settings != nil && (!ok || len(m) > 0) {
		return nil, errors.New("idemgen takes no settings")
	}
	return plugin{}, nil
}

// BuildAnalyzers returns the analyzer. It doesn't fail.
func (plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{vet.Analyzer}, nil
}

// GetLoadMode asks for types, which the analyzer goes by.
func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
