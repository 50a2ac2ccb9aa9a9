package idem_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is about fields marked idem:"secret": hashed with a key only, and shown to nobody.

type payment struct {
	Card  card
	Cents float64
	Extra any
}

type card struct {
	PAN string `json:"pan" idem:"secret"`
}

const pan = "4242424242424242"

// charge is a keyed call whose argument and result are v.
func (p *play) charge(ctx context.Context, v payment, args func(*idem.Fingerprint)) (payment, error) {
	op := &idem.Operation[payment]{Name: pay.Name, Lease: pay.Lease}
	return idem.Do(ctx, p.engine, op, idem.Call[payment]{
		Key: idem.StringKey("k"), Args: args,
		Run: func(context.Context) (payment, error) { p.runs.Add(1); return v, nil },
	})
}

func TestSecret_IsRefusedWithoutAFingerprintKey(t *testing.T) {
	t.Parallel()
	v := payment{Card: card{pan}}
	type typo struct {
		PAN string `idem:"secrets"`
	}
	for name, c := range map[string]struct {
		args func(*idem.Fingerprint)
		want error // nil: the call runs
		says string
	}{
		"in a struct":              {func(f *idem.Fingerprint) { f.Add("v", v) }, idem.ErrNoFingerprintKey, "idem.WithFingerprintKey"},
		"behind a pointer":         {func(f *idem.Fingerprint) { f.Add("v", &v) }, idem.ErrNoFingerprintKey, ""},
		"not set":                  {func(f *idem.Fingerprint) { f.Add("v", payment{}) }, idem.ErrNoFingerprintKey, ""},
		"in a list":                {func(f *idem.Fingerprint) { f.Add("v", []payment(nil)) }, idem.ErrNoFingerprintKey, ""},
		"as an interface":          {func(f *idem.Fingerprint) { f.AddInterface("v", v) }, idem.ErrNoFingerprintKey, ""},
		"in an interface":          {func(f *idem.Fingerprint) { f.Add("v", struct{ V any }{card{pan}}) }, idem.ErrNoFingerprintKey, ""},
		"said by who reads it":     {func(f *idem.Fingerprint) { f.Add("v", v.Card.PAN); f.RequireKey() }, idem.ErrNoFingerprintKey, ""},
		"nothing secret":           {func(f *idem.Fingerprint) { f.Add("v", v.Cents) }, nil, ""},
		"nothing at all":           {nil, nil, ""},
		"a tag that means nothing": {func(f *idem.Fingerprint) { f.Add("v", []typo{}) }, idem.ErrBadArgument, "v has a field with an unknown tag idem, []idem_test.typo.PAN"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			_, err := p.charge(t.Context(), v, c.args)
			if !errors.Is(err, c.want) || c.want == nil && err != nil || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if claims := p.store.Calls(idemtest.StepClaim); (claims == 0) != (c.want != nil) || (p.runs.Load() == 0) != (c.want != nil) {
				t.Errorf("%d claims, %d runs", claims, p.runs.Load())
			}
			if c.want != idem.ErrNoFingerprintKey {
				return
			}
			keyed := newPlay(t, idem.WithFingerprintKey([]byte("0123456789abcdef")))
			if out, err := keyed.charge(t.Context(), v, c.args); out != v || err != nil {
				t.Errorf("with a key: %v, %v", out, err)
			}
		})
	}
}

// TestSecret_IsShownToNobody: whatever fails, neither errors nor events nor logs hold what is marked, however they are printed.
func TestSecret_IsShownToNobody(t *testing.T) {
	t.Parallel()
	good, nan := payment{Card: card{pan}}, payment{Card: card{pan}, Cents: math.NaN()}
	args := func(f *idem.Fingerprint) { f.Add("v", good) }
	for name, play := range map[string]func(*play) error{
		"a call, a replay and a mismatch": func(p *play) error {
			_, _ = p.charge(p.Context(), good, args)
			_, _ = p.charge(p.Context(), good, args)
			_, err := p.charge(p.Context(), good, func(f *idem.Fingerprint) { f.Add("v", payment{Card: card{"4" + pan}}) })
			return err
		},
		"a result that can't be stored": func(p *play) error {
			_, _ = p.charge(p.Context(), nan, args)
			_, err := p.charge(p.Context(), nan, args)
			return err
		},
		"a result that can't be read": func(p *play) error {
			_, _ = p.charge(p.Context(), good, args)
			p.store.Edit(payRow, func(r *idem.Row) { r.Result = []byte(`{"Cents":` + pan + `e999}`) })
			_, err := p.charge(p.Context(), good, args)
			return err
		},
		"a result that another call has overtaken": func(p *play) error {
			op := &idem.Operation[payment]{Name: pay.Name, Lease: pay.Lease, Policy: idem.PolicyConflict}
			_, err := idem.Do(p.Context(), p.engine, op, idem.Call[payment]{
				Key: idem.StringKey("k"), Args: args,
				Run: func(context.Context) (payment, error) {
					p.store.Edit(payRow, func(r *idem.Row) { r.Owner[0]++; r.Fence++ })
					return good, nil
				},
			})
			if lost, ok := idem.LostResult[payment](err); !ok || lost != good {
				p.Errorf("the result is not there: %v", ok)
			}
			return err
		},
		"an argument that can't be compared": func(p *play) error {
			_, err := p.charge(p.Context(), good, func(f *idem.Fingerprint) {
				f.Add("v", payment{Card: card{pan}, Extra: map[string]any{pan: func() {}}})
			})
			return err
		},
		"no key": func(p *play) error {
			p.with(p.store)
			_, err := p.charge(p.Context(), good, args)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			p := newPlay(t, idem.WithFingerprintKey([]byte("0123456789abcdef")), idem.WithObserver(idem.NewSlogObserver(logger)))
			err := play(p)
			if err == nil {
				t.Fatal("it does not fail")
			}
			logger.Error("failed", "err", err, slog.Any("events", p.events))
			asJSON, _ := json.Marshal(err)
			shown := fmt.Sprintf("%v %+v %#v %q %s %s", err, err, err, err, asJSON, log.String())
			if strings.Contains(shown, pan) {
				t.Errorf("it shows in %s", shown)
			}
			if log.Len() == 0 {
				t.Error("nothing was logged")
			}
		})
	}
}
