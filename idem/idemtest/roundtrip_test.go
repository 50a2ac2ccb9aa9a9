package idemtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

type lines struct{ Amount, Tax int }

type base struct{ ID string }

// kept survives in every field.
type kept struct {
	base
	Name    string `json:"n"`
	At      time.Time
	Total   *big.Int
	Lines   []lines
	ByName  map[string]*lines
	ByMonth map[time.Month][2]float64
	Addr    netip.Addr
	Raw     json.RawMessage
	Number  json.Number
	Tags    []string `json:",omitempty"`
	Next    *kept
	Bytes   []byte
	Level   level
}

// level is one of three; other values of its kind are none.
type level int

var levels = []string{"low", "middle", "high"}

func (l level) MarshalText() ([]byte, error) { return []byte(levels[l]), nil }

func (l *level) UnmarshalText(text []byte) error {
	for i, name := range levels {
		if name == string(text) {
			*l = level(i)
			return nil
		}
	}
	return errors.New("no level")
}

func (level) Generate(r *rand.Rand, _ int) reflect.Value {
	return reflect.ValueOf(level(r.Intn(len(levels))))
}

func TestRoundTripsOfWhatSurvives(t *testing.T) {
	t.Parallel()
	RoundTrip(t, &idem.Operation[kept]{Name: "kept"})
	RoundTrip(t, &idem.Operation[*kept]{Name: "pointer"})
	RoundTrip(t, &idem.Operation[map[netip.Addr][]kept]{Name: "map"})
	RoundTrip(t, &idem.Operation[idem.Void]{Name: "void"})
	RoundTrip(t, &idem.Operation[float64]{Name: "float"})
	RoundTrip(t, &idem.Operation[struct {
		R1 string `json:"1"`
		R2 []kept `json:"2"`
	}]{Name: "several"})
}

// halfwayCodec writes half of a number, or refuses all.
type halfwayCodec struct{ refuses, unreadable bool }

func (halfwayCodec) Name() string { return "halfway" }

func (c halfwayCodec) Encode(_ idem.Ref, v lines) ([]byte, error) {
	if c.refuses {
		return nil, errors.New("not today")
	}
	return []byte{byte(v.Amount)}, nil
}

func (c halfwayCodec) Decode(_ idem.Ref, data []byte) (lines, error) {
	if c.unreadable {
		return lines{}, errors.New("what is this")
	}
	return lines{Amount: int(data[0])}, nil
}

func TestRoundTripsNameWhatIsLost(t *testing.T) {
	t.Parallel()
	type hidden struct {
		Lines []struct {
			Meta struct {
				Kept, Secret string
				Gone         *int `json:"-"`
			}
		}
	}
	for want, problem := range map[string]string{
		"[0].Meta.Gone was not nil and comes back as nil": roundTrips(&idem.Operation[hidden]{}),
		"the result[": roundTrips(&idem.Operation[map[string]struct {
			A int `json:"-"`
		}]{}),
		"lines.Amount was ":                  roundTrips(&idem.Operation[lines]{Codec: halfwayCodec{}}),
		"can't be read: what is":             roundTrips(&idem.Operation[lines]{Codec: halfwayCodec{unreadable: true}}),
		"no result can be stored: not today": roundTrips(&idem.Operation[lines]{Codec: halfwayCodec{refuses: true}}),
		"A was not nil and comes back as nil": roundTrips(&idem.Operation[struct {
			A **int
		}]{}),
		"A was ": roundTrips(&idem.Operation[struct {
			A time.Duration `json:",omitempty"`
			B int           `json:"A,omitempty"`
		}]{}),
	} {
		if !strings.Contains(problem, want) {
			t.Errorf("said %q; want %q", problem, want)
		}
	}
}

// What is left for the codec to tell at run time is not made, nor is what a type says it never is.
func TestMadeValuesAreTheSameForTheSameBytes(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for n := range 50 {
		data := []byte(fmt.Sprint("some bytes ", n, strings.Repeat("\xff\x80\x01\x7f", n)))
		a, b := filled[kept](data), filled[kept](data)
		if path, _, _ := difference("kept", reflect.ValueOf(&a).Elem(), reflect.ValueOf(&b).Elem()); path != "" {
			t.Fatalf("%s differs for the same bytes", path)
		}
		text, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		seen[string(text)] = true
	}
	if len(seen) < 40 {
		t.Errorf("50 inputs gave %d values", len(seen))
	}
}

func FuzzWhatSurvives(f *testing.F) { FuzzRoundTrip(f, &idem.Operation[kept]{Name: "kept"}) }
