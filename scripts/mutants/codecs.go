package main

// This file lists the protections of codecs.

const codecs = "./idem/codec"

var ofCodecs = []mutant{
	{
		"encrypted bytes are not bound to their row", "idem/codec/seal.go",
		"[]string{ref.Operation, ref.Scope, ref.Key, inner}", "[]string{inner}",
		codecs, "TestEngine_ARowCannotBeMovedToAnotherKey",
	},
	{
		"what encrypted bytes are bound to has no boundaries", "idem/codec/seal.go",
		"out = binary.BigEndian.AppendUint32(out, uint32(len(part)))", "_ = binary.BigEndian",
		codecs, "TestEncrypt_BytesOfOneRowAreUnreadableInAnother",
	},
	{
		"rows in plain text are read", "idem/codec/encrypt.go",
		"	case c.accept:", "	case c.accept || true:",
		codecs, "TestEncrypt_PlaintextIsRefusedUnlessItIsAccepted",
	},
	{
		"codecs are not asked before anything runs", "idem/value.go",
		"if err := c.Check(); err != nil {", "if err := c.Check(); err != nil && false {",
		engine, "TestCodec_OneThatChecksItselfIsAskedBeforeAnythingRuns",
	},
	{
		"gob reads what its type has no field for", "idem/codec/gob.go",
		"!known {", "!known && false {",
		codecs, "TestGob_FieldsThatAreGoneOrAreAnotherKindMakeARowUnreadable",
	},
	{
		"shapes within layers are not looked at", "idem/value.go",
		"case !v.shapes.knows(row, codec.Name()):", "case !v.shapes.knows(row, v.codec.Name()):",
		engine, "TestUnwrapper_ShapesAndUpcastsAreThoseOfTheInnermostCodec",
	},
}
