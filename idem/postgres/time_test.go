package postgres_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file is about times on their way to the database: there are none. Statements are given durations, and the database's clock says from
// when they count.

// argument is one value that a statement was sent with.
type argument struct {
	statement string // its name in queries/
	value     any
}

// wiretap notes what all statements of a pool are sent with.
type wiretap struct {
	mu   sync.Mutex
	sent []argument
	seen map[string]bool // statements by name
}

func (w *wiretap) note(sql string, args []any) {
	_, name, named := strings.Cut(sql, "-- name: ")
	if name, _, _ = strings.Cut(name, " "); !named {
		name = sql
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[name] = true
	for _, a := range args {
		w.sent = append(w.sent, argument{name, a})
	}
}

func (w *wiretap) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	w.note(d.SQL, d.Args)
	return ctx
}
func (w *wiretap) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (w *wiretap) TraceBatchStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceBatchStartData) context.Context {
	for _, q := range d.Batch.QueuedQueries {
		w.note(q.SQL, q.Arguments)
	}
	return ctx
}
func (w *wiretap) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (w *wiretap) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

// TestB16_NoStatementCarriesATimeOfTheClients sends every step there is, and looks at all that is sent with them. It allows for numbers and texts
// that are times in disguise.
func TestB16_NoStatementCarriesATimeOfTheClients(t *testing.T) {
	t.Parallel()
	tap := &wiretap{seen: map[string]bool{}}
	b := newBench(t, setup{pool: func(c *pgxpool.Config) { c.ConnConfig.Tracer = tap }})
	b.everything(t)
	for _, name := range []string{
		"Claim", "TakeOver", "Reclaim", "HoldLapsed", "Complete", "InsertCompleted", "Release", "Abandon", "Renew", "Read", "ReadMany", "Sweep",
	} {
		if !tap.seen[name] {
			t.Errorf("%s was not sent, and the test shows less", name)
		}
	}
	for _, a := range tap.sent {
		if what := timeIn(a.value); what != "" {
			t.Errorf("%s is sent %s", a.statement, what)
		}
	}
	for _, v := range []any{
		time.Now(),
		[]any{pgtype.Timestamptz{Time: time.Now(), Valid: true}},
		time.Now().UnixMicro(),
		pgtype.Int8{Int64: time.Now().Unix(), Valid: true},
		time.Now().UTC().Format(time.DateTime),
	} {
		if timeIn(v) == "" {
			t.Errorf("%v (%T) is not recognised as a time", v, v)
		}
	}
}

// everything takes every step of the store.
func (b *bench) everything(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	lapsed, _ := b.won(t)
	old, _ := b.done(t)
	held, row := b.won(t)
	for _, c := range []idem.Claim{lapsed, old, held} {
		b.age(t, c.ID, 2*ttl)
	}
	_, err := b.TakeOver(ctx, rival(lapsed), lapsed.Owner)
	must(err)
	_, err = b.Reclaim(ctx, rival(old), old.Owner)
	must(err)
	_, err = b.HoldLapsed(ctx, held.ID, held.Owner)
	must(err)
	b.renewed(t, held)
	abandoned, _ := b.won(t)
	_, err = b.Abandon(ctx, idem.Abandonment{ID: abandoned.ID, Owner: abandoned.Owner, Next: newOwner(), Lapse: true})
	must(err)
	_, err = b.Release(ctx, held.ID, held.Owner)
	must(err)
	for _, state := range []idem.State{idem.StateDone, idem.StateFailed} { // the first is inserted
		o := outcome(held, row)
		if o.State = state; state == idem.StateFailed {
			o.Code = "declined"
		}
		_, err = b.Complete(ctx, o)
		must(err)
	}
	_, err = b.Read(ctx, []idem.ID{held.ID})
	must(err)
	_, err = b.Read(ctx, []idem.ID{held.ID, old.ID})
	must(err)
	_, err = b.Sweep(ctx, idem.SweepBatch{Limit: 100, Grace: time.Minute})
	must(err)
}

// timeIn says what in a value is a time; "" where nothing is.
func timeIn(v any) string {
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Invalid:
		return ""
	case reflect.Pointer, reflect.Interface:
		if r.IsNil() {
			return ""
		}
		return timeIn(r.Elem().Interface())
	case reflect.Slice, reflect.Array:
		for i := range r.Len() {
			if what := timeIn(r.Index(i).Interface()); what != "" {
				return what
			}
		}
		return ""
	case reflect.Struct:
		if isTime(r.Type().String()) {
			return "a " + r.Type().String()
		}
		for i := range r.NumField() {
			if f := r.Field(i); f.CanInterface() {
				if what := timeIn(f.Interface()); what != "" {
					return what
				}
			}
		}
		return ""
	case reflect.Int64, reflect.Int, reflect.Uint64, reflect.Float64:
		return instantIn(r.Convert(reflect.TypeFor[float64]()).Float())
	case reflect.String:
		if strings.Contains(r.String(), time.Now().UTC().Format("2006-01")) {
			return fmt.Sprintf("the text %q", r.String())
		}
	}
	return ""
}

// instantIn says whether a number is a time of these days, in a usual unit.
func instantIn(n float64) string {
	for unit, perSecond := range map[string]float64{"seconds": 1, "milliseconds": 1e3, "microseconds": 1e6, "nanoseconds": 1e9} {
		if off := n/perSecond - float64(time.Now().Unix()); -1e6 < off && off < 1e6 {
			return fmt.Sprintf("%.0f, a time in %s", n, unit)
		}
	}
	return ""
}

func isTime(typ string) bool {
	for _, t := range []string{"time.Time", "pgtype.Timestamp", "pgtype.Date", "pgtype.Time"} {
		if strings.HasPrefix(typ, t) {
			return true
		}
	}
	return false
}

// TestB16: nor is there a statement that could be sent one, whatever it is called with.
func TestB16_NoStatementTakesATime(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("internal/db/*.sql.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no generated files: %v", err)
	}
	parameters := 0
	check := func(where string, fields *ast.FieldList) {
		for _, f := range fields.List {
			parameters++
			if s, ok := f.Type.(*ast.SelectorExpr); ok && isTime(fmt.Sprintf("%s.%s", s.X, s.Sel)) {
				t.Errorf("%s takes a %s.%s", where, s.X, s.Sel)
			}
		}
	}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok && strings.HasSuffix(n.Name.Name, "Params") {
					check(n.Name.Name, s.Fields)
				}
			case *ast.FuncDecl:
				check(n.Name.Name, n.Type.Params)
			}
			return true
		})
	}
	if parameters < 50 {
		t.Errorf("only %d parameters were found", parameters)
	}
}
