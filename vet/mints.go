package vet

import (
	"go/ast"
	"go/constant"
	"go/types"
	"regexp"
	"strings"
)

// This file is the table of functions that return something new at every call, and of those that only change how a value is written.

// mints are functions that make something new, by the path of their package without its major version. Functions that make an id of what
// they are given (NewSHA1, NewV5) are not among them.
var mints = map[string]string{
	"github.com/google/uuid":                     "New NewString NewRandom NewRandomFromReader NewUUID NewV6 NewV7 NewV7FromReader NewDCEGroup NewDCEPerson NewDCESecurity",
	"github.com/gofrs/uuid":                      "NewV1 NewV4 NewV6 NewV7",
	"github.com/satori/go.uuid":                  "NewV1 NewV4",
	"github.com/pborman/uuid":                    "New NewRandom NewUUID",
	"github.com/hashicorp/go-uuid":               "GenerateUUID GenerateRandomBytes",
	"github.com/oklog/ulid":                      "Make MustNew MustNewDefault New",
	"github.com/rs/xid":                          "New NewWithTime",
	"github.com/segmentio/ksuid":                 "New NewRandom NewRandomWithTime",
	"github.com/lithammer/shortuuid":             "New NewWithAlphabet NewWithEncoder",
	"github.com/matoous/go-nanoid":               "New Must Generate MustGenerate ID Nanoid",
	"github.com/teris-io/shortid":                "Generate MustGenerate",
	"github.com/nrednav/cuid2":                   "Generate",
	"github.com/lucsky/cuid":                     "New Slug",
	"go.mongodb.org/mongo-driver/bson":           "NewObjectID",
	"go.mongodb.org/mongo-driver/bson/primitive": "NewObjectID",
	"go.jetify.com/typeid":                       "Generate MustGenerate WithPrefix New",
	"github.com/bwmarrin/snowflake":              "Node.Generate",
	"github.com/sony/sonyflake":                  "Sonyflake.NextID",
	"crypto/rand":                                "Text Int Prime",
	"math/rand":                                  "*",
	"time":                                       "Now Since Until",
	"uuid":                                       "New NewV4 NewV7",
}

var majorVersion = regexp.MustCompile(`/v\d+$`)

// isMint reports whether f returns something new at every call.
func isMint(f *types.Func) bool {
	if f == nil || f.Pkg() == nil {
		return false
	}
	names, ok := mints[majorVersion.ReplaceAllString(path(f.Pkg()), "")]
	if !ok {
		return false
	}
	if names == "*" { // of math/rand, all but what makes a source of a seed
		return !strings.HasPrefix(f.Name(), "New") && f.Name() != "Seed" && f.Name() != "Shuffle"
	}
	name := f.Name()
	if recv := f.Signature().Recv(); recv != nil {
		n := named(recv.Type())
		if n == nil {
			return false
		}
		name = n.Obj().Name() + "." + name
	}
	for word := range strings.FieldsSeq(names) {
		if word == name {
			return true
		}
	}
	return false
}

// fills are functions that fill the bytes they are given with something new.
func fills(f *types.Func) bool {
	return f != nil && f.Name() == "Read" && f.Pkg() != nil && (path(f.Pkg()) == "crypto/rand" || path(f.Pkg()) == "math/rand")
}

// rewrites are packages whose functions write what they are given in another way, so that what is new stays new.
var rewrites = map[string]bool{"fmt": true, "strings": true, "strconv": true, "encoding/hex": true, "encoding/base64": true, "encoding/base32": true, "bytes": true}

// kept are methods that keep what is new about the value they are called on.
var kept = map[string]bool{
	"String": true, "Text": true, "Hex": true, "Bytes": true, "URN": true, "Base32": true, "Base58": true, "Base64": true, "EncodeToString": true,
	"Unix": true, "UnixNano": true, "UnixMilli": true, "UnixMicro": true, "Nanosecond": true, "UTC": true, "Local": true, "In": true, "Add": true,
	"Nanoseconds": true, "Microseconds": true, "Milliseconds": true, "Int64": true, "Uint64": true,
}

// keeps reports whether a call passes on what is new in its arguments or in what it is called on. A time that is written or cut to days or
// hours is what people make keys of that are the same for every attempt.
func keeps(info *types.Info, call *ast.CallExpr) bool {
	if info.Types[call.Fun].IsType() {
		return true
	}
	f := callee(info, call)
	if f == nil {
		id, ok := ast.Unparen(call.Fun).(*ast.Ident)
		if !ok {
			return false
		}
		b, ok := info.Uses[id].(*types.Builtin)
		return ok && (b.Name() == "append" || b.Name() == "min" || b.Name() == "max")
	}
	if f.Signature().Recv() == nil {
		return f.Pkg() != nil && rewrites[path(f.Pkg())] || f.Name() == "Must"
	}
	if f.Name() == "Format" && path(f.Pkg()) == "time" && len(call.Args) == 1 {
		layout := info.Types[call.Args[0]].Value
		return layout != nil && layout.Kind() == constant.String && strings.Contains(constant.StringVal(layout), "05")
	}
	return kept[f.Name()]
}
