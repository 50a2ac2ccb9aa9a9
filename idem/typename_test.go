package idem

import (
	"context"
	"net/http"
	"testing"
	"time"
)

const thisPackage = "github.com/idemgen/idemgen/idem."

func TestTypeName_HasImportPathsAndTellsTypesApart(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for want, got := range map[string]string{
		"int":                     TypeName[int](),
		"uint8":                   TypeName[byte](),
		"error":                   TypeName[error](),
		"interface{}":             TypeName[any](),
		"time.Time":               TypeName[time.Time](),
		"*net/http.Request":       TypeName[*http.Request](),
		"[]net/http.Header":       TypeName[[]http.Header](),
		"[3]int":                  TypeName[[3]int](),
		"map[string][]*time.Time": TypeName[map[string][]*time.Time](),
		"chan (int)":              TypeName[chan int](),
		"<-chan (chan (int))":     TypeName[<-chan chan int](),
		"chan (<-chan (int))":     TypeName[chan (<-chan int)](),
		"chan<- (func()())":       TypeName[chan<- func()](),
		"func(context.Context,...string)(int,error)": TypeName[func(context.Context, ...string) (int, error)](),
		"func([]string)()":                           TypeName[func([]string)](),
		"struct{}":                                   TypeName[struct{}](),
		`struct{A int "json:\"a\"";` + thisPackage + "b string;time.Time}": TypeName[struct {
			A int `json:"a"`
			b string
			time.Time
		}](),
		"interface{" + "Close()(error);" + thisPackage + "secret()()}": TypeName[interface {
			Close() error
			secret()
		}](),
		thisPackage + "receipt": TypeName[receipt](),
		thisPackage + "page[github.com/idemgen/idemgen/idem.receipt]": TypeName[page[receipt]](),
		thisPackage + "page[[]time.Time]":                             TypeName[page[[]time.Time]](),
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if seen[got] {
			t.Errorf("%s twice", got)
		}
		seen[got] = true
	}
}

func localOne() string {
	type local struct{}
	return TypeName[local]()
}

func localTwo() string {
	type local struct{ A int }
	return TypeName[local]()
}

func TestTypeName_TellsTypesOfTwoFunctionsApart(t *testing.T) {
	t.Parallel()
	if localOne() == localTwo() {
		t.Errorf("both are %s", localOne())
	}
}
