package catalogue

//lint:file-ignore U1000 Some fields are there to be lost.

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/lab/specimen"
)

// Types with marshal methods, by which of them they have, on what, and where.
type (
	TextPair       struct{ text string } // MarshalText on the value, UnmarshalText on the pointer
	TextPairPtr    struct{ text string } // both on the pointer
	TextOnly       struct{ Text string }
	UntextOnly     struct{ Text string }
	TextValueRead  struct{ Text string } // UnmarshalText on the value
	JSONPair       struct{ text string }
	JSONPairPtr    struct{ text string }
	JSONOnly       struct{ Text string }
	JSONOnlyPtr    struct{ Text string }
	UnjsonOnly     struct{ Text string }
	JSONValueRead  struct{ Text string }
	JSONText       struct{ Text string } // MarshalJSON and UnmarshalText, which fit
	TextJSON       struct{ Text string } // MarshalText and UnmarshalJSON, which fit
	IntTextPair    int
	IntJSONPair    int
	StringTextPair string
	StringUpper    string // read in upper case, written as it is
	IntTextOnly    int
	IntUntextOnly  int
	MapJSONPair    map[string]int
	SliceTextPair  []string
	WrongSignature struct{ Text string } // MarshalText without an error
	WrongHidden    struct{ text string } // the same, and it hides what it has
	ByteText       byte
	Bytes          []ByteText
	MapValueRead   map[string]int // UnmarshalJSON on the value, which a map can use
)

func (t TextPair) MarshalText() ([]byte, error)      { return []byte(t.text), nil }
func (t *TextPair) UnmarshalText(b []byte) error     { t.text = string(b); return nil }
func (t *TextPairPtr) MarshalText() ([]byte, error)  { return []byte(t.text), nil }
func (t *TextPairPtr) UnmarshalText(b []byte) error  { t.text = string(b); return nil }
func (t TextOnly) MarshalText() ([]byte, error)      { return []byte(t.Text), nil }
func (t *UntextOnly) UnmarshalText(b []byte) error   { t.Text = string(b); return nil }
func (t TextValueRead) MarshalText() ([]byte, error) { return []byte(t.Text), nil }
func (t TextValueRead) UnmarshalText([]byte) error   { return nil }
func (t JSONPair) MarshalJSON() ([]byte, error)      { return json.Marshal(t.text) }
func (t *JSONPair) UnmarshalJSON(b []byte) error     { return json.Unmarshal(b, &t.text) }
func (t *JSONPairPtr) MarshalJSON() ([]byte, error)  { return json.Marshal([]string{t.text}) }
func (t *JSONPairPtr) UnmarshalJSON(b []byte) error  { return json.Unmarshal(b, &[]*string{&t.text}) }
func (t JSONOnly) MarshalJSON() ([]byte, error)      { return json.Marshal(t.Text) }
func (t *JSONOnlyPtr) MarshalJSON() ([]byte, error)  { return json.Marshal(t.Text) }
func (t JSONValueRead) MarshalJSON() ([]byte, error) { return json.Marshal(t.Text) }
func (t JSONValueRead) UnmarshalJSON([]byte) error   { return nil }
func (t JSONText) MarshalJSON() ([]byte, error)      { return json.Marshal(len(t.Text)) }
func (t *JSONText) UnmarshalText(b []byte) error     { t.Text = string(b); return nil }
func (t TextJSON) MarshalText() ([]byte, error)      { return []byte(t.Text), nil }
func (t *TextJSON) UnmarshalJSON(b []byte) error     { return json.Unmarshal(b, &t.Text) }
func (n IntTextPair) MarshalText() ([]byte, error)   { return []byte("n" + strconv.Itoa(int(n))), nil }

func (n IntJSONPair) MarshalJSON() ([]byte, error) {
	return []byte(strconv.Quote(strconv.Itoa(int(n)))), nil
}
func (s StringTextPair) MarshalText() ([]byte, error)  { return []byte(s), nil }
func (s *StringTextPair) UnmarshalText(b []byte) error { *s = StringTextPair(b); return nil }
func (s *StringUpper) UnmarshalText(b []byte) error {
	*s = StringUpper(strings.ToUpper(string(b)))
	return nil
}

