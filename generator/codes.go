package generator

// This file is the table of diagnostic codes: what each means, what brings it about, and how to mend it. The page
// docs/diagnostics.md and the command "idemgen explain" are made of it.

// Code is one kind of diagnostic.
type Code struct {
	ID    string // IDEMnnn
	Title string
	Cause string
	Mend  string
}

// The codes, by what they are about: 00x annotations, 01x interfaces, 02x keyed methods, 03x expressions, 04x values,
// 05x settings, 06x the source, 07x the output, 08x idem.lock, 09x the code around the wrappers
// (idemgen vet).
const (
	codeUnknownWord  = "IDEM001"
	codeLookalike    = "IDEM002"
	codeWrongPlace   = "IDEM003"
	codeDetached     = "IDEM004"
	codeTrailing     = "IDEM005"
	codeTwice        = "IDEM006"
	codeBadValue     = "IDEM007"
	codeNoEffect     = "IDEM009"
	codeConstraint   = "IDEM010"
	codeUnnamed      = "IDEM011"
	codeNoMethods    = "IDEM012"
	codeNoKeys       = "IDEM013"
	codeNotWrapped   = "IDEM014"
	codeKeyOrSkip    = "IDEM015"
	codeTwoMeanings  = "IDEM016"
	codeNameTaken    = "IDEM017"
	codeNoSuchMethod = "IDEM018"
	codeShape        = "IDEM020"
	codeRecover      = "IDEM021"
	codeTransaction  = "IDEM022"
	codeSyntax       = "IDEM030"
	codeExpression   = "IDEM031"
	codeKeyType      = "IDEM032"
	codeConstantKey  = "IDEM033"
	codeNoScope      = "IDEM034"
	codeErrorName    = "IDEM035"
	codeSecretKey    = "IDEM036"
	codeResult       = "IDEM040"
	codeResultNil    = "IDEM041"
	codeParameter    = "IDEM042"
	codeCodec        = "IDEM043"
	codeSecretTag    = "IDEM044"
	codeErrorData    = "IDEM045"
	codeShortLease   = "IDEM050"
	codeSameName     = "IDEM051"
	codeContradicts  = "IDEM052"
	codeBrokenSource = "IDEM060"
	codeBrokenType   = "IDEM061"
	codeBrokenImport = "IDEM062"
	codePackage      = "IDEM063"
	codeOutOfReach   = "IDEM070"
	codeOutput       = "IDEM071"
	codeImportCycle  = "IDEM072"
	codeLeftOver     = "IDEM073"
	codeLock         = "IDEM080"
	codeLockResult   = "IDEM081"
	codeLockKey      = "IDEM082"
	codeLockRetry    = "IDEM083"
	codeLockGone     = "IDEM084"
	codeLockTaken    = "IDEM085"
	codeUpcast       = "IDEM086"
)

// Codes returns all codes in order.
func Codes() []Code { return codes }

// Explain returns the code with the given ID.
func Explain(id string) (Code, bool) {
	for _, c := range codes {
		if c.ID == id {
			return c, true
		}
	}
	return Code{}, false
}

