package generator

import (
	"fmt"
	"go/types"
)

// This file holds the rules for methods whose effect shares a transaction with their outcome, and for those that outlive their callers.

// transactions are the indexes of the parameters that are a transaction.
func (m *method) transactions() (found []int) {
	for i := range m.Sig.Params().Len() {
		if transaction(m.Sig.Params().At(i).Type()) {
			found = append(found, i)
		}
	}
	return found
}

// transactionFits wants a transaction that reaches the method, and nothing that a rollback leaves without a meaning.
func (c *checker) transactionFits(w *wrapper, m *method) {
	mode := m.Settings.Tx
	if mode == "" {
		return
	}
	at := m.Says["tx"].Pos
	if takeover := m.Settings.Takeover; takeover != nil && *takeover != "rerun" {
		next := "delete one of them"
		if _, own := note(m.Notes, "takeover"); !own {
			next = "write `//idem:takeover rerun` on `" + m.Name + "`"
		}
		c.errorf(at, codeContradicts, "`tx %s` contradicts the `takeover %s` at %s: a crash rolls the effect back, so there is nothing to ask about; %s",
			mode, *takeover, c.report.place(m.Says["takeover"].Pos), next)
		return
	}
	if reason := c.txOutOfReach(w, m); reason != "" {
		c.errorf(at, codeTransaction, "%s", reason)
	}
}

// txOutOfReach says why the transaction can't reach the method; empty: it can.
func (c *checker) txOutOfReach(w *wrapper, m *method) string {
	found := m.transactions()
	if m.Settings.Tx != "join" {
		switch {
		case len(found) > 0:
			return fmt.Sprintf("under `tx %s` the wrapper opens the transaction, and `%s` has a parameter for its caller's; write `//idem:tx join`, or take the parameter away",
				m.Settings.Tx, w.method(m))
		case m.contextKind() == contextConcrete:
			return fmt.Sprintf("`%s` finds its transaction in its context, and a context of type `%s` can't carry it; make the parameter a context.Context",
				w.method(m), c.typeOf(m, m.Context))
		}
		return ""
	}
	switch len(found) {
	case 0:
		return fmt.Sprintf("`tx join` works in the caller's transaction, and `%s` has no parameter of type pgx.Tx or *sql.Tx%s; add one", w.method(m), c.almostTx(m))
	case 1:
		return ""
	default:
		return fmt.Sprintf("`tx join` works in the caller's transaction, and `%s` has %d parameters that are one; keep one", w.method(m), len(found))
	}
}

// almostTx names a parameter that comes near to a transaction.
func (c *checker) almostTx(m *method) string {
	for i := range m.Sig.Params().Len() {
		t := types.Unalias(m.Sig.Params().At(i).Type())
		for {
			container, ok := t.(interface{ Elem() types.Type })
			if !ok {
				break
			}
			t = types.Unalias(container.Elem())
		}
		if n, ok := t.(*types.Named); ok && n.Obj().Name() == "Tx" {
			return fmt.Sprintf(" (`%s` is none)", c.typeOf(m, i))
		}
	}
	return ""
}

func (c *checker) typeOf(m *method, param int) string {
	return types.TypeString(m.Sig.Params().At(param).Type(), c.qualify)
}

// detachFits wants a context that can outlive the caller's, and no transaction that ends with him.
func (c *checker) detachFits(w *wrapper, m *method) {
	if !m.Settings.Detach {
		return
	}
	at := m.Says["detach"].Pos
	switch {
	case m.Settings.Tx == "join":
		c.errorf(at, codeContradicts, "`idem:detach` contradicts the `tx join` at %s: the method can't outlive its caller in its caller's transaction; delete one of them",
			c.report.place(m.Says["tx"].Pos))
	case m.contextKind() == contextConcrete:
		c.errorf(at, codeNoEffect, "`idem:detach` has no effect: `%s` gets its caller's own context, because another can't be made of type `%s`; make the parameter a context.Context",
			w.method(m), c.typeOf(m, m.Context))
	}
}

// holdOutlivesCallers notes who decides when a caller of a method that holds hangs up.
func (c *checker) holdOutlivesCallers(w *wrapper, m *method) {
	s := m.Settings
	if s.Takeover == nil || *s.Takeover != "hold" || s.Detach || s.Tx != "" {
		return
	}
	c.report.notef("%s holds: each caller that hangs up while it runs may leave an outcome for a person to settle; //idem:detach lets it end in peace", w.method(m))
}

// attemptsCount notes a maxattempts that never counts.
func (c *checker) attemptsCount(w *wrapper, m *method) {
	s := m.Settings
	if _, own := note(m.Notes, "takeover"); s.MaxAttempts == nil || !own {
		return
	}
	switch {
	case s.Tx != "":
		c.report.notef("maxattempts of %s counts nothing: under a transaction, a lapse has had no effect", w.method(m))
	case s.Takeover != nil && *s.Takeover == "hold":
		c.report.notef("maxattempts of %s counts nothing: under hold the first lapse waits for a person already", w.method(m))
	}
}
