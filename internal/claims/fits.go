package claims

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/idemgen/idemgen/idem/shape"
)

// This file tells whether json is what an operation stores, going by the layout in idem.lock. A person's result is read by programs that
// are strict: a field too many makes it unreadable, and one that is missing comes back as zero, as if somebody had found that.

// fits says at which path the json is not of the layout, and what should be there. It never quotes a value.
func fits(data []byte, layout *shape.Layout) error {
	if !utf8.Valid(data) {
		return errors.New("it is not valid UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := value(d)
	if err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more than one value")
	}
	return fit("result", v, layout)
}

// member is a field of a json object.
type member struct {
	name  string
	value any
}

// value reads one value, objects as lists of their members: a map would hide those that are there twice.
func value(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, errors.New("it is no json")
	}
	switch t {
	case json.Delim('{'):
		object := []member{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, errors.New("it is no json")
			}
			v, err := value(d)
			if err != nil {
				return nil, err
			}
			object = append(object, member{name.(string), v})
		}
		_, err := d.Token()
		return object, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := value(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	}
	return t, nil
}

func wrong(path, what string) error { return fmt.Errorf("at %s there must be %s", path, what) }

// fit checks one value. A layout without a type stands for one that is not looked into.
func fit(path string, v any, n *shape.Layout) error {
	switch n.Form {
	case shape.FormPointer:
		if v == nil {
			return nil
		}
		return fit(path, v, n.Elem)
	case shape.FormSlice, shape.FormArray:
		if v == nil && n.Form == shape.FormSlice {
			return nil
		}
		return fitList(path, v, n)
	case shape.FormMap:
		return fitMap(path, v, n)
	case shape.FormStruct:
		return fitStruct(path, v, n)
	case shape.FormQuoted:
		return fitQuoted(path, v, n)
	default:
		return fitScalar(path, v, n.Form)
	}
}

func fitList(path string, v any, n *shape.Layout) error {
	list, ok := v.([]any)
	switch {
	case !ok:
		return wrong(path, "a list")
	case n.Form == shape.FormArray && len(list) != n.Len:
		return wrong(path, fmt.Sprintf("a list of %d", n.Len))
	}
	for i, elem := range list {
		if err := fit(path+"["+strconv.Itoa(i)+"]", elem, n.Elem); err != nil {
			return err
		}
	}
	return nil
}

func fitMap(path string, v any, n *shape.Layout) error {
	if v == nil {
		return nil
	}
	object, ok := v.([]member)
	if !ok {
		return wrong(path, "an object")
	}
	for i, m := range object {
		if slices.ContainsFunc(object[:i], func(o member) bool { return o.name == m.name }) {
			return fmt.Errorf("at %s a name is there twice", path)
		}
		if whole(n.Key.Form) && fitScalar(path, json.Number(m.name), n.Key.Form) != nil {
			return wrong(path, "names that are of type "+n.Key.Form)
		}
		if err := fit(path+"[…]", m.value, n.Elem); err != nil { // a name may be anybody's secret
			return err
		}
	}
	return nil
}

func fitStruct(path string, v any, n *shape.Layout) error {
	object, ok := v.([]member)
	if !ok {
		return wrong(path, "an object")
	}
	for i, m := range object {
		at := slices.IndexFunc(n.Fields, func(f shape.LayoutField) bool { return f.Name == m.name })
		switch {
		case at < 0:
			return fmt.Errorf("at %s there is a field that the type does not have; it has %s", path, fieldNames(n))
		case slices.ContainsFunc(object[:i], func(o member) bool { return o.name == m.name }):
			return fmt.Errorf("%s.%s is there twice", path, m.name)
		}
		if err := fit(path+"."+m.name, m.value, n.Fields[at].Type); err != nil {
			return err
		}
	}
	for _, f := range n.Fields {
		if !f.Omitted && !f.Behind && !slices.ContainsFunc(object, func(m member) bool { return m.name == f.Name }) {
			return fmt.Errorf("%s.%s is missing", path, f.Name)
		}
	}
	return nil
}

func fieldNames(n *shape.Layout) string {
	var names []string
	for _, f := range n.Fields {
		names = append(names, f.Name)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// fitQuoted is a scalar written as a string.
func fitQuoted(path string, v any, n *shape.Layout) error {
	text, ok := v.(string)
	for n.Elem.Form == shape.FormPointer {
		if v == nil {
			return nil
		}
		n = n.Elem
	}
	if !ok || string(compact([]byte(text))) != text || fits([]byte(text), n.Elem) != nil { // blanks are not read there
		return wrong(path, "a string that holds a "+n.Elem.Form)
	}
	return nil
}

// whole tells the forms of integers.
func whole(form string) bool {
	return strings.HasPrefix(form, "int") || strings.HasPrefix(form, "uint")
}

// bits is how many bits a form has, behind its name; int and uint have 64.
func bits(form string) uint {
	n, err := strconv.ParseUint(strings.TrimLeft(form, "uintpr"), 10, 8)
	if err != nil {
		return 64
	}
	return uint(n)
}

func fitScalar(path string, v any, form string) error {
	switch {
	case form == "bool":
		if _, ok := v.(bool); !ok {
			return wrong(path, "true or false")
		}
	case form == "string":
		if _, ok := v.(string); !ok {
			return wrong(path, "a string")
		}
	case form == "bytes":
		text, ok := v.(string)
		if _, err := base64.StdEncoding.DecodeString(text); v != nil && (!ok || err != nil) {
			return wrong(path, "a string in base64")
		}
	case whole(form):
		number, _ := v.(json.Number)
		i, ok := new(big.Int).SetString(number.String(), 10)
		n := bits(form)
		if ok && form[0] == 'i' {
			half := new(big.Int).Lsh(big.NewInt(1), n-1)
			ok = i.Cmp(half) < 0 && i.Cmp(half.Neg(half)) >= 0
		} else if ok {
			ok = i.Sign() >= 0 && uint(i.BitLen()) <= n
		}
		if !ok {
			return wrong(path, "a whole number of type "+form)
		}
	case form == "float32", form == "float64":
		number, ok := v.(json.Number)
		if _, err := strconv.ParseFloat(number.String(), map[string]int{"float32": 32, "float64": 64}[form]); !ok || err != nil {
			return wrong(path, "a number of type "+form)
		}
	case form == "number":
		if _, ok := v.(json.Number); !ok {
			return wrong(path, "a number")
		}
	case form == "json(time.Time)":
		text, ok := v.(string)
		if _, err := time.Parse(time.RFC3339, text); !ok || err != nil {
			return wrong(path, "a time as in 2026-01-02T15:04:05Z")
		}
	case strings.HasPrefix(form, "text("):
		if _, ok := v.(string); !ok {
			return wrong(path, "a string, the text of a "+form)
		}
	}
	return nil // any, or a type that reads itself: only its program can say more
}

// parameterised tells whether the layout has a type argument in it.
func parameterised(n *shape.Layout) bool {
	seen := map[*shape.Layout]bool{}
	var walk func(n *shape.Layout) bool
	walk = func(n *shape.Layout) bool {
		if n == nil || seen[n] {
			return false
		}
		seen[n] = true
		if n.Form == "parameter" || walk(n.Key) || walk(n.Elem) {
			return true
		}
		return slices.ContainsFunc(n.Fields, func(f shape.LayoutField) bool { return walk(f.Type) })
	}
	return walk(n)
}

// compact is json without blanks, as programs store it.
func compact(data []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, data) != nil {
		return data
	}
	return b.Bytes()
}
