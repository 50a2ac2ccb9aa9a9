// Package catalogue holds types as people write them, each a specimen. One file has one kind of them, and one list.
package catalogue

//lint:file-ignore U1000 Some fields are there to be lost.

import (
	"slices"

	"github.com/idemgen/idemgen/lab/specimen"
)

// All are the specimens of all files, by file name, each in its order there.
func All() []specimen.Specimen {
	return slices.Concat(embeddedTypes, foreignTypes, genericTypes, marshalTypes, plainTypes, recursiveTypes, standardTypes, tagTypes)
}
