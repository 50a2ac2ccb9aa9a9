package idem

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/idemgen/idemgen/idem/shape"
)

// This file is the verdict on result types that only an instance of a generic wrapper knows.

// CheckResult panics when a result of type T does not come back from its storage as json as it left; op is the operation's
// name, for the message. Constructors of generic wrappers call it, since the generator could not know T.
func CheckResult[T any](op string) {
	t := reflect.TypeFor[T]()
	var faults []string
	for _, p := range shape.Storable(shape.Of(t)) {
		if !p.Warning {
			faults = append(faults, fault(p))
		}
	}
	if len(faults) > 0 {
		panic(fmt.Sprintf("idem: operation %s: a result of type %s does not survive its storage as json:\n\t%s",
			op, shape.TypeName(t), strings.Join(faults, "\n\t")))
	}
}

// CheckError panics when the data of an E, which FinalAs stores, does not come back from its storage as it left; op is the operation's
// name, for the message. Constructors of generic wrappers call it, since the generator could not know E.
func CheckError[E error](op string) {
	t := reflect.TypeFor[E]()
	var faults []string
	for _, p := range shape.StorableError(shape.Of(t)) {
		if !p.Warning {
			faults = append(faults, fault(p))
		}
	}
	if len(faults) > 0 {
		panic(fmt.Sprintf("idem: operation %s: an error of type %s does not survive its storage as json:\n\t%s",
			op, shape.TypeName(t), strings.Join(faults, "\n\t")))
	}
}

func fault(p shape.Problem) string {
	if p.Path == "" {
		return "it " + p.Reason + "; " + p.Mend
	}
	return p.Path + " " + p.Reason + "; " + p.Mend
}
