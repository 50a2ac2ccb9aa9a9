package generator

import (
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/idem/shape"
	"github.com/idemgen/idemgen/internal/gotypes"
	"github.com/idemgen/idemgen/internal/lock"
	"github.com/idemgen/idemgen/templates"
)

// This file reads //idem:upcast: the functions that turn results of older shapes into what the method returns now. That a function takes what
// was stored is proved by the hash of its parameter's shape.

// upcast is one line.
type upcast struct {
	Hash  string
	Func  *expr
	Note  annotation
	Old   types.Type
	Fails bool     // the function returns an error, too
	Reads []string // hashes of shapes that are read as Old as well; idem.lock knows them
}

var schemaHash = regexp.MustCompile(`^[0-9a-f]{16}$`)

// upcasts reads what stands on the method.
func (r *reader) upcasts(e func(annotation) *environment, m *method) {
	for _, n := range m.Notes {
		if n.Word != "upcast" || n.Arg == "" {
			continue
		}
		if u := e(n).outside().upcast(m); u != nil {
			m.Upcasts = append(m.Upcasts, u)
		}
	}
}

// upcast reads one line; nil: it is wrong, which is reported.
func (e *environment) upcast(m *method) *upcast {
	words := fields(e.note.Arg)
	switch {
	case !schemaHash.MatchString(words[0].text):
		e.fail(e.note.at(words[0].at), codeBadValue, "`%s` is not the hash of a shape, which has 16 digits and letters from a to f; take it from %s, or from the message that asked for an upcast",
			words[0].text, lock.Name)
		return nil
	case len(words) == 1:
		e.fail(e.note.at(words[0].at), codeBadValue, "`upcast %s` needs a function; name one behind it, from the old type of the result to the present one", words[0].text)
		return nil
	case len(m.Results) == 0:
		e.fail(e.note.Pos, codeNoEffect, "`idem:upcast` has no effect: `%s` has no result but its error; delete it", e.method)
		return nil
	case slices.ContainsFunc(m.Results, generic):
		e.fail(e.note.Pos, codeUpcast, "the result of `%s` depends on a type parameter, so its older shapes are not known; have the type's own UnmarshalJSON read them", e.method)
		return nil
	}
	u := &upcast{Hash: words[0].text, Note: e.note}
	p := part{e.note.Arg[words[1].at:], words[1].at}
	if u.Func = e.function(p); u.Func == nil {
		return nil
	}
	refuse := func(format string, args ...any) *upcast {
		e.fail(u.Func.Pos, codeUpcast, format, args...)
		return nil
	}
	sig := u.Func.Type.(*types.Signature)
	if sig.TypeParams().Len() > 0 {
		return refuse("`%s` is generic; write its type arguments, as in `%s[%s]`", p.text, p.text, sig.TypeParams().At(0).Obj().Name())
	}
	if sig.Params().Len() != 1 || sig.Variadic() {
		return refuse("`%s` takes %s; write a function of one value, the result in its older shape", p.text, e.tuple(sig.Params(), sig.Variadic()))
	}
	u.Old = sig.Params().At(0).Type()
	if u.Fails = sig.Results().Len() == len(m.Results)+1 && endsInError(sig); !u.returns(sig, m) {
		return refuse("`%s` returns %s; return what `%s` does, %s, and at most an error behind it",
			p.text, e.tuple(sig.Results(), false), e.method, e.results(m))
	}
	if incomplete(u.Old, true) {
		return refuse("the type %s does not compile; mend it", e.typeString(u.Old))
	}
	if hash := shape.Hash(gotypes.Of(u.Old, nil)); hash != u.Hash {
		return refuse("`%s` takes %s, whose shape is %s and not %s%s; %s", p.text, e.typeString(u.Old), hash, u.Hash, e.difference(u), "write the type as it was when that was stored")
	}
	return u
}

// returns tells whether the function's results are the method's.
func (u *upcast) returns(sig *types.Signature, m *method) bool {
	if n := sig.Results().Len(); n != len(m.Results) && !u.Fails {
		return false
	}
	for i, t := range m.Results {
		if !types.Identical(sig.Results().At(i).Type(), t) {
			return false
		}
	}
	return true
}

// function reads the name of a declared function.
func (e *environment) function(p part) *expr {
	x := e.parse(p)
	if x == nil {
		return nil
	}
	named, base := nameOf(x)
	if base == nil || named != ast.Unparen(x) {
		e.fail(e.note.at(p.at), codeUpcast, "`%s` is no name of a function; declare one, and name that", p.text)
		return nil
	}
	c := e.check(p, x)
	if c == nil {
		return nil
	}
	if f, ok := c.info.Uses[base].(*types.Func); !ok || f.Signature().Recv() != nil {
		e.fail(e.note.at(p.at), codeUpcast, "`%s` is not a function that is declared in a package; declare one, and name that", p.text)
		return nil
	}
	return c.describe()
}

