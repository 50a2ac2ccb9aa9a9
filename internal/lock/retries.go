package lock

import (
	"slices"
	"time"

	"github.com/idemgen/idemgen/idem/shape"
)

// This file decides whether a retry of a request from before a change is still recognised as the same request. A fingerprint leaves
// zero values out, so what is added does no harm: an old request has no value for it.

// Mismatches lists what makes the fingerprints of equal requests differ; nothing: retries are recognised.
func Mismatches(was, is *Operation) []Change {
	c := &retries{comparison{seen: map[seenPair]bool{}}}
	other := renamedParameters(was, is)
	renamed := map[string]bool{}
	for _, a := range was.Arguments {
		i := slices.IndexFunc(is.Arguments, func(b Argument) bool { return a.Name == b.Name })
		if name, ok := other[a.Name]; ok && i < 0 {
			c.fail(segment(a.Name), "is called %s now", segment(name))
			renamed[name] = true
			continue
		}
		if i < 0 {
			c.fail(segment(a.Name), "no longer counts")
			continue
		}
		c.value(a.Layout, is.Arguments[i].Layout, segment(a.Name))
	}
	for _, b := range is.Arguments {
		counted := slices.ContainsFunc(was.Arguments, func(a Argument) bool { return a.Name == b.Name })
		isParameter := slices.Contains(is.Parameters, b.Name)
		if !counted && !renamed[b.Name] && (!isParameter || slices.Contains(was.Parameters, b.Name)) {
			c.fail(segment(b.Name), "counts now")
		}
	}
	return c.changes
}

type retries struct{ comparison }

func (c *retries) value(was, is *shape.Layout, path string) {
	pair := seenPair{was: was, is: is}
	if c.seen[pair] {
		return
	}
	c.seen[pair] = true
	if was.Form != is.Form {
		c.fail(path, "was %s, and is %s now", argumentText(was), argumentText(is))
		return
	}
	switch was.Form {
	case shape.FormStruct:
		for _, f := range was.Fields {
			i := slices.IndexFunc(is.Fields, func(g shape.LayoutField) bool { return f.Name == g.Name })
			at := path + "." + segment(f.Name)
			if i < 0 {
				c.fail(at, "is gone")
				continue
			}
			c.value(f.Type, is.Fields[i].Type, at)
		}
	case shape.FormMap:
		if k, l := keyText(was.Key), keyText(is.Key); k != l {
			c.fail(path, "had %s as keys, and has %s now", k, l)
		}
		c.value(was.Elem, is.Elem, path+"[]")
	case shape.FormArray:
		if was.Len != is.Len {
			c.fail(path, "had %d elements, and has %d now", was.Len, is.Len)
			return
		}
		c.value(was.Elem, is.Elem, path+"[]")
	case shape.FormSlice:
		c.value(was.Elem, is.Elem, path+"[]")
	case shape.FormPointer:
		c.value(was.Elem, is.Elem, path)
	}
}

// argumentText is a layout in a fingerprint for people.
func argumentText(n *shape.Layout) string {
	switch n.Form {
	case shape.FormDynamic:
		return "an interface"
	case "json", "text", "binary":
		return "compared by its " + n.Form + " form"
	}
	return describe(n)
}

// SameKey reports whether two operations make the same stored key and scope of the same arguments. A parameter may have another name, where
// it stands where it did.
func SameKey(was, is *Operation) bool {
	renamed := renamedParameters(was, is)
	same := func(a, b string) bool { return a == b || rename(a, renamed) == b }
	return slices.EqualFunc(was.Key, is.Key, same) && same(was.Scope, is.Scope)
}

// Longer reports whether rows of ttl a are there for longer than those of ttl b.
func Longer(a, b string) bool {
	const forever = "forever"
	if a == forever || b == forever {
		return a != b && a == forever
	}
	long, _ := time.ParseDuration(a) // 0 of what somebody else wrote there
	short, _ := time.ParseDuration(b)
	return long > short
}

// renamedParameters are the new names of parameters that have another name where they stood.
func renamedParameters(was, is *Operation) map[string]string {
	renamed := map[string]string{}
	for i, name := range was.Parameters {
		if i < len(is.Parameters) && !slices.Contains(is.Parameters, name) && !slices.Contains(was.Parameters, is.Parameters[i]) {
			renamed[name] = is.Parameters[i]
		}
	}
	return renamed
}
