package lock

import "slices"

// This file decides whether errors that were stored as outcomes still come back as what they were. What a program does not know of a stored
// error is left out, so nothing of them means something else; but callers look for it.

// ErrorChanges lists what stored errors are no longer found to be; nothing: each comes back as it was.
func ErrorChanges(was, is *Operation) (changes []Change) {
	for _, e := range was.Errors {
		i := slices.IndexFunc(is.Errors, func(f StoredError) bool { return f.Code == e.Code })
		switch {
		case i < 0:
			changes = append(changes, Change{e.Code, "is not among them any more" + renamedError(was, is, e)})
		case e.Layout.Form == FormValue || e.Layout.Form == FormText:
			if is.Errors[i].Layout.Form != e.Layout.Form {
				changes = append(changes, Change{e.Code, "was a variable, and is a type now"})
			}
		case is.Errors[i].Layout.Form == FormValue:
			changes = append(changes, Change{e.Code, "was a type, and is a variable now"})
		default:
			changes = append(changes, new(comparison).compare(e.Layout, is.Errors[i].Layout, e.Code)...)
		}
	}
	return changes
}

// renamedError asks whether the one error that is new, and of the same kind, is e by another name.
func renamedError(was, is *Operation, e StoredError) string {
	var like []string
	for _, f := range is.Errors {
		isNew := !slices.ContainsFunc(was.Errors, func(e StoredError) bool { return e.Code == f.Code })
		if isNew && (f.Layout.Form == FormValue) == (e.Layout.Form == FormValue) && len(new(comparison).compare(e.Layout, f.Layout, "")) == 0 {
			like = append(like, f.Code)
		}
	}
	if len(like) != 1 {
		return ""
	}
	return "; renamed to " + like[0] + "?"
}

// InheritErrors is Inherit for the data of errors.
func InheritErrors(was, is *Operation) {
	for _, e := range was.Errors {
		for _, f := range is.Errors {
			if e.Code == f.Code {
				Inherit(e.Layout, f.Layout)
			}
		}
	}
}
