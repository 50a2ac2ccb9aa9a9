package catalogue

//lint:file-ignore U1000 Some fields are there to be lost.
//lint:file-ignore SA5008 Odd tags are the point.

import (
	"time"

	"github.com/idemgen/idemgen/lab/specimen"
)

type (
	Renamed struct {
		A int `json:"a"`
		B int `json:"b_b"`
		C int `json:"ключ"`
		D int `json:"with space"`
		E int `json:"quo\"ted"`
		F int `json:",omitempty"`
		G int `json:"'"`
		H int `json:"h,b"`
		I int `yaml:"x"`
		J int `json:"💸"`
		K int `json:"<&>"`
	}
	Dash struct {
		Secret string `json:"-"`
	}
	DashName struct {
		Minus string `json:"-,"`
	}
	OmitAll struct {
		B bool            `json:",omitempty"`
		I int             `json:",omitempty"`
		U uint8           `json:",omitempty"`
		F float64         `json:",omitempty"`
		S string          `json:",omitempty"`
		P *int            `json:",omitempty"`
		A [0]int          `json:",omitempty"`
		N [2]int          `json:",omitempty"`
		T struct{ X int } `json:",omitempty"`
		W time.Time       `json:",omitempty"`
	}
	OmitSlice struct {
		A []int `json:",omitempty"`
	}
	OmitMap struct {
		A map[string]int `json:",omitempty"`
	}
	OmitBytes struct {
		A []byte `json:",omitempty"`
	}
	OmitNamed struct {
		A Names `json:",omitempty"`
	}
	ZeroAll struct {
		B bool              `json:",omitzero"`
		I int               `json:",omitzero"`
		F float64           `json:",omitzero"`
		S string            `json:",omitzero"`
		P *int              `json:",omitzero"`
		L []int             `json:",omitzero"`
		M map[string]int    `json:",omitzero"`
		A [2]int            `json:",omitzero"`
		T struct{ X []int } `json:",omitzero"`
		W time.Time         `json:",omitzero"`
	}
	ZeroBoth struct {
		L []int `json:",omitempty,omitzero"`
	}
	ZeroTimePointer struct {
		At *time.Time `json:",omitzero"`
	}
	Sloppy  struct{ N, Rest int }
	ZeroOwn struct {
		S Lenient `json:",omitzero"`
	}
	Borrower struct {
		Lenient
		More string
	}
	Debtor       struct{ *Lenient }
	ZeroBorrowed struct {
		B Borrower `json:",omitzero"`
	}
	ZeroDebtor struct {
		D Debtor `json:",omitzero"`
	}
	ZeroSole struct {
		S struct{ Lenient } `json:",omitzero"`
	}
	Lenient struct{ Amount, Scale int }
	Quoted  struct {
		B bool            `json:",string"`
		I int64           `json:",string"`
		U uint64          `json:"u,string"`
		F float32         `json:",string"`
		S string          `json:",string"`
		P *int            `json:",string"`
		L []int           `json:",string"`
		T struct{ X int } `json:",string"`
		N Cents           `json:",string"`
		O int             `json:",string,omitempty"`
		Q *string         `json:",string"`
	}
	QuotedMarshaler struct {
		M TextPair `json:",string"`
	}
	QuotedInt struct {
		M IntTextPair `json:",string"`
	}
	QuotedIntPtr struct {
		M *IntTextPair `json:",string"`
	}
	QuotedJSONInt struct {
		M IntJSONPair `json:",string"`
	}
	QuotedDuration struct {
		D time.Duration `json:",string"`
	}
	QuotedDouble struct {
		D **int `json:",string"`
	}
	TwinByName struct {
		A string `json:"B"`
		B string
	}
	CaseTwins struct {
		Abc string
		ABC string
		AbC string `json:"abc"`
	}
	CaseTwinsOmit struct {
		A string `json:"a,omitempty"`
		B string `json:"A,omitempty"`
	}
	CaseEmbed struct {
		Base
		Id string
	}
	BadName struct {
		A int `json:"a\\b"`
	}
	EmptyTag struct {
		A int `json:""`
	}
	OtherTag struct {
		A int `xml:"-"`
	}
)

// IsZero ignores the scale.
func (l Lenient) IsZero() bool { return l.Amount == 0 }

var tagTypes = []specimen.Specimen{
	specimen.Of[Renamed](), specimen.Of[Dash](), specimen.Of[DashName](), specimen.Of[OmitAll](), specimen.Of[OmitSlice](), specimen.Of[OmitMap](), specimen.Of[OmitBytes](),
	specimen.Of[OmitNamed](), specimen.Of[ZeroAll](), specimen.Of[ZeroBoth](), specimen.Of(ZeroTimePointer{At: new(time.Time)}), specimen.Of(ZeroOwn{Lenient{0, 2}}), specimen.Of(ZeroBorrowed{Borrower{More: "x"}}), specimen.Of[ZeroDebtor](), specimen.Of(ZeroSole{struct{ Lenient }{Lenient{0, 2}}}),
	specimen.Of[Quoted](), specimen.Of[QuotedMarshaler](), specimen.Of[QuotedInt](), specimen.Of[QuotedIntPtr](), specimen.Of[QuotedJSONInt](), specimen.Of[QuotedDuration](), specimen.Of[QuotedDouble](),
	specimen.Of[TwinByName](), specimen.Of[CaseTwins](), specimen.Of[CaseTwinsOmit](), specimen.Of[CaseEmbed](), specimen.Of[BadName](), specimen.Of[EmptyTag](), specimen.Of[OtherTag](),
}
