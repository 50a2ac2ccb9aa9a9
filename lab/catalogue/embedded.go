package catalogue

//lint:file-ignore U1000 Some fields are there to be lost.

import (
	"time"

	"github.com/idemgen/idemgen/lab/specimen"
)

type (
	base     struct{ ID string }
	Base     struct{ ID string }
	hiding   struct{ id string }
	codeText string
	CodeText string

	EmbedExported   struct{ Base }
	EmbedUnexported struct{ base }
	EmbedBoth       struct {
		Base
		Name string
	}
	EmbedPointer       struct{ *Base }
	EmbedPointerHidden struct{ *base }
	EmbedEmptyPointer  struct{ *empty }
	empty              struct{}
	EmbedHiding        struct{ hiding }
	EmbedShadowed      struct {
		Base
		ID int
	}
	EmbedShadowedByTag struct {
		Base
		Other int `json:"ID"`
	}
	EmbedTwice struct {
		Base
		base
	}
	EmbedTagged struct {
		Base `json:"base"`
		ID   int
	}
	EmbedUnexportedTagged struct {
		base `json:"base"`
	}
	EmbedPointerTagged struct {
		*Base `json:"base"`
	}
	EmbedPointerHiddenTagged struct {
		*base `json:"base"`
	}
	EmbedString       struct{ CodeText }
	EmbedHiddenString struct{ codeText }
	EmbedSlice        struct{ Names }
	EmbedMap          struct{ Counts }
	EmbedInterface    struct{ Priced }
	EmbedError        struct{ error }
	EmbedOmit         struct{ *OmitBase }
	EmbedTwoPointers  struct {
		*EmbedPointer
		Own int
	}
	OmitBase struct {
		A int    `json:",omitempty"`
		B string `json:",omitempty"`
	}
	EmbedOmitHalf struct{ *OmitHalf }
	OmitHalf      struct {
		A int `json:",omitempty"`
		B string
	}
	EmbedTime       struct{ time.Time }
	EmbedTimeBeside struct {
		time.Time
		Zone string
	}
	EmbedTimePointer struct{ *time.Time }
	EmbedTimeInSlice []EmbedTime
	EmbedTimeUnnamed struct{ At struct{ time.Time } }
	EmbedTimeInMap   map[string]EmbedTime
	EmbedTimeTagged  struct {
		time.Time `json:"time"`
		Zone      string
	}
	TwoLevels struct {
		EmbedBoth
		Extra int
	}
	TwoPaths struct {
		LeftSide
		RightSide
	}
	LeftSide  struct{ Base }
	RightSide struct{ Base }
	SelfPtr   struct {
		*SelfPtr
		N int
	}
	DeepHidden struct{ LeftHidden }
	LeftHidden struct{ hiding }
	Diamond    struct {
		*LeftSide
		Own int
	}
	EmbedDash struct {
		Base `json:"-"`
		N    int
	}
)

var embeddedTypes = []specimen.Specimen{
	specimen.Of[EmbedExported](), specimen.Of[EmbedUnexported](), specimen.Of[EmbedBoth](), specimen.Of[EmbedPointer](), specimen.Of[EmbedPointerHidden](),
	specimen.Of[EmbedEmptyPointer](), specimen.Of[EmbedHiding](), specimen.Of[EmbedShadowed](), specimen.Of[EmbedShadowedByTag](), specimen.Of[EmbedTwice](),
	specimen.Of[EmbedTagged](), specimen.Of[EmbedUnexportedTagged](), specimen.Of[EmbedPointerTagged](), specimen.Of[EmbedPointerHiddenTagged](),
	specimen.Of[EmbedString](), specimen.Of[EmbedHiddenString](), specimen.Of[EmbedSlice](), specimen.Of[EmbedMap](), specimen.Of[EmbedInterface](),
	specimen.Of[EmbedError](), specimen.Of[EmbedOmit](), specimen.Of[EmbedOmitHalf](), specimen.Of[EmbedTwoPointers](), specimen.Of[EmbedTime](), specimen.Of[EmbedTimeBeside](),
	specimen.Of[EmbedTimePointer](), specimen.Of[EmbedTimeInSlice](), specimen.Of[EmbedTimeUnnamed](), specimen.Of[EmbedTimeInMap](), specimen.Of[EmbedTimeTagged](),
	specimen.Of[TwoLevels](), specimen.Of[TwoPaths](), specimen.Of[SelfPtr](), specimen.Of[DeepHidden](), specimen.Of[Diamond](), specimen.Of[EmbedDash](),
}
