package generator

import (
	"go/types"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idemgen/idemgen/idem/shape"
	"github.com/idemgen/idemgen/internal/gotypes"
	"github.com/idemgen/idemgen/internal/lock"
)

// This file says of a keyed method what idem.lock holds of it.

// enter adds what m wraps, which is in a folder.
func (l *lockFile) enter(m *made, folder string) {
	folder = l.within(folder)
	for _, w := range m.Wrappers {
		var forwards []string
		for _, method := range w.Methods {
			_, skipped := note(method.Notes, "skip")
			switch {
			case method.Keyed:
				op := &lock.Operation{Name: method.storedName(w), Folder: folder, Method: w.method(method)}
				l.is.Operations = append(l.is.Operations, op)
				l.at[op] = &locked{m, w, method}
			case w.SkipRest && !skipped:
				forwards = append(forwards, method.Name)
			}
		}
		if len(forwards) > 0 {
			l.is.Interfaces = append(l.is.Interfaces, &lock.Interface{Folder: folder, Name: w.Named.Name(), Forwards: forwards})
		}
	}
}

// describe says the rest of the operations.
func (l *lockFile) describe() {
	_ = abreast(len(l.is.Operations), func(i int) error {
		op := l.is.Operations[i]
		l.at[op].method.describe(op)
		return nil
	})
}

// describe says of the method's operation what is stored for it.
func (m *method) describe(op *lock.Operation) {
	op.TTL, op.Codec, op.Parameters, op.Arguments = ttlText(m.Settings.TTL), "json", m.lockParameters(), m.lockArguments()
	op.Errors = m.lockErrors()
	if m.KeyFromContext {
		op.Key = []string{"context"}
	}
	for _, k := range m.Keys {
		op.Key = append(op.Key, m.lockExpression(k))
	}
	if m.Scope != nil {
		op.Scope = m.lockExpression(m.Scope)
	}
	for _, t := range m.Results {
		marked, _ := shape.Marked(gotypes.Of(t, nil))
		for _, p := range marked {
			op.Secrets = append(op.Secrets, p.Path)
		}
	}
	switch stored := m.stored(); {
	case stored == nil:
		op.Codec = "void"
	case m.Codec != nil: // what that stores is its own affair
		op.Codec = m.Codec.Object.Pkg().Path() + "." + m.Codec.Object.Name()
		if m.Codec.JSON {
			op.Result = shapeOf(stored)
		}
	case m.Stored == storedProto:
		op.Codec, op.Result.Layout = "proto", messageLayout(stored)
	default:
		op.Result = shapeOf(stored)
	}
}

func shapeOf(t types.Type) lock.Shape {
	return lock.Shape{Hash: shape.Hash(gotypes.Of(t, nil)), Layout: shape.LayoutOf(gotypes.Of(t, nil))}
}

// storedName is the operation's name with _ for the type arguments that it gets when the wrapper is made.
func (m *method) storedName(w *wrapper) string {
	n := len(w.TypeParams)
	if n == 0 {
		return m.Op
	}
	args := "[" + strings.TrimSuffix(strings.Repeat("_,", n), ",") + "]"
	if stem, ok := strings.CutSuffix(m.Op, "."+m.Name); ok {
		return stem + args + "." + m.Name
	}
	return m.Op + args
}

// stored is the type that is stored: the result, or a struct of several; nil: there is none.
func (m *method) stored() types.Type {
	switch len(m.Results) {
	case 0:
		return nil
	case 1:
		return m.Results[0]
	}
	var fields []*types.Var
	var tags []string
	for i, t := range m.Results {
		n := strconv.Itoa(i + 1)
		fields = append(fields, types.NewField(0, nil, "R"+n, t, false))
		tags = append(tags, `json:"`+n+`"`)
	}
	return types.NewStruct(fields, tags)
}

// lockParameters are the names that fingerprints know parameters by.
func (m *method) lockParameters() (names []string) {
	for i := range m.Sig.Params().Len() {
		p := m.Sig.Params().At(i)
		if i == m.Context || transaction(p.Type()) {
			continue
		}
		names = append(names, m.parameterName(i))
	}
	return names
}

// parameterName is the name of parameter i, or its number from 1.
func (m *method) parameterName(i int) string {
	if name := m.Sig.Params().At(i).Name(); name != "" && name != "_" && !m.Nameless[i] {
		return name
	}
	return strconv.Itoa(i + 1)
}

func (m *method) lockArguments() (list []lock.Argument) {
	for _, a := range m.Fingerprint {
		var t types.Type
		if a.Expr != nil {
			t = a.Expr.Type
		} else {
			t = m.Sig.Params().At(a.Param).Type()
		}
		layout := &shape.Layout{Form: shape.FormDynamic}
		if !types.IsInterface(t) {
			layout = shape.ArgumentLayout(gotypes.Of(t, nil))
		}
		list = append(list, lock.Argument{Name: a.Name, Layout: layout})
	}
	return list
}

// lockKinds are what becomes of a value as a key, as far as the stored text depends on it.
var lockKinds = map[keyKind]string{
	keyString: "string", keyInt: "int", keyUint: "int", keyText: "text", keyTextAddr: "text",
	keyStringer: "stringer", keyStringerAddr: "stringer", keyUUID: "uuid",
}

// lockExpression is a part of the key as the file has it: what its text means, whatever parameters and imports are called.
func (m *method) lockExpression(x *expr) string {
	text := lock.Expression(x.Text, func(at int) (string, bool) {
		i := slices.IndexFunc(x.Refs, func(r ref) bool { return r.Start == at })
		if i < 0 {
			return "", false
		}
		switch r := x.Refs[i]; {
		case r.Param >= 0:
			return "$" + m.parameterName(r.Param), true
		case isPlainConstant(r.Object): // the stored text depends on its value
			return r.Object.(*types.Const).Val().ExactString(), true
		case r.Import != nil:
			return strconv.Quote(r.Import.Path()), true
		case r.Type != nil:
			return types.TypeString(r.Type, (*types.Package).Path), true
		case r.Object.Pkg() != nil && r.Object.Parent() == r.Object.Pkg().Scope():
			return strconv.Quote(r.Object.Pkg().Path()) + "." + r.Object.Name(), true
		default:
			return "", false
		}
	})
	return text + " " + lockKinds[x.Kind]
}

// isPlainConstant tells whether an object is a constant whose type has no methods.
func isPlainConstant(o types.Object) bool {
	c, ok := o.(*types.Const)
	if !ok {
		return false
	}
	_, basic := types.Unalias(c.Type()).(*types.Basic)
	return basic
}

// ttlText is how long an outcome is kept.
func ttlText(ttl *time.Duration) string {
	const runtimeDefault = 24 * time.Hour
	switch {
	case ttl == nil:
		return shortDuration(runtimeDefault)
	case *ttl == 1<<63-1:
		return "forever"
	default:
		return shortDuration(*ttl)
	}
}
