package idem

import (
	"encoding/hex"
	"encoding/json"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem/shape"
)

type (
	schemaNode struct {
		Value int
		Next  *schemaNode
	}
	otherNode struct {
		Next  *otherNode `json:"Next,omitempty"`
		Value uint8      `json:",omitzero"`
	}
	schemaForest []schemaForest
)

// schemaVectors are the types behind the schema hashes in the file of vectors.
var schemaVectors = map[string]reflect.Type{
	"scalars": reflect.TypeFor[struct {
		A bool
		B int8
		C uint64
		D float32
		E float64
		F string
		G []byte
		H int `json:"h,string"`
	}](),
	"containers": reflect.TypeFor[struct {
		A []string
		B [3]int
		C map[string]*int
		D map[netip.Addr]bool
		E map[int][]byte
	}](),
	"marshaled": reflect.TypeFor[[]struct {
		At   time.Time
		From *netip.Addr
		N    json.Number
	}](),
	"recursive": reflect.TypeFor[*schemaNode](),
	"forest":    reflect.TypeFor[schemaForest](),
	"embedded":  reflect.TypeFor[embedsIt](),
	"unstorable": reflect.TypeFor[struct {
		A any
		B func()
		C chan int
	}](),
	"results": reflect.TypeFor[struct {
		R1 chargeLine   `json:"1"`
		R2 []chargeLine `json:"2"`
	}](),
}

func TestVectors_SchemaHashesNeverChange(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, v := range readVectors(t).Schemas {
		seen[v.Name] = true
		typ := schemaVectors[v.Name]
		if typ == nil {
			t.Errorf("the type of %q is gone", v.Name)
			continue
		}
		if got := shape.Schema(shape.Of(typ)); got != v.Text {
			t.Errorf("%s:\ngot  %s\nwant %s", v.Name, got, v.Text)
		}
		for range 2 { // the second time from the cache
			if got := hex.EncodeToString(schemaHash(typ)); got != v.Hash {
				t.Errorf("%s: got %s, want %s", v.Name, got, v.Hash)
			}
		}
	}
	for name := range schemaVectors {
		if !seen[name] {
			t.Errorf("%q is not in the file", name)
		}
	}
}

func TestSchemaHash_ChangesWithTheJSONAndNotWithTheGo(t *testing.T) {
	t.Parallel()
	type line struct {
		SKU   string
		Cents int64
	}
	base := reflect.TypeFor[line]()
	same := map[string]reflect.Type{
		"other name": reflect.TypeFor[chargeLine](),
		"other order": reflect.TypeFor[struct {
			Cents int64
			SKU   string
		}](),
		"other field names": reflect.TypeFor[struct {
			A string `json:"SKU"`
			B int64  `json:"Cents"`
		}](),
		"omitempty, omitzero": reflect.TypeFor[struct {
			SKU   string `json:",omitempty"`
			Cents int64  `json:",omitzero"`
		}](),
		"widened": reflect.TypeFor[struct {
			SKU   string
			Cents int32
		}](),
		"embedded": reflect.TypeFor[struct{ line }](),
	}
	for name, typ := range same {
		if string(schemaHash(typ)) != string(schemaHash(base)) {
			t.Errorf("%s changes it", name)
		}
	}
	seen := map[string]string{}
	for name, typ := range map[string]reflect.Type{
		"base": base,
		"renamed": reflect.TypeFor[struct {
			Sku   string
			Cents int64
		}](),
		"removed": reflect.TypeFor[struct{ SKU string }](),
		"added": reflect.TypeFor[struct {
			SKU   string
			Cents int64
			X     int
		}](),
		"retyped": reflect.TypeFor[struct {
			SKU   string
			Cents string
		}](),
		"floating": reflect.TypeFor[struct {
			SKU   string
			Cents float64
		}](),
		"narrow floating": reflect.TypeFor[struct {
			SKU   string
			Cents float32
		}](),
		"optional": reflect.TypeFor[struct {
			SKU   string
			Cents *int64
		}](),
		"quoted": reflect.TypeFor[struct {
			SKU   string
			Cents int64 `json:",string"`
		}](),
		"listed":         reflect.TypeFor[[]line](),
		"array":          reflect.TypeFor[[2]line](),
		"longer array":   reflect.TypeFor[[3]line](),
		"pointer":        reflect.TypeFor[*line](),
		"map":            reflect.TypeFor[map[string]line](),
		"map by number":  reflect.TypeFor[map[int]line](),
		"bytes":          reflect.TypeFor[[]byte](),
		"array of bytes": reflect.TypeFor[[2]byte](),
		"string":         reflect.TypeFor[string](),
		"time":           reflect.TypeFor[time.Time](),
		"address":        reflect.TypeFor[netip.Addr](),
		"duration":       reflect.TypeFor[time.Duration](),
		"recursive":      reflect.TypeFor[schemaNode](),
		"recursive inside": reflect.TypeFor[struct {
			Next  *schemaNode
			Value int
		}](),
	} {
		if other, ok := seen[string(schemaHash(typ))]; ok {
			t.Errorf("%s and %s have one hash", name, other)
		}
		seen[string(schemaHash(typ))] = name
	}
	if string(schemaHash(reflect.TypeFor[schemaNode]())) != string(schemaHash(reflect.TypeFor[otherNode]())) {
		t.Error("names of recursive types count")
	}
}
