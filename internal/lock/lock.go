// Package lock is the file idem.lock: what the keyed methods of a module store, and how, as people review it. It knows the file's text
// and which changes stored rows survive; it knows nothing of Go source.
package lock

import (
	"cmp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/idem/shape"
)

// Name is what the file is called. It lies beside go.mod.
const Name = "idem.lock"

// File is what one idem.lock says.
type File struct {
	Interfaces []*Interface // sorted by folder and name
	Operations []*Operation // sorted by name
}

// Interface is a wrapped interface that forwards all methods without a key.
type Interface struct {
	Folder   string // of its package, from the module's root, with slashes: "./pay", "."
	Name     string
	Forwards []string // sorted
	Line     int      // where it was read
}

// Operation is one keyed method.
type Operation struct {
	Name       string // as it is stored; of a generic wrapper with _ for each type argument
	Folder     string // as Interface.Folder
	Method     string // "Payments.Charge"
	Parameters []string
	Key        []string // each part as expression and kind: "$req.ID string"; parameters are marked with $. Or "context"
	Scope      string   // as a part of Key; empty: none
	TTL        string   // "24h", "forever"
	Kept       string   // the TTL that rows may have been stored with, where that was longer; empty: none
	Codec      string   // "json", "proto", "void", or the name of one that somebody wrote
	Arguments  []Argument
	Result     Shape    // of json, also wrapped; of proto a layout without hash, with numbers as names; else zero
	Secrets    []string // the fields of the result that are marked as secret: "Receipt.Card"
	Reads      []string
	Upcasts    []Upcast
	Errors     []StoredError
	Line       int
}

// StoredError is an error that is stored as the outcome.
type StoredError struct {
	Code   string        // a value's full name, or a type's, with _ for each type parameter
	Layout *shape.Layout // of a type's data; of a value FormValue, of any error FormText
}

// The forms of errors of which there are no data.
const (
	FormValue = "value"
	FormText  = "text"
)

// Argument is something that a duplicate must agree on.
type Argument struct {
	Name   string
	Layout *shape.Layout
}

// Shape is what stored results look like.
type Shape struct {
	Hash   string
	Layout *shape.Layout
}

// Upcast is an older shape that is read by a function, and the shapes that are read as that one.
type Upcast struct {
	Shape
	Reads []string
}

// Interface is the interface whose method it is.
func (o *Operation) Interface() string {
	name, _, _ := strings.Cut(o.Method, ".")
	return name
}

// Operation finds one by name; nil: there is none.
func (f *File) Operation(name string) *Operation {
	i := slices.IndexFunc(f.Operations, func(o *Operation) bool { return o.Name == name })
	if i < 0 {
		return nil
	}
	return f.Operations[i]
}

// Sort brings everything into the order of the file.
func (f *File) Sort() {
	slices.SortFunc(f.Interfaces, func(a, b *Interface) int {
		return cmp.Or(strings.Compare(a.Folder, b.Folder), strings.Compare(a.Name, b.Name))
	})
	slices.SortFunc(f.Operations, func(a, b *Operation) int { return strings.Compare(a.Name, b.Name) })
	for _, i := range f.Interfaces {
		slices.Sort(i.Forwards)
	}
	for _, o := range f.Operations {
		o.Secrets = sortedSet(o.Secrets)
		slices.SortFunc(o.Arguments, func(a, b Argument) int { return strings.Compare(a.Name, b.Name) })
		slices.SortFunc(o.Upcasts, func(a, b Upcast) int { return strings.Compare(a.Hash, b.Hash) })
		slices.SortFunc(o.Errors, func(a, b StoredError) int { return strings.Compare(a.Code, b.Code) })
		o.Reads = sortedSet(o.Reads)
		for i := range o.Upcasts {
			o.Upcasts[i].Reads = sortedSet(o.Upcasts[i].Reads)
		}
	}
}

func sortedSet(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
