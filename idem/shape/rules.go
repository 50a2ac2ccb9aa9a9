package shape

// This file lists the ways in which a result fails to come back from json as it left. The page docs/results.md has a row for each.

// Rule is one of them.
type Rule struct {
	// Name is what the documentation calls it.
	Name string
	// Warning: the value says the same, in another form.
	Warning bool
	// Reason is what is wrong, and what would come back instead: "is a function, which json can't write".
	Reason string
	// Mend is what to do about it.
	Mend string
}

const (
	mendType    = "return a type that holds its data in exported fields"
	notStored   = ": the call would succeed, and each retry fail with ErrResultNotStored"
	unreadable  = ": the call would succeed, and each retry fail with ErrUnreadable"
	mendMarshal = "name the embedded field, or declare the methods on the type itself"
)

// What json can't write or read, whatever the value.
var (
	ruleFunction  = &Rule{"function", false, "is a function, which json can't write" + notStored, mendType}
	ruleChannel   = &Rule{"channel", false, "is a channel, which json can't write" + notStored, mendType}
	ruleComplex   = &Rule{"complex number", false, "is a complex number, which json can't write" + notStored, "return its two parts"}
	ruleUnsafe    = &Rule{"unsafe pointer", false, "is a pointer of package unsafe, which json can't write" + notStored, mendType}
	ruleError     = &Rule{"error", false, "is an error, which json writes as {} and can't read" + unreadable, "return a code or a text"}
	ruleInterface = &Rule{
		"interface", false,
		"is an interface, and json does not store which type it held: an int64 would come back as a float64, a struct as a map",
		"use a concrete type",
	}
	ruleMethods = &Rule{
		"interface with methods", false, "is an interface, and json does not store which type it held" + unreadable, "use a concrete type",
	}
	ruleProtobuf = &Rule{
		"protobuf message", false, "is a protobuf message, of which encoding/json loses oneofs, unknown fields and what was set",
		"return a struct of your own with what callers need",
	}
	ruleFloat = &Rule{"big.Float", false, "is a big.Float, which comes back with a precision of 64 bits, rounded to it", "return its text, or a big.Rat"}
)

// Fields that get lost.
var (
	ruleHidden = &Rule{
		"unexported field", false, "is unexported and its struct has no marshal methods, so it would come back as its zero value",
		"export it, or give the struct a MarshalJSON and an UnmarshalJSON",
	}
	ruleDash     = &Rule{"tag json:\"-\"", false, `has the tag json:"-", so it would come back as its zero value`, "take the tag away"}
	ruleTwoNames = &Rule{"two fields of one name", false, "has a name in json that another field has, too", "give one of them another name"}
	ruleItself   = &Rule{"embedded in itself", false, "is embedded in itself, and json writes it only once", "name the field"}
	ruleCantSet  = &Rule{
		"embedded pointer to an unexported struct", false, "is an embedded pointer to an unexported struct, which json can't set" + unreadable,
		"embed the struct itself, or export its type",
	}
	ruleStringOption = &Rule{
		"option string on a type with marshal methods", false, "has marshal methods and the tag option string, which do not go together" + unreadable,
		"take the option away",
	}
)

var ruleBorrowedZero = &Rule{
	"omitzero on a type with the IsZero of an embedded field", false,
	"has an IsZero from an embedded field, which knows nothing of the fields beside it and panics when it is nil (omitzero)",
	"take omitzero away, or declare IsZero on the type itself",
}

// Pointers and maps.
var (
	ruleNilBehind = &Rule{
		"pointer to a pointer, map or slice", false, "is a pointer to something that may be nil itself, and would then come back as a nil pointer",
		"return it without the pointer",
	}
	ruleKeyUnread = &Rule{
		"map key that can't be read", false, "is a map with keys that json can't read (it reads strings, integers and text unmarshalers)" + unreadable,
		"use a string or an integer as key",
	}
	ruleKeyUnwritten = &Rule{
		"map key that can't be written", false, "is a map with keys that json can't write (it writes strings, integers and text marshalers)" + notStored,
		"use a string or an integer as key",
	}
	ruleKeyPair = &Rule{
		"map key with half a pair of text methods", false,
		"is a map with keys that lack one of a pair of text methods (MarshalText on the value, UnmarshalText on the pointer)" + unreadable,
		"add the missing method, or use a string or an integer as key",
	}
)

