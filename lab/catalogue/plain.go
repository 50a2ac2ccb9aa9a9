package catalogue

//lint:file-ignore U1000 Some fields are there to be lost.

import (
	"time"
	"unsafe"

	"github.com/idemgen/idemgen/lab/specimen"
)

type (
	Cents    int64
	Currency string
	Ratio    float64
	Flags    uint8
	Tiny     int8
	On       bool
	Digest   [32]byte
	Blob     []byte
	Octet    byte
	Octets   []Octet
	Weekday  = time.Weekday
	Names    []string
	Matrix   [2][3]float32
	Counts   map[string]int
	ByCents  map[Cents][]Currency
	ByTiny   map[Tiny]bool
	ByUint   map[uint16]*Cents
	ByPtr    uintptr
	Amount   struct {
		Value    Cents
		Currency Currency
	}
	Line struct {
		SKU    string
		Amount Amount
		Tags   []string
	}
	Receipt struct {
		ID    string
		At    time.Time
		Lines []Line
		Total *Amount
		Meta  map[string]string
		Sum   Digest
		Raw   []byte
		Ratio Ratio
	}
	Lists struct {
		A []int
		B [][]string
		C []*int
		D [3]*string
		E map[int][]map[string]bool
		F []struct{ X, Y int }
		G [0]func()
		H struct{}
		I []struct{}
		J map[string]struct{}
	}
	ReceiptAlias = Receipt
	Pointers     struct {
		I *int
		S *string
		R *Receipt
		A *[2]int
		E *struct{}
	}
	DoublePointer struct{ P **int }
	ToSlice       struct{ P *[]int }
	ToMap         struct{ P *map[string]int }
	ToAny         struct{ P *any }
	PointerSlice  []*[]int
	Hidden        struct{ a, b int }
	HalfHidden    struct {
		ID   string
		note string
	}
	HiddenMarker struct {
		ID string
		_  struct{}
		no struct{}
	}
	HiddenFunc struct{ f func() }
	AnyField   struct{ Meta any }
	AnyList    struct{ List []any }
	AnyMap     map[string]any
	AnyDeep    struct {
		Lines []struct{ Extra map[string][]any }
	}
	ErrorField  struct{ Err error }
	ErrorMap    map[string]error
	Priced      interface{ Price() int }
	Item        struct{ Of Priced }
	Func        func(int) string
	FuncField   struct{ OnDone func() }
	FuncMap     map[string]func()
	ChanField   struct{ Done chan struct{} }
	RecvChan    struct{ C <-chan int }
	Complex     complex64
	Point       struct{ Z complex128 }
	Unsafe      struct{ P unsafe.Pointer }
	BoolKey     map[bool]int
	FloatKey    map[float64]int
	StructKey   map[Amount]int
	PointerKey  map[*int]int
	AnyKey      map[any]int
	ArrayKey    map[[2]int]string
	UintptrKey  map[uintptr]int
	CurrencyKey map[Currency]int
	Nested      struct {
		Outer struct {
			Inner struct {
				Deep []map[string]*Amount
			}
		}
	}
	NestedBad struct {
		Outer []struct {
			Inner map[string]struct{ Deep []func() }
		}
	}
	Dated struct {
		At    time.Time
		Maybe *time.Time
		All   []time.Time
		For   time.Duration
		By    map[string]time.Time
	}
	Floats struct {
		A float32
		B float64
		C []float32
		D map[string]float64
		E *float64
	}
	Ints struct {
		A int
		B int8
		C int16
		D int32
		E int64
		F uint
		G uint8
		H uint16
		I uint32
		J uint64
		K uintptr
		L rune
		M byte
	}
)

var plainTypes = []specimen.Specimen{
	specimen.Of[bool](), specimen.Of[string](), specimen.Of[int64](), specimen.Of[uint64](), specimen.Of[float32](), specimen.Of[float64](),
	specimen.Of[[]byte](), specimen.Of[[4]byte](), specimen.Of[*int](), specimen.Of[[]string](), specimen.Of[map[string]int](), specimen.Of[struct{}](),
	specimen.Of[any](), specimen.Of[error](), specimen.Of[func()](), specimen.Of[chan int](), specimen.Of[complex128](), specimen.Of[unsafe.Pointer](),
	specimen.Of[**int](), specimen.Of[*[]int](), specimen.Of[[]any](), specimen.Of[map[string]any](), specimen.Of[struct{ A, b int }](),
	specimen.Of[Cents](), specimen.Of[Currency](), specimen.Of[Ratio](), specimen.Of[Flags](), specimen.Of[Tiny](), specimen.Of[On](),
	specimen.Of[Digest](), specimen.Of[Blob](), specimen.Of[Octet](), specimen.Of[Octets](), specimen.Of[Weekday](), specimen.Of[Names](), specimen.Of[Matrix](),
	specimen.Of[Counts](), specimen.Of[ByCents](), specimen.Of[ByTiny](), specimen.Of[ByUint](), specimen.Of[ByPtr](),
	specimen.Of[Amount](), specimen.Of[Line](), specimen.Of[Receipt](), specimen.Of[*Receipt](), specimen.Of[Lists](), specimen.Of[ReceiptAlias](), specimen.Of[Pointers](),
	specimen.Of[DoublePointer](), specimen.Of[ToSlice](), specimen.Of[ToMap](), specimen.Of[ToAny](), specimen.Of[PointerSlice](),
	specimen.Of[Hidden](), specimen.Of[HalfHidden](), specimen.Of[HiddenMarker](), specimen.Of[HiddenFunc](),
	specimen.Of[AnyField](), specimen.Of[AnyList](), specimen.Of[AnyMap](), specimen.Of[AnyDeep](), specimen.Of[ErrorField](), specimen.Of[ErrorMap](),
	specimen.Of[Priced](), specimen.Of[Item](), specimen.Of[Func](), specimen.Of[FuncField](), specimen.Of[FuncMap](), specimen.Of[ChanField](), specimen.Of[RecvChan](),
	specimen.Of[Complex](), specimen.Of[Point](), specimen.Of[Unsafe](),
	specimen.Of[BoolKey](), specimen.Of[FloatKey](), specimen.Of[StructKey](), specimen.Of[PointerKey](), specimen.Of[AnyKey](), specimen.Of[ArrayKey](),
	specimen.Of[UintptrKey](), specimen.Of[CurrencyKey](), specimen.Of[Nested](), specimen.Of[NestedBad](), specimen.Of[Dated](), specimen.Of[Floats](), specimen.Of[Ints](),
}
