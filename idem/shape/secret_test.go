package shape

import (
	"reflect"
	"slices"
	"testing"
)

func TestMark_KnowsSecretAndNothingElse(t *testing.T) {
	t.Parallel()
	for tag, want := range map[reflect.StructTag]Mark{
		``:                             MarkNone,
		`json:"pan"`:                   MarkNone,
		`json:"idem:x"`:                MarkNone,
		`idem:"secret"`:                MarkSecret,
		`json:"pan" idem:"secret"`:     MarkSecret,
		`json:"pan"  idem:"secret" x:`: MarkSecret,
		`idem:"secrets"`:               MarkUnknown,
		`idem:"Secret"`:                MarkUnknown,
		`idem:"secret,omitempty"`:      MarkUnknown,
		`idem:""`:                      MarkUnknown,
		`Idem:"secret"`:                MarkUnknown,
		`idem:secret`:                  MarkUnknown,
		`json:"pan",idem:"secret"`:     MarkUnknown,
		`idem: "secret"`:               MarkUnknown,
		`just text`:                    MarkNone,
	} {
		if got := (Field{Tag: tag}).Mark(); got != want {
			t.Errorf("%s: %d, want %d", tag, got, want)
		}
	}
}

func TestMarked_FindsFieldsWhereverTheyAre(t *testing.T) {
	t.Parallel()
	type card struct {
		PAN  string `idem:"secret"`
		Next *card
	}
	type odd struct {
		Typo int `idem:"secert"`
	}
	for _, c := range []struct {
		typ             reflect.Type
		secret, unknown []string
	}{
		{reflect.TypeFor[int](), nil, nil},
		{reflect.TypeFor[*card](), []string{"shape.card.PAN"}, nil},
		{reflect.TypeFor[struct{ Cards map[string][]card }](), []string{"Cards[][].PAN"}, nil},
		{reflect.TypeFor[map[card]odd](), []string{"[]shape.card.PAN"}, []string{"[]shape.odd.Typo"}},
		{reflect.TypeFor[struct {
			pin [4]byte `idem:"secret"`
		}](), []string{"pin"}, nil},
		{reflect.TypeFor[[]any](), nil, nil},
	} {
		paths := func(list []Problem) (out []string) {
			for _, p := range list {
				out = append(out, p.Path)
			}
			return out
		}
		secret, unknown := Marked(Of(c.typ))
		if !slices.Equal(paths(secret), c.secret) || !slices.Equal(paths(unknown), c.unknown) {
			t.Errorf("%s: got %q, %q", c.typ, paths(secret), paths(unknown))
		}
	}
}

// TestSchema_SecretsAreStoredLikeOthers: marking a field must not make stored results unreadable.
func TestSchema_SecretsAreStoredLikeOthers(t *testing.T) {
	t.Parallel()
	type open struct{ PAN string }
	type marked struct {
		PAN string `idem:"secret"`
	}
	if a, b := Schema(Of(reflect.TypeFor[open]())), Schema(Of(reflect.TypeFor[marked]())); a != b {
		t.Errorf("%s and %s", a, b)
	}
}