// difference says what the shape of u's parameter lacks of the one that was stored, as far as idem.lock knows that.
func (e *environment) difference(u *upcast) string {
	root, _ := nearestModule(e.s.Dir)
	text, err := os.ReadFile(filepath.Join(root, lock.Name))
	if err != nil {
		return ""
	}
	f, wrong := lock.Parse(text)
	if wrong != nil {
		return ""
	}
	for _, op := range f.Operations {
		shapes := []lock.Shape{op.Result}
		for _, old := range op.Upcasts {
			shapes = append(shapes, old.Shape)
		}
		for _, s := range shapes {
			if s.Hash != u.Hash || s.Layout == nil {
				continue
			}
			is := shape.LayoutOf(gotypes.Of(u.Old, nil))
			if changes := lock.Unreadable(s.Layout, is); len(changes) > 0 {
				return " (" + sentence(changes) + ")"
			}
			if changes := lock.Unreadable(is, s.Layout); len(changes) > 0 {
				return " (it has more: " + sentence(changes) + ")"
			}
		}
	}
	return ""
}

func (e *environment) tuple(t *types.Tuple, variadic bool) string {
	if t.Len() == 0 {
		return "nothing"
	}
	var list []string
	for i := range t.Len() {
		list = append(list, e.typeString(t.At(i).Type()))
	}
	if variadic {
		list[len(list)-1] = "..." + strings.TrimPrefix(list[len(list)-1], "[]")
	}
	return "(" + strings.Join(list, ", ") + ")"
}

func (e *environment) results(m *method) string {
	var list []string
	for _, t := range m.Results {
		list = append(list, e.typeString(t))
	}
	if len(list) == 1 {
		return list[0]
	}
	return fmt.Sprintf("(%s)", strings.Join(list, ", "))
}

// upcast is u as code; unpacked: the function's results have to be put into the type that several are stored as.
func (w *writer) upcast(u *upcast, unpacked bool) templates.Upcast {
	out := templates.Upcast{Func: w.expr(u.Func, nil), Fails: u.Fails, Shapes: append([]string{u.Hash}, u.Reads...)}
	if unpacked {
		out.Old = w.typ(u.Old)
	}
	return out
}

// upcasts enters the shapes that functions read into is, and returns their hashes with those that are read as them. What a shape was read
// as before it changed is read by the same function from then on.
func (c *lockChange) upcasts(was, is *lock.Operation) map[string]bool {
	l := c.at[is]
	own := map[string]bool{}
	for _, u := range l.method.Upcasts {
		own[u.Hash] = true
	}
	covered := map[string]bool{}
	for _, u := range l.method.Upcasts {
		known := true
		var reads []string
		i := slices.IndexFunc(was.Upcasts, func(old lock.Upcast) bool { return old.Hash == u.Hash })
		switch {
		case u.Hash == is.Result.Hash:
			c.report(l, u.Note.at(0), codeUpcast, "shape %s is what `%s` stores now: there is nothing to turn it into; delete the line", u.Hash, l.wrapper.method(l.method))
			continue
		case c.narrower(l, u, was):
			covered[u.Hash] = true
			continue
		case i >= 0:
			reads = was.Upcasts[i].Reads
		case u.Hash == was.Result.Hash && (is.Result.Layout == nil || len(lock.Unreadable(was.Result.Layout, is.Result.Layout)) > 0):
			reads = was.Reads
		case u.Hash != was.Result.Hash:
			known = slices.Contains(was.Reads, u.Hash)
		}
		if !known {
			c.rep.notef("%s does not know the shape %s of %s: an //idem:upcast whose outcomes are gone can be deleted", lock.Name, u.Hash, l.wrapper.method(l.method))
		}
		covered[u.Hash] = true
		u.Reads = nil
		for _, hash := range reads {
			if !own[hash] && hash != is.Result.Hash {
				u.Reads = append(u.Reads, hash)
				covered[hash] = true
			}
		}
		is.Upcasts = append(is.Upcasts, lock.Upcast{Shape: lock.Shape{Hash: u.Hash, Layout: shape.LayoutOf(gotypes.Of(u.Old, nil))}, Reads: slices.Clone(u.Reads)})
	}
	return covered
}

// narrower reports an upcast whose type has the stored shape's hash, and no room for all its values: one hash stands for the integers of
// all widths.
func (c *lockChange) narrower(l *locked, u *upcast, was *lock.Operation) bool {
	is := shape.LayoutOf(gotypes.Of(u.Old, nil))
	stored := []lock.Shape{was.Result}
	for _, old := range was.Upcasts {
		stored = append(stored, old.Shape)
	}
	for _, s := range stored {
		if s.Hash != u.Hash || s.Layout == nil {
			continue
		}
		if changes := lock.Unreadable(s.Layout, is); len(changes) > 0 {
			c.report(l, u.Func.Pos, codeUpcast, "`%s` takes less than what was stored in the shape %s: %s; write the type as it was when that was stored",
				u.Func.Text, u.Hash, strings.ReplaceAll(sentence(changes), "`result.", "`"))
			return true
		}
	}
	return false
}
