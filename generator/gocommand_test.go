package generator

import (
	"strings"
	"testing"
)

// What keeps the go command from its work is said in words for people, by all loaders; and where it works without modules, no folder
// of this machine gets into the name of an operation.
func TestGoCommand_WhatStopsItIsSaid(t *testing.T) {
	for name, c := range map[string]struct{ variable, value, want string }{
		"missing":   {"PATH", "", "there is no go command in PATH; install Go"},
		"modules":   {"GO111MODULE", "off", "works without modules (GO111MODULE=off)"},
		"flags":     {"GOFLAGS", "-nonsense", "the go command failed (go: parsing $GOFLAGS: unknown flag -nonsense); mend that first"},
		"workspace": {"GOWORK", "/nowhere/go.work", "the go command failed (go: "},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, "go.mod: module m\n\ngo 1.26\n", "pay/pay.go: package pay"+importContext+keyed("Payments"))
			t.Setenv(c.variable, c.value)
			for _, load := range []Load{LoadLean, LoadSource, LoadWhole} {
				r, err := Run(t.Context(), Options{Dir: root, Patterns: []string{"./..."}, Load: load})
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%q: %v, error %v", load, r, err)
				}
			}
		})
	}
}

func TestGoCommand_AFolderOutsideOfModules(t *testing.T) {
	t.Parallel()
	root := tree(t, "shop/go.mod: module m\n\ngo 1.26\n", "shop/pay.go: package pay"+importContext+keyed("Payments"))
	if _, err := Run(t.Context(), Options{Dir: root, Patterns: []string{"./shop"}}); err == nil || !strings.Contains(err.Error(), "name the module's folder with -C") {
		t.Error(err)
	}
}
