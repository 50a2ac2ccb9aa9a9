package main

import (
	"reflect"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator"
)

func TestParse(t *testing.T) {
	t.Parallel()
	writes := func(patterns ...string) generator.Options { return generator.Options{Patterns: patterns, Write: true} }
	for line, want := range map[string]command{
		"":                      {options: generator.Options{Write: true, Patterns: []string{}}},
		"./... ./version":       {options: writes("./...", "./version")},
		"example.com/a .":       {options: writes("example.com/a", ".")},
		"-C x -out y -tags z .": {options: generator.Options{Dir: "x", Out: "y", Tags: "z", Patterns: []string{"."}, Write: true}},
		"-check .":              {check: true, options: generator.Options{Patterns: []string{"."}}},
		"-diff -check .":        {diff: true, check: true, options: generator.Options{Patterns: []string{"."}}},
		"-n .":                  {list: true, options: generator.Options{Patterns: []string{"."}}},
		"-json -check .":        {json: true, check: true, options: generator.Options{Patterns: []string{"."}}},
		"-json .":               {json: true, options: writes(".")},
		"version":               {version: true},
		"help":                  {help: true},
		"-h":                    {help: true},
		"--help ./...":          {help: true},
		"explain idem014":       {explain: "IDEM014"},
	} {
		got, err := parse(strings.Fields(line))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("parse(%q) = %+v, %v; want %+v", line, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"inti":              "unknown command inti",
		"vet":               "./vet",
		"./... vet":         "vet is no package",
		"./... -check":      "flags go first",
		"-chekc":            "-chekc",
		"-check=maybe":      "maybe",
		"-C":                "-C",
		"explain":           "one code",
		"explain A1 B2":     "one code",
		"version ./...":     "no arguments",
		"-check version":    "no flags",
		"-json -diff ./...": "-json",
		"-json -n .":        "-json",
	} {
		if got, err := parse(strings.Fields(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parse(%q) = %+v, %v; want an error with %q", line, got, err, want)
		}
	}
	if _, err := parse([]string{""}); err == nil {
		t.Error("an empty argument was accepted")
	}
}

func TestUsageNamesEveryFlag(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"-C", "-out", "-tags", "-check", "-diff", "-n", "-json", "-h"} {
		if !strings.Contains(usage, "\n  "+flag+" ") {
			t.Errorf("the usage does not list %s", flag)
		}
	}
}