var codes = []Code{
	{
		codeUnknownWord, "unknown annotation",
		"A comment starts with //idem: and goes on with a word that is none of the annotations.",
		"Spell it as in the table of annotations. Words are lower-case, and a blank, not a colon, stands before the value.",
	},
	{
		codeLookalike, "meant as an annotation, but not written as one",
		"A comment would be an annotation but for a space after //, other letters in idem, a missing colon, or because " +
			"it is a block comment. It would have no effect.",
		"Write //idem:WORD at the start of a line comment, without a space after //.",
	},
	{
		codeWrongPlace, "annotation in the wrong place",
		"An annotation stands on something it can't be about: wrap belongs on an interface declaration, key on a method " +
			"of an interface, and so on.",
		"Move it into the doc comment of the interface or the method it is about, or delete it.",
	},
	{
		codeDetached, "annotation attached to nothing",
		"A blank line or another comment lies between the annotation and the declaration below it, so it belongs to no doc comment.",
		"Close the gap.",
	},
	{
		codeTrailing, "annotation at the end of a line",
		"An annotation follows code on its line. Such comments belong to no declaration for certain.",
		"Put it on a line of its own above the declaration.",
	},
	{
		codeTwice, "annotation given twice",
		"One doc comment has the same annotation twice, or contradicts itself (a key and a skip).",
		"Keep one of them. Several key expressions stand on one line, separated by commas.",
	},
	{
		codeBadValue, "bad value",
		"An annotation lacks its value, has one it can't read, or has more than it takes.",
		"The message says what is expected. Durations are Go's: 500ms, 15s, 1h30m.",
	},
	{
		codeNoEffect, "annotation without effect",
		"A setting stands on a method that has no key or is skipped, on an interface without a keyed method, or accepts " +
			"a loss that does not happen.",
		"Delete it, or give the method a key.",
	},
	{
		codeConstraint, "not an interface that a value can have",
		"The annotated interface has type terms (a union, ~T, comparable, an embedded type that is no interface), so it " +
			"can only be a constraint, and nothing can be wrapped.",
		"Split the methods off into an interface of their own and annotate that.",
	},
	{
		codeUnnamed, "the interface can't be named",
		"The annotated interface is declared inside a function, or has no name (a field's or parameter's type), so a " +
			"wrapper could not refer to it.",
		"Declare it at package level and give it a name.",
	},
	{
		codeNoMethods, "no methods",
		"The wrapped interface has no methods, so its wrapper does nothing.",
		"Add methods, or delete the annotation.",
	},
	{
		codeNoKeys, "no method has a key",
		"Every method of the wrapped interface is forwarded, so its wrapper does nothing.",
		"Give a key to each method that must not run twice, or delete the annotation.",
	},
	{
		codeNotWrapped, "annotated, but not wrapped",
		"A method is annotated, but its interface has no //idem:wrap and no wrapped interface embeds it.",
		"Put //idem:wrap on the interface.",
	},
	{
		codeKeyOrSkip, "neither key nor skip",
		"A method of a wrapped interface says neither how it is keyed nor that it is to be forwarded. Forwarded in " +
			"silence, a method added later would run unprotected.",
		"Write //idem:key EXPR or //idem:skip on it, //idem:on METHOD key EXPR (or skip) on the wrapped interface for one that comes from an " +
			"embedded one, or //idem:skip * to forward all methods without a key.",
	},
	{
		codeTwoMeanings, "two declarations of one method differ",
		"The interface gets one method from two embedded interfaces, and they are annotated differently.",
		"Annotate one of them, or both alike.",
	},
	{
		codeNameTaken, "generated name is taken",
		"The package already declares a name that the generator would use for the wrapper or its constructor, or two " +
			"wrappers would have one name.",
		"Rename one of them, or give the wrapper a name with //idem:wrap NAME.",
	},
	{
		codeNoSuchMethod, "no such method",
		"An //idem:on names a method that the interface gets from nothing that it embeds.",
		"Write the name as it is declared in the embedded interface, with its capitals.",
	},
	{
		codeShape, "a keyed method needs a context and an error",
		"A keyed method must have exactly one parameter that is a context.Context, to reach the store within the " +
			"caller's deadline, and end in the predeclared error, to say what went wrong with the key.",
		"Change the signature, or forward the method with //idem:skip.",
	},
	{
		codeRecover, "the recover method does not fit",
		"//idem:takeover recover METHOD names a method of the same interface that tells whether another has happened: it takes the same " +
			"parameters, and returns the same results with a bool before the error. It has no key of its own, and is forwarded.",
		"Declare it as the message says, or choose another takeover policy.",
	},
	{
		codeTransaction, "the transaction does not reach the method",
		"Under //idem:tx join the method works in its caller's transaction, which is its one parameter of type pgx.Tx or *sql.Tx. " +
			"Under own and optimistic the wrapper opens the transaction, and the method finds it in its context.",
		"Give the method the parameter, take it away, or choose the other mode.",
	},
	{
		codeSyntax, "the expression does not parse",
		"The text after the annotation is not a Go expression, or not several separated by commas.",
		"Mend it where the position points.",
	},
	{
		codeExpression, "the expression does not type-check",
		"Names in an expression are the method's parameters, then what the file imports, then what the package declares.",
		"Give the parameter a name, import the package in the file the method is declared in, or mend the types.",
	},
	{
		codeKeyType, "the type can't be a key",
		"A key or scope is of string or integer kind, an encoding.TextMarshaler, a fmt.Stringer or a [16]byte; other " +
			"types have no text that would be the same tomorrow.",
		"Name a field or call a method that gives such a value.",
	},
	{
		codeConstantKey, "the key is constant",
		"The key is the same for every call, so the method runs once for all of them.",
		"Name a parameter in it.",
	},
	{
		codeNoScope, "a key from the context needs a scope",
		"The key is picked by a client. Two customers that pick the same one would share a row, and one would read the " +
			"other's outcome.",
		"Say whose key it is with //idem:scope EXPR, or //idem:scope none where there is one tenant only.",
	},
	{
		codeErrorName, "not an error",
		"An entry of //idem:errors is a variable or constant that is an error, or a type that is one: then errors.Is or " +
			"errors.As finds it in what the method returns. A name is looked up in the file the annotation stands in. A final error is stored, and given " +
			"to later callers: the end of a context is nobody's outcome, and of an interface nobody knows which type to give back.",
		"Name the variable (ErrDeclined), the type as the method returns it (*DeclinedError where its pointer is the error), or an instance " +
			"(NotFound[Order]). What no name stands for, the method marks itself, with idem.NoEffect or idem.Unknown.",
	},
	{
		codeSecretKey, "the key is a secret",
		"A key or scope reads a field that is marked idem:\"secret\". Keys and scopes are stored as they are, for people to find rows by.",
		"Name something that may be seen, or hand the whole value to a function of yours that hashes it.",
	},
	{
		codeResult, "the result does not survive storage",
		"A replay would return something else than the first call did, because json drops or refuses a part of the result's type.",
		"Change the type as the message says, or accept the loss with //idem:lossy REASON.",
	},
	{
		codeResultNil, "the result comes back in another form",
		"A replay says the same, but is not identical to what the first call returned: an empty slice or map of a field " +
			"with omitempty comes back as nil, raw json without its spaces.",
		"Change the type as the message says (drop omitempty), or accept it with //idem:lossy REASON.",
	},
	{
		codeParameter, "the parameter can't be part of the fingerprint",
		"The fingerprint tells a retry from another request with the same key. Functions, channels, unread readers and " +
			"structs that hide their fields can't be told apart.",
		"Leave the parameter out with //idem:fingerprint except NAME, or name what counts with //idem:fingerprint EXPR.",
	},
	{
		codeCodec, "the codec does not fit",
		"//idem:codec names json, proto (for protobuf messages, of which it is the default; its module has to be required), or a codec of yours: a variable that is an idem.Codec of the method's " +
			"result, a function without arguments that returns one, or a type that is one. A generic function or type is made for the result; " +
			"only such a one can store several results, because they are stored as one of a type that is generated.",
		"Name a codec for the result, or a generic one; or get the module that the message says.",
	},
	{
		codeSecretTag, "unknown tag idem",
		"A field of a parameter or result has a struct tag idem that says something else than secret, or that reflection can't read. " +
			"The field would not be kept secret.",
		"Write idem:\"secret\", between blanks, beside the other tags.",
	},
	{
		codeErrorData, "a final error does not survive storage",
		"An error of a type that //idem:errors final names is stored with its data, as results are: by encoding/json. What json can't write " +
			"or read back, such as an unexported field, would be missing from the error that later callers get, whatever its text says. Exported fields of " +
			"type error, of the error itself, are kept.",
		"Export the field, or give the type a MarshalJSON and an UnmarshalJSON; of a type that is not yours, return one of your own instead. " +
			"//idem:lossy REASON accepts it.",
	},
	{
		codeShortLease, "the lease is short",
		"A lease has to outlast a renewal that is late. Below 100ms it can't and is refused; below 1s it is only safe " +
			"on a quiet machine.",
		"Use a second or more.",
	},
	{
		codeSameName, "two operations have one name",
		"The name of an operation is part of the stored row, so two methods with one name would replay each other's outcomes.",
		"Give one of them another name with //idem:op.",
	},
	{
		codeContradicts, "two settings contradict each other",
		"A transaction that is rolled back leaves nothing to recover or to hold, and a method that outlives its caller can't work in " +
			"its caller's transaction.",
		"Delete one of the two. Where one is the interface's default, say another on the method.",
	},
	{
		codeBrokenSource, "syntax error",
		"A file of the package does not parse.",
		"Mend it.",
	},
	{
		codeBrokenType, "the declaration does not compile",
		"The annotated interface, or a type that a keyed method stores or compares, has a type error. Types that " +
			"idemgen generates can't be used in the interface they are made from.",
		"Mend it. Errors elsewhere in the package are left to the compiler.",
	},
	{
		codeBrokenImport, "the import can't be used",
		"A package that the annotated interface needs is not available, is in an import cycle, is internal to another " +
			"tree, or is a program.",
		"Mend the import, or run go get for its module.",
	},
	{
		codePackage, "the package can't be loaded",
		"The go command can't make a package of the annotated files, say because one folder holds two packages.",
		"Mend what the message says.",
	},
	{
		codeOutOfReach, "the wrapper can't name it",
		"The wrapper's package can't refer to something the interface or an expression uses: it is not exported, " +
			"internal to another tree, or a type of package C.",
		"Export it, move it, or write the wrapper into the package it is declared in.",
	},
	{
		codeOutput, "the output can't be written there",
		"A file or package with the needed name is not idemgen's, or would get a build constraint from its name that " +
			"the source does not have, or can't import the interface's package.",
		"Rename or move what is in the way, or the source file.",
	},
	{
		codeImportCycle, "the output would be an import cycle",
		"The package asked for with -out is imported by the package of the interface.",
		"Choose another output package.",
	},
	{
		codeLeftOver, "left-over output",
		"A file was generated by idemgen and no annotation needs it any more. It is never deleted unasked.",
		"Delete it.",
	},
	{
		codeLock, "idem.lock can't be read",
		"The file holds an unresolved merge conflict, something twice, or something this idemgen does not know: it was edited by hand, merged, or " +
			"written by a newer idemgen. Nothing of the module is written, so that nothing of the file gets lost.",
		"Do what the message says; after a merge, take either side of the file and run idemgen, which brings it up to date.",
	},
	{
		codeLockResult, "stored outcomes would be unreadable",
		"Rows hold results in the shape that idem.lock records. A field of the method's result was removed, renamed or retyped, or an upcast " +
			"was deleted, so a retry of an old request would get an error, or another meaning, instead of its outcome, for as long as the ttl.",
		"Change the type only by adding fields, write //idem:upcast OLDHASH FUNC with a function from the old type, or accept the loss with idemgen -accept.",
	},
	{
		codeLockKey, "stored keys would be forgotten",
		"An operation's name, key or scope has changed. They make up the id of its rows, so a retry of an old request would not find its row, and the " +
			"method would run again.",
		"Keep the name with //idem:op and the key as it was, or accept it with idemgen -accept, best when the ttl of the old rows is over.",
	},
	{
		codeLockRetry, "retries would be refused",
		"The fingerprint of a request tells a retry from another request with the same key. A parameter was renamed or removed, or a field of one, so a " +
			"retry of an old request would no longer be recognised: ErrMismatch.",
		"Keep the names (those of parameters count, too), choose what counts with //idem:fingerprint, or accept it with idemgen -accept.",
	},
	{
		codeLockGone, "a recorded operation is gone",
		"idem.lock records a keyed method that is not there any more, while rows of it may be. Without its key a retry of an old request runs again.",
		"Accept it with idemgen -accept, or bring the method or its key back. A method that is gone altogether is a warning until then, for which -check fails.",
	},
	{
		codeLockTaken, "another package has the operation",
		"idem.lock records an operation of this name for another package, which this run does not look at. Two methods with one name would replay " +
			"each other's outcomes.",
		"If the method has moved, run idemgen over both packages; else give it another name with //idem:op.",
	},
	{
		codeUpcast, "the upcast can't be used",
		"The function of an //idem:upcast must take the result in the older shape, which the hash proves, and return what the method returns, with or " +
			"without an error.",
		"Do what the message says. The old type has to be written as it was; idem.lock lists the fields of each shape.",
	},
	{
		"IDEM090", "past the wrapper",
		"A keyed method is called on an implementation of a wrapped interface, or taken from it as a value, so nothing keeps it from running twice.",
		"Make the wrapper once, where the implementation is made, and hand on that one.",
	},
	{
		"IDEM091", "a new key for every attempt",
		"The key of a wrapped call is made inside what repeats the call, so every attempt is a request of its own and runs.",
		"Make the key before the loop, or before the function that is retried; better still, take it from what asked for the call.",
	},
	{
		"IDEM092", "cut off from the caller's context",
		"A wrapped call is given context.Background() or context.TODO(), so its caller's deadline and cancellation never reach it: it may wait for " +
			"another call's outcome for as long as its policy lets it, when nobody waits for it any more.",
		"Hand on the context of the caller; where the call is meant to outlive it, context.WithoutCancel or a deadline of its own say so.",
	},
	{
		"IDEM093", "inside an open transaction",
		"A wrapped call is made while a transaction is open that is not its own. Its claim and outcome are committed on their own, so that a rollback " +
			"leaves an outcome for an effect that is gone.",
		"Call it before the transaction begins or after it has ended. A method that takes the transaction under //idem:tx join is not reported: its " +
			"outcome is in it.",
	},
}
