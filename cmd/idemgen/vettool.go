package main

import (
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/idemgen/idemgen/vet"
)

// This file lets the go command use this program as a vet tool: go vet -vettool=$(which idemgen). It asks for the version and the flags,
// and then, once for every package and all that it imports, about one package that a .cfg file describes.

// isVetTool tells the go command's questions from what people type.
func isVetTool(argv []string) bool {
	if len(argv) == 0 {
		return false
	}
	return argv[0] == "-V=full" || argv[0] == "-flags" || strings.HasSuffix(argv[len(argv)-1], ".cfg")
}

// vetTool answers one, and ends the program.
func vetTool() { unitchecker.Main(vet.Analyzer) }
