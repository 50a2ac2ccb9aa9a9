package generator

import (
	"go/types"

	"github.com/dave/jennifer/jen"
	"golang.org/x/mod/modfile"

	"github.com/idemgen/idemgen/templates"
)

// This file is about results that are protobuf messages: json would lose parts of them, so they are stored by codec proto, which is a package
// of a module of its own. The output imports it, so that module has to be there.

// protobuf tells whether t has the method that all messages have.
func protobuf(t types.Type) bool {
	o, _, _ := types.LookupFieldOrMethod(t, false, nil, "ProtoReflect")
	f, ok := o.(*types.Func)
	return ok && f.Signature().Params().Len() == 0 && f.Signature().Results().Len() == 1 &&
		namedAs(f.Signature().Results().At(0).Type(), "google.golang.org/protobuf/reflect/protoreflect", "Message")
}

// anyMessage tells whether t is an interface of messages, of which nobody can make one.
func anyMessage(t types.Type) bool {
	_, param := types.Unalias(t).(*types.TypeParam)
	return protobuf(t) && types.IsInterface(t) && !param
}

// storedUnlessSaid chooses how results are stored of which no annotation says it.
func (m *method) storedUnlessSaid() {
	if m.Stored == storedUnsaid && len(m.Results) == 1 && protobuf(m.Results[0]) {
		m.Stored, m.CheckResults = storedProto, false
	}
}

// protoFits wants a message where //idem:codec proto stands.
func (e *environment) protoFits(m *method) {
	at := e.note.at(0)
	if n := len(m.Results); n > 1 {
		e.fail(at, codeCodec, "proto stores one message, and `%s` returns %d results beside the error; return one message, or name a generic codec", e.method, n)
		return
	}
	t := m.Results[0]
	switch name := e.typeString(t); {
	case anyMessage(t):
		e.fail(at, codeCodec, "`%s` returns the interface `%s`, and proto can't tell which message to make; return the message's own type", e.method, name)
	case protobuf(t):
	case protobuf(types.NewPointer(t)):
		e.fail(at, codeCodec, "`%s` is no protobuf message, but its pointer is; return `*%s`", name, name)
	default:
		e.fail(at, codeCodec, "`%s` is no protobuf message; delete the line, or name a codec for it", name)
	}
}

// messagesCanBeStored wants messages that can be made again, and the module of codec proto. That it lacks is said once for each module.
func (c *checker) messagesCanBeStored(w *wrapper, m *method) {
	if !m.Keyed || m.Stored != storedProto || len(m.Results) != 1 {
		return
	}
	said, written := m.Says["codec"]
	at := m.Returns[0]
	lost, unknown := c.errorsSurvive(m)
	switch {
	case written:
		at = said.at(0) // and that it fits has been looked at
	case anyMessage(m.Results[0]):
		c.errorf(at, codeCodec, "result 1 of keyed method `%s` is an interface of protobuf messages, and a replay can't tell which message to make; "+
			"return the message's own type, or name a codec with `//idem:codec NAME`", w.method(m))
		return
	}
	if lossy, ok := note(m.Notes, "lossy"); ok && !lost && !unknown {
		c.errorf(lossy.Pos, codeNoEffect, "`idem:lossy` has no effect: the result of `%s` is stored by proto, which loses nothing; delete it", w.method(m))
	}
	folder := c.made.source.Dir
	if c.out != nil {
		folder = c.out.dir
	}
	root, text := nearestModule(folder)
	told := c.told["proto "+root]
	if !told && protoProvided(root, text) {
		return
	}
	c.report.failed[c.made.source.Dir] = true // nothing of the package is written, whether it is the one that is told or not
	if told {
		return
	}
	c.told["proto "+root] = true
	c.errorf(at, codeCodec, "the result of `%s` is a protobuf message, which package %s stores, and the module %s does not require that; run go get %s there, and idemgen again",
		w.method(m), templates.ProtobufPath, modfile.ModulePath(text), templates.ProtobufPath)
}

// protoProvided tells whether the module in a folder, with that go.mod, can import the package of codec proto. Where the modules are said
// elsewhere, it leaves the answer to the compiler.
func protoProvided(root string, text []byte) bool {
	mod, err := modfile.ParseLax("go.mod", text, nil)
	if err != nil || mod.Module == nil || mod.Module.Mod.Path == templates.ProtobufPath {
		return true
	}
	for _, r := range mod.Require {
		if r.Mod.Path == templates.ProtobufPath {
			return true
		}
	}
	w := &workspace{env: readEnviron(), replaced: map[string]string{}}
	if w.env.plain() != nil {
		return true
	}
	roots, err := w.roots(root)
	if err != nil || len(roots) == 1 && roots[0] == root {
		return err != nil
	}
	for _, other := range roots { // a workspace: what one of its modules requires, all have
		if err := w.add(other); err != nil {
			return true
		}
	}
	for _, m := range w.modules {
		w.others = append(w.others, m.path)
	}
	for _, path := range w.others {
		if path == templates.ProtobufPath {
			return true
		}
	}
	return false
}

// protoCodec is codec proto as code; result is the message's type.
func (w *writer) protoCodec(result jen.Code) jen.Code {
	w.named.packages[templates.ProtobufPath] = types.NewPackage(templates.ProtobufPath, "protobuf")
	return jen.Qual(templates.ProtobufPath, "Codec").Types(result).Values()
}
