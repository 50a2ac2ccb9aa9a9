// Package vet finds, in the code around idemgen's wrappers, the mistakes that take their protection away:
//
//	IDEM090  a keyed method called on an implementation, past its wrapper
//	IDEM091  a key that is made anew for every attempt
//	IDEM092  a wrapped call cut off from its caller's context
//	IDEM093  a wrapped call inside somebody else's open transaction
//
// docs/vet.md says exactly what each rule takes for one, and how to run them. The wrappers are recognised by the files that idemgen wrote,
// in this package and in all that it imports.
package vet

import (
	"go/ast"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Analyzer is the four checks. It needs no flags, and takes next to no time in packages that no wrapper is in sight of. A finding's category
// is its code, which also ends its text.
var Analyzer = &analysis.Analyzer{
	Name: "idemgen",
	Doc: "find calls that take the protection of idempotent wrappers away\n\n" +
		"It reports keyed methods that are called past their wrapper (IDEM090), keys that are made anew for every attempt (IDEM091), " +
		"wrapped calls that are cut off from their caller's context (IDEM092), and wrapped calls inside an open transaction that is not " +
		"theirs (IDEM093).",
	URL:      "https://github.com/idemgen/idemgen/blob/main/docs/vet.md",
	Requires: []*analysis.Analyzer{knowledge},
	Run:      run,
}

// The codes of the findings. They are explained with the generator's.
const (
	codeBypass      = "IDEM090"
	codeMinted      = "IDEM091"
	codeCutOff      = "IDEM092"
	codeTransaction = "IDEM093"
)

func run(pass *analysis.Pass) (any, error) {
	found := pass.ResultOf[knowledge].(*sight)
	if found == nil {
		return nil, nil
	}
	s := newSite(found.known, found.flow)
	r := &reporter{pass: pass, ignored: readIgnores(pass)}
	skip := func(f *ast.File) bool {
		return ast.IsGenerated(f) || strings.HasSuffix(pass.Fset.File(f.FileStart).Name(), "_test.go")
	}
	for _, u := range s.mentions(skip) {
		if u.through == throughRaw {
			s.bypass(r, u)
			continue // nothing else matters then
		}
		if u.call != nil {
			s.minted(r, u)
			s.cutOff(r, u)
			s.transaction(r, u)
		}
	}
	return nil, nil
}
