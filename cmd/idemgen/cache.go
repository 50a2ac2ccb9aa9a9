package main

import (
	"os"
	"path/filepath"

	"github.com/idemgen/idemgen/generator"
)

// This file decides where answers are remembered, and when an earlier one does not count.

// cacheVariable turns the cache off, or names another folder for it.
const cacheVariable = "IDEMGEN_CACHE"

// cacheFolder is where answers are remembered; empty: this run has to find its own. That goes for -check and for what runs in CI, where
// somebody else's files must not be able to say that all is well.
func (w wish) cacheFolder() string {
	named := os.Getenv(cacheVariable)
	if w.check || w.cache == "off" || named == "off" || inCI() {
		return ""
	}
	if filepath.IsAbs(named) {
		return named
	}
	user, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(user, "idemgen")
}

// inCI goes by the variable that the services for it set.
func inCI() bool {
	ci := os.Getenv("CI")
	return ci != "" && ci != "false" && ci != "0"
}

// settle checks the flags about how a run is done, and puts them into the options.
func (w *wish) settle() error {
	switch w.cache {
	case "on", "off":
	default:
		return usageError{"-cache is on or off"}
	}
	switch generator.Load(w.load) {
	case "lean":
	case generator.LoadSource, generator.LoadWhole:
		w.options.Load = generator.Load(w.load)
	default:
		return usageError{"-load is lean, source or whole"}
	}
	w.options.Cache = w.cacheFolder()
	return nil
}