// Marshal methods.
var (
	ruleUncalled = &Rule{
		"marshal method on the pointer, value in a map", false, "has a marshal method on its pointer, which json does not call for values of a map, though it calls the one that reads",
		"declare the method on the value, or store pointers",
	}
	ruleNoUnmarshalJSON = &Rule{"MarshalJSON alone", false, "has a MarshalJSON without an UnmarshalJSON, so it can't be read back", "add UnmarshalJSON"}
	ruleNoUnmarshalText = &Rule{"MarshalText alone", false, "has a MarshalText without an UnmarshalText, so it can't be read back", "add UnmarshalText"}
	ruleNoMarshalText   = &Rule{"UnmarshalText alone", false, "has an UnmarshalText without a MarshalText, so it can't be read back", "add MarshalText"}
	ruleValueReceiver   = &Rule{
		"method that reads, on the value", false, "is read by a method with a value receiver, which drops what it reads", "declare the method on the pointer",
	}
	rulePromotedBeside = &Rule{
		"marshal method of an embedded field", false, "has the marshal methods of an embedded field, which know nothing of the fields beside it: they would come back as zero values",
		mendMarshal,
	}
	rulePromotedNil = &Rule{
		"marshal method of an embedded pointer", false, "has a marshal method from an embedded pointer or interface, which panics when that is nil", mendMarshal,
	}
	rulePromotedUnnamed = &Rule{
		"marshal method of an embedded field, in a type without name", false,
		"has a marshal method from an embedded field, which json does not call when it reads a type without name" + unreadable, "give the struct a name",
	}
)

// What says the same in another form.
var (
	ruleOmitEmpty = &Rule{"omitempty on a slice or map", true, "comes back as nil when it is empty (omitempty)", "take omitempty away, or use omitzero"}
	ruleIsZero    = &Rule{"omitzero on a type with IsZero", true, "comes back as the zero value whenever its IsZero says so (omitzero)", "take omitzero away"}
	ruleNilEmbed  = &Rule{
		"embedded pointer whose fields may all be left out", true, "is an embedded pointer, which comes back as nil when json leaves all of its fields out",
		"embed the struct itself",
	}
	ruleRaw        = &Rule{"json.RawMessage", true, "is raw json, which comes back without its spaces, and nil as null", "return a type of your own, or compare it as json"}
	ruleNumber     = &Rule{"json.Number", true, "is a json.Number, which comes back as 0 when it is empty", "return an integer or a string"}
	ruleIP         = &Rule{"net.IP", true, "is a net.IP, which comes back with 16 bytes where it had 4", "return a netip.Addr"}
	ruleKeyStrings = &Rule{
		"string as map key with UnmarshalText", true, "is a map whose keys json writes as they are, but reads with their UnmarshalText, which may change them",
		"use a plain string as key",
	}
	ruleReadAlone = &Rule{
		"UnmarshalJSON or UnmarshalText alone", true, "is written as it is, but read by an unmarshal method of its own, which may change it", "add the method that writes",
	}
)

// Rules are all of them, in the order of the documentation.
func Rules() []Rule {
	var rules []Rule
	for _, r := range []*Rule{
		ruleInterface, ruleMethods, ruleError, ruleFunction, ruleChannel, ruleComplex, ruleUnsafe, ruleProtobuf, ruleFloat,
		ruleHidden, ruleDash, ruleTwoNames, ruleItself, ruleCantSet, ruleStringOption, ruleBorrowedZero,
		ruleNilBehind, ruleKeyUnread, ruleKeyUnwritten, ruleKeyPair,
		ruleNoUnmarshalJSON, ruleNoUnmarshalText, ruleNoMarshalText, ruleUncalled, ruleValueReceiver,
		rulePromotedBeside, rulePromotedNil, rulePromotedUnnamed,
		ruleOmitEmpty, ruleIsZero, ruleNilEmbed, ruleRaw, ruleNumber, ruleIP, ruleKeyStrings, ruleReadAlone,
	} {
		rules = append(rules, *r)
	}
	return rules
}
