package generator

import (
	"fmt"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"
)

// This file is the one bridge from go/types to code: how a type is written in the output's package. A type that can't be written there is
// noted with the reason, never a panic.

// writer writes types and expressions as they must stand in one package, and notes what it named.
type writer struct {
	home       string                      // import path of the output's package
	hidden     map[string]token.Position   // what that package declares, and so may hide a predeclared name
	typeParams map[*types.TypeParam]string // their names in the output
	named      named
	tall       bool   // something was written that takes several lines
	problem    string // why something can't be written: the first reason, or empty
}

// named is what code mentions.
type named struct {
	packages map[string]*types.Package // by import path: those that need an import
	plain    map[string]bool           // unqualified names
}

func newNamed() named {
	return named{packages: map[string]*types.Package{}, plain: map[string]bool{}}
}

// typ is t as code.
func (w *writer) typ(t types.Type) jen.Code {
	switch t := t.(type) {
	case *types.Alias:
		return w.alias(t)
	case *types.Named:
		return w.object(t.Obj()).Types(w.typeList(t.TypeArgs())...)
	case *types.TypeParam:
		return w.typeParam(t)
	case *types.Basic:
		return w.basic(t)
	case *types.Pointer:
		return jen.Op("*").Add(w.typ(t.Elem()))
	case *types.Slice:
		return jen.Index().Add(w.typ(t.Elem()))
	case *types.Array:
		return jen.Index(jen.Op(strconv.FormatInt(t.Len(), 10))).Add(w.typ(t.Elem()))
	case *types.Map:
		return jen.Map(w.typ(t.Key())).Add(w.typ(t.Elem()))
	case *types.Chan:
		return w.channel(t)
	case *types.Signature:
		return jen.Func().Add(w.signature(t))
	case *types.Struct:
		return w.structure(t)
	case *types.Interface:
		return w.interfaceLiteral(t)
	case *types.Union:
		return w.union(t)
	default:
		return w.fail("it uses a type that idemgen does not know (%T)", t)
	}
}

func (w *writer) fail(format string, args ...any) *jen.Statement {
	if w.problem == "" {
		w.problem = fmt.Sprintf(format, args...)
	}
	return jen.Id("_")
}

// mended is the problem with what to do about it.
func (w *writer) mended() string {
	switch {
	case strings.Contains(w.problem, "hides the predeclared"):
		return w.problem + "; rename that"
	case strings.Contains(w.problem, "exported"):
		return w.problem + "; export it, or write the wrapper into the package that declares it"
	default:
		return w.problem + "; change it, or where the wrapper goes"
	}
}

// object is the name of a declared or predeclared thing, qualified where it is not at home.
func (w *writer) object(o types.Object) *jen.Statement {
	if reason := w.outOfReach(o); reason != "" {
		return w.fail("%s", reason)
	}
	if o.Pkg() == nil || o.Pkg().Path() == w.home {
		w.named.plain[o.Name()] = true
		return jen.Id(o.Name())
	}
	w.named.packages[o.Pkg().Path()] = o.Pkg()
	return jen.Qual(o.Pkg().Path(), o.Name())
}

// outOfReach says why the output can't name o; empty: it can.
func (w *writer) outOfReach(o types.Object) string {
	pkg := o.Pkg()
	switch {
	case pkg == nil:
		if _, hidden := w.hidden[o.Name()]; hidden {
			return fmt.Sprintf("the package declares a %s of its own, which hides the predeclared one", o.Name())
		}
		return ""
	case strings.HasPrefix(o.Name(), "_C"):
		return "it uses a type of package C, which only a file with the same cgo preamble can name"
	case pkg.Path() == w.home:
		return ""
	case !o.Exported():
		return fmt.Sprintf("%s is not exported by package %s", o.Name(), pkg.Path())
	case pkg.Name() == "main":
		return fmt.Sprintf("package %s can't be imported, because it is a command", pkg.Path())
	case !importable(pkg.Path(), w.home):
		return fmt.Sprintf("package %s is internal, and can't be imported here", pkg.Path())
	default:
		return ""
	}
}

// importable tells whether the rule for internal packages lets the package home import path.
func importable(path, home string) bool {
	elements := strings.Split(path, "/")
	for i := len(elements) - 1; i >= 0; i-- {
		if elements[i] == "internal" {
			parent := strings.Join(elements[:i], "/")
			home = strings.TrimSuffix(home, "_test")
			return home == parent || strings.HasPrefix(home, parent+"/")
		}
	}
	return true
}

// alias keeps an alias as it is written, because that is how people know the type, unless only what it stands for can be named.
func (w *writer) alias(t *types.Alias) jen.Code {
	o := t.Obj()
	if local := o.Pkg() != nil && o.Parent() != o.Pkg().Scope(); local || w.outOfReach(o) != "" {
		return w.typ(t.Rhs()) // local: a type parameter as an annotation sees it
	}
	return w.object(o).Types(w.typeList(t.TypeArgs())...)
}

func (w *writer) typeList(list *types.TypeList) (code []jen.Code) {
	for t := range list.Types() {
		code = append(code, w.typ(t))
	}
	return code
}

func (w *writer) typeParam(t *types.TypeParam) jen.Code {
	name, known := w.typeParams[t]
	if !known {
		return w.fail("it uses a type parameter %s that is not the interface's", t.Obj().Name())
	}
	w.named.plain[name] = true
	return jen.Id(name)
}

func (w *writer) basic(t *types.Basic) jen.Code {
	switch {
	case t.Kind() == types.Invalid:
		return w.fail("it uses a type that does not exist")
	case t.Kind() == types.UnsafePointer:
		w.named.packages["unsafe"] = types.Unsafe
		return jen.Qual("unsafe", "Pointer")
	default:
		return w.object(types.Universe.Lookup(t.Name()))
	}
}

// channel needs parentheses where the arrow of the element would be read as the channel's own.
func (w *writer) channel(t *types.Chan) jen.Code {
	elem := w.typ(t.Elem())
	switch t.Dir() {
	case types.SendOnly:
		return jen.Chan().Op("<-").Add(elem)
	case types.RecvOnly:
		return jen.Op("<-").Chan().Add(elem)
	default:
		if inner, ok := t.Elem().(*types.Chan); ok && inner.Dir() == types.RecvOnly {
			elem = jen.Parens(elem)
		}
		return jen.Chan().Add(elem)
	}
}

// signature is parameters and results, with the names that the source gives them: there is no body here for them to get in the way of.
func (w *writer) signature(s *types.Signature) *jen.Statement {
	params := w.tuple(s.Params(), s.Variadic())
	results := w.tuple(s.Results(), false)
	code := jen.Params(params...)
	switch {
	case len(results) == 0:
		return code
	case len(results) == 1 && s.Results().At(0).Name() == "":
		return code.Add(results[0])
	default:
		return code.Params(results...)
	}
}

func (w *writer) tuple(t *types.Tuple, variadic bool) (code []jen.Code) {
	for i := range t.Len() {
		s := new(jen.Statement)
		if name := t.At(i).Name(); name != "" {
			s.Id(name)
		}
		if variadic && i == t.Len()-1 {
			s.Op("...")
		}
		code = append(code, s.Add(w.tupleType(t, i, variadic)))
	}
	return code
}

// tupleType is the type of one argument: of a variadic parameter its element's.
func (w *writer) tupleType(t *types.Tuple, i int, variadic bool) jen.Code {
	if slice, ok := t.At(i).Type().(*types.Slice); ok && variadic && i == t.Len()-1 {
		return w.typ(slice.Elem())
	}
	return w.typ(t.At(i).Type())
}