func (n IntTextOnly) MarshalText() ([]byte, error)  { return []byte("n" + strconv.Itoa(int(n))), nil }
func (m MapJSONPair) MarshalJSON() ([]byte, error)  { return json.Marshal(map[string]int(m)) }
func (m *MapJSONPair) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*map[string]int)(m)) }

func (s SliceTextPair) MarshalText() ([]byte, error) {
	b, err := json.Marshal([]string(s))
	return b, err
}
func (s *SliceTextPair) UnmarshalText(b []byte) error { return json.Unmarshal(b, (*[]string)(s)) }
func (WrongSignature) MarshalText() []byte            { return nil }
func (WrongHidden) MarshalText() string               { return "" }
func (b ByteText) MarshalText() ([]byte, error)       { return []byte("b" + strconv.Itoa(int(b))), nil }
func (m MapValueRead) MarshalJSON() ([]byte, error)   { return json.Marshal(map[string]int(m)) }
func (m MapValueRead) UnmarshalJSON(b []byte) error   { return json.Unmarshal(b, (*map[string]int)(&m)) }

// UnmarshalJSON reads what json writes by itself, and nothing else.
func (t *UnjsonOnly) UnmarshalJSON(b []byte) error {
	type plain UnjsonOnly
	return json.Unmarshal(b, (*plain)(t))
}

// UnmarshalText reads n5.
func (n *IntTextPair) UnmarshalText(b []byte) (err error) {
	i, err := strconv.Atoi(strings.TrimPrefix(string(b), "n"))
	*n = IntTextPair(i)
	return err
}

// UnmarshalJSON reads "5".
func (n *IntJSONPair) UnmarshalJSON(b []byte) error {
	text, err := strconv.Unquote(string(b))
	if err != nil {
		return err
	}
	i, err := strconv.Atoi(text)
	*n = IntJSONPair(i)
	return err
}

// UnmarshalText reads b5.
func (b *ByteText) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(strings.TrimPrefix(string(text), "b"), 10, 8)
	*b = ByteText(n)
	return err
}

// UnmarshalText wants a word.
func (n *IntUntextOnly) UnmarshalText(b []byte) error {
	if string(b) != "one" {
		return errors.New("not a word")
	}
	*n = 1
	return nil
}

// And where they stand.
type (
	InMap          map[string]TextPair
	PtrInMap       map[string]TextPairPtr
	PtrInMapPtr    map[string]*TextPairPtr
	PtrInSlice     []TextPairPtr
	PtrInArray     [2]TextPairPtr
	PtrInMapArray  map[string][2]TextPairPtr
	PtrInMapSlice  map[string][]TextPairPtr
	PtrInMapStruct map[string]struct{ P TextPairPtr }
	JSONPtrInMap   map[string]JSONPairPtr
	JSONOnlyInMap  map[string]JSONOnlyPtr
	AsKey          map[TextPair]int
	PtrAsKey       map[TextPairPtr]int
	OnlyAsKey      map[TextOnly]int
	IntAsKey       map[IntTextPair]int
	IntOnlyAsKey   map[IntTextOnly]int
	IntUnAsKey     map[IntUntextOnly]int
	IntJSONAsKey   map[IntJSONPair]int
	StringAsKey    map[StringTextPair]int
	UpperAsKey     map[StringUpper]int
	PtrToKey       map[*TextPair]int
	PtrToMapPair   struct{ P *MapJSONPair }
	PtrToSliceText struct{ P *SliceTextPair }
	PtrPtrText     struct{ P **TextPair }
	Promoting      struct{ TextPair }
	PromotingMore  struct {
		TextPair
		More string
	}
	PromotingMarker struct {
		TextPair
		_ struct{}
	}
	PromotingPtr      struct{ *JSONPair }
	PromotingIface    struct{ json.Marshaler }
	PromotingOverride struct {
		TextPair
		More string
	}
	PromotingTwo struct {
		TextPair
		JSONPair
	}
	PromotingClash struct {
		TextPair
		StringTextPair
	}
	PromotingUnexported struct{ textPair }
	textPair            struct{ Text string }
	DefinedFromPair     TextPair   // has no methods
	AliasOfPair         = TextPair // has them
	PromotingInMap      map[string]struct{ TextPair }
	PromotingTagged     struct {
		TextPair `json:"pair"`
	}
	HalfPromoting struct { // MarshalJSON of its own, UnmarshalJSON from below
		JSONPair
		More string
	}
	Everything struct {
		A TextPair
		B *TextPairPtr
		C []JSONPair
		D map[IntTextPair]JSONPair
		E [2]IntJSONPair
		F UnjsonOnly
	}
)

