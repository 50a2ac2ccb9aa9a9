package generator

import (
	"go/token"
	"go/types"
	"slices"
	"time"
)

// This file is what travels between the stages: read makes it, check looks at it, name adds identifiers, emit turns it
// into the plainer model of package templates. It holds facts, no decisions about the output's text.

// output is one file to write: the wrappers of one source package (or test variant) that stand under one build constraint.
type output struct {
	Path       string         // absolute path of the file
	PkgName    string         // package clause
	PkgPath    string         // import path of the package the file belongs to; types of this path are unqualified
	Source     *types.Package // the package the interfaces come from
	Constraint string         // expression of the //go:build line, without the marker; empty: none
	Wrappers   []*wrapper     // in the order of their declaration (file, then position)
	// Taken holds the names that the output's package declares already (outside of files that idemgen writes), for the
	// names stage to keep away from.
	Taken map[string]token.Position
	// Imported holds the names that files of that package import something by: the package can't declare them either.
	Imported map[string]bool
	Tests    bool // RoundTrips are wanted
	// RoundTrips is the text of the tests for what the output's operations store; nil: none of them stores anything. Emit makes it.
	RoundTrips []byte
}

// wrapper is one wrapped interface.
type wrapper struct {
	Pos        token.Position     // of its //idem:wrap
	Named      *types.TypeName    // the interface's (or alias's) name: what the compile-time check and the field next refer to
	TypeParams []*types.TypeParam // of the declaration that is wrapped, in order; nil: not generic
	Name       string             // type to generate
	Ctor       string             // constructor to generate
	Doc        []string           // the interface's doc comment, line by line without the slashes and without directives
	SkipRest   bool               // //idem:skip * was given
	Seals      []*types.TypeName  // interfaces with the methods that only their packages can implement; see seal.go
	Asked      map[string]bool    // methods that a takeover policy names: they are decided by that, and forwarded
	Methods    []*method          // in the order of types.Interface.Method (sorted by name), each once
	Notes      []annotation       // what stands on the interface itself
}

// holds tells whether the wrapper's operations are fields: they depend on its type arguments, or on codecs that may be set up only when
// the program has begun, and so are made with the wrapper.
func (w *wrapper) holds() bool {
	return len(w.TypeParams) > 0 || slices.ContainsFunc(w.Methods, func(m *method) bool { return m.Codec != nil && m.Codec.Late })
}

// method is one method of a wrapped interface, its signature as it is after embedding and instantiation.
type method struct {
	Name string
	Pos  token.Position // of its name, or of the embedded name it came by
	Sig  *types.Signature
	Doc  []string       // as wrapper.Doc; a Deprecated: paragraph included
	Pkg  *types.Package // of an unexported method
	// Via is the type in the interface's declaration that the method came by, when it is declared in another package: io.Closer.
	Via     string
	Notes   []annotation          // what stands on its declaration
	Says    map[string]annotation // that, and what it inherits from interfaces, by word
	Params  []token.Position      // of the parameters' types
	Returns []token.Position      // of the results' types
	Unclear bool                  // an //idem:on that has been refused may be about it
	// Nameless are the parameters that have no names where they are declared, and got some for expressions.
	Nameless map[int]bool

	Keyed bool // the rest is for keyed methods only

	KeyPos         token.Position // of its //idem:key
	Context        int            // index of the context parameter
	Contexts       int            // how many there are; 1 where all is well
	Keys           []*expr        // at least one, unless the key comes from the context
	KeyFromContext bool
	Scope          *expr  // nil: none
	Op             string // the operation's name without type arguments
	Fingerprint    []fingerprintArg
	Settings       settings
	Results        []types.Type // without the error
	Errors         []errorRule  // in the order in which they decide
	Stored         storage
	Codec          *codec // of the user's; nil: one of ours
	Upcasts        []*upcast
	// Reads are the hashes of the stored shapes that the runtime reads as the result, its own first; nil: nobody knows.
	Reads []string
	// CheckResults: a result depends on a type parameter, so its verdict is given when the wrapper is made.
	CheckResults bool
}

// settings are what policy, stale, ttl, takeover, tx and detach said; nil means "not said", so that the runtime's default can change.
type settings struct {
	Policy      *string // "poll" or "conflict"
	MaxWait     *time.Duration
	Lease       *time.Duration
	NoRenew     bool
	TTL         *time.Duration // forever is math.MaxInt64
	Takeover    *string        // "rerun", "recover" or "hold"
	Recover     string         // the method that is asked, under "recover"
	RecoverAt   token.Position // where its name stands
	MaxAttempts *int
	Tx          string // "own", "join" or "optimistic"; empty: none
	Detach      bool
}

// errorRule is a class for errors that are a value, or of a type.
type errorRule struct {
	Class string // final, unknown or release
	Text  string // as the annotation has it
	Pos   token.Position
	Value types.Object // a variable or constant; nil: the rule is about Type
	Type  types.Type   // of the value, or the one that is meant
}

// fingerprintArg is one thing a duplicate must agree on: a parameter, or an expression over the parameters.
type fingerprintArg struct {
	Name  string // parameter name; its number from 1 (contexts counted) where it has none or is blank; an expression's own text
	Param int    // index of the parameter, -1: Expr is set
	Expr  *expr
}

// expr is a Go expression out of an annotation, checked: text, and what its identifiers mean, so that it can be written
// again where parameters and imports have other names.
type expr struct {
	Written  string         // as the annotation has it, comments cut off
	Text     string         // the same with fields that are promoted through an embedded pointer spelled out
	Pos      token.Position // of its first byte
	Type     types.Type
	Kind     keyKind
	Constant bool   // it has a value that is known already
	Secret   string // the part that reads a field marked as secret; empty: there is none
	Refs     []ref  // in ascending order, not overlapping
	// NilChecks are the parts of Text that are pointers on the way: each must not be nil before the whole is evaluated, from
	// the outside in (for *req.Meta.Key: req, req.Meta, req.Meta.Key).
	NilChecks []span
}

// span is a part of expr.Text: Text[Start:End].
type span struct{ Start, End int }

// ref is an identifier in an expression that must be written according to the place it is written in. What is not a ref
// (fields, methods, predeclared names, literals) is copied.
type ref struct {
	span
	Param  int            // index into the signature's parameters, -1: not a parameter
	Import *types.Package // the identifier is the name of this imported package
	Object types.Object   // the identifier is a package-level object (of the source package, of the package the method comes from, or dot-imported), or a type parameter of the wrapper
	Type   types.Type     // the identifier is a type parameter of the interface the method comes from, and stands for this type
}

// keyKind is how an expression's value becomes a key, in the order of preference the annotation's documentation gives.
type keyKind uint8

const (
	keyNone     keyKind = iota // no key (fingerprint expressions)
	keyString                  // string kind: idem.StringKey
	keyInt                     // signed integer: idem.IntKey
	keyUint                    // unsigned integer: idem.UintKey
	keyText                    // encoding.TextMarshaler: idem.TextKey
	keyTextAddr                // the same with a pointer receiver: needs an addressable copy
	keyStringer                // fmt.Stringer: idem.StringerKey
	keyStringerAddr
	keyUUID // [16]byte: idem.UUIDKey
)
