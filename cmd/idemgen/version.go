package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
)

// This file says which idemgen this is.

func setupVersion(f *flags) action {
	var asJSON bool
	f.on(&asJSON, "json", "print it as a JSON object")
	return func(_ context.Context, _ []string, stdout, _ io.Writer) error {
		v := version()
		if asJSON {
			return json.NewEncoder(stdout).Encode(v)
		}
		fmt.Fprintf(stdout, "idemgen %s %s\n", v.Idemgen, v.Go)
		return nil
	}
}

// versions are those of a build.
type versions struct {
	Idemgen string `json:"idemgen"` // "(devel)" where it was built from a checkout
	Go      string `json:"go"`
	Output  int    `json:"json"` // of the form of -json
}

// version is the module's version as the go command recorded it, and the toolchain's.
func version() versions {
	v := versions{Idemgen: "(unknown)", Output: jsonVersion}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Go, v.Idemgen = info.GoVersion, "(devel)"
	const module = "github.com/idemgen/idemgen"
	if info.Main.Path == module && info.Main.Version != "" {
		v.Idemgen = info.Main.Version
	}
	for _, d := range info.Deps { // "go tool idemgen" builds it as a part of another module
		if d.Path == module && d.Version != "" && d.Replace == nil {
			v.Idemgen = d.Version
		}
	}
	return v
}