func (t textPair) MarshalText() ([]byte, error)  { return []byte(t.Text), nil }
func (t *textPair) UnmarshalText(b []byte) error { t.Text = string(b); return nil }

// MarshalText writes both.
func (p PromotingOverride) MarshalText() ([]byte, error) {
	return json.Marshal([]string{p.text, p.More})
}

// UnmarshalText reads both.
func (p *PromotingOverride) UnmarshalText(b []byte) error {
	return json.Unmarshal(b, &[]*string{&p.text, &p.More})
}

// MarshalJSON writes both.
func (h HalfPromoting) MarshalJSON() ([]byte, error) { return json.Marshal([]string{h.text, h.More}) }

var marshalTypes = []specimen.Specimen{
	specimen.Of[TextPair](), specimen.Of[TextPairPtr](), specimen.Of[TextOnly](), specimen.Of[UntextOnly](), specimen.Of[TextValueRead](),
	specimen.Of[JSONPair](), specimen.Of[JSONPairPtr](), specimen.Of[JSONOnly](), specimen.Of[JSONOnlyPtr](), specimen.Of[UnjsonOnly](), specimen.Of[JSONValueRead](),
	specimen.Of[JSONText](), specimen.Of[TextJSON](), specimen.Of[IntTextPair](), specimen.Of[IntJSONPair](), specimen.Of[StringTextPair](), specimen.Of[StringUpper](),
	specimen.Of[IntTextOnly](), specimen.Of[IntUntextOnly](), specimen.Of[MapJSONPair](), specimen.Of[SliceTextPair](), specimen.Of[WrongSignature](), specimen.Of[WrongHidden](),
	specimen.Of[ByteText](), specimen.Of[Bytes](), specimen.Of[MapValueRead](),
	specimen.Of[InMap](), specimen.Of[PtrInMap](), specimen.Of[PtrInMapPtr](), specimen.Of[PtrInSlice](), specimen.Of[PtrInArray](), specimen.Of[PtrInMapArray](),
	specimen.Of[PtrInMapSlice](), specimen.Of[PtrInMapStruct](), specimen.Of[JSONPtrInMap](), specimen.Of[JSONOnlyInMap](),
	specimen.Of[AsKey](), specimen.Of[PtrAsKey](), specimen.Of[OnlyAsKey](), specimen.Of[IntAsKey](), specimen.Of[IntOnlyAsKey](), specimen.Of[IntUnAsKey](), specimen.Of[IntJSONAsKey](),
	specimen.Of[StringAsKey](), specimen.Of[UpperAsKey](), specimen.Of[PtrToKey](), specimen.Of[PtrToMapPair](), specimen.Of[PtrToSliceText](), specimen.Of[PtrPtrText](),
	specimen.Of[Promoting](), specimen.Of[PromotingMore](), specimen.Of[PromotingMarker](), specimen.Of[PromotingPtr](), specimen.Of[PromotingIface](), specimen.Of[PromotingOverride](),
	specimen.Of[PromotingTwo](), specimen.Of[PromotingClash](), specimen.Of[PromotingUnexported](), specimen.Of[DefinedFromPair](), specimen.Of[AliasOfPair](),
	specimen.Of[PromotingInMap](), specimen.Of[PromotingTagged](), specimen.Of[HalfPromoting](), specimen.Of[Everything](),
}
