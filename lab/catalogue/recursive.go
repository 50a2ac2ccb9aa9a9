package catalogue

import "github.com/idemgen/idemgen/lab/specimen"

type (
	Tree struct {
		Name     string
		Children []Tree
	}
	Linked struct {
		Value int
		Next  *Linked
	}
	Graph struct {
		Edges map[string]*Graph
		Back  []*Graph
	}
	Even struct {
		N   int
		Odd *Odd
	}
	Odd struct {
		N    int
		Even *Even
	}
	BadTree struct {
		Children []BadTree
		Run      func()
	}
	Forest      []Forest
	Directory   map[string]Directory
	PointerLoop *PointerLoop
	BadForest   map[string]struct {
		Sub  BadForest
		note int
	}
)

var recursiveTypes = []specimen.Specimen{
	specimen.Of[Tree](), specimen.Of[Linked](), specimen.Of[Graph](), specimen.Of[Even](), specimen.Of[BadTree](), specimen.Of[Forest](), specimen.Of[Directory](),
	specimen.Of[PointerLoop](), specimen.Of[BadForest](),
}
