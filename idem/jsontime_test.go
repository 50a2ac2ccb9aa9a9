package idem

import (
	"strings"
	"testing"
	"time"
)

// TestJSON_ATimeThatWouldComeBackAsAnotherIsNotStored: json writes offsets without their seconds.
func TestJSON_ATimeThatWouldComeBackAsAnotherIsNotStored(t *testing.T) {
	t.Parallel()
	type inner struct{ At time.Time }
	type stamped struct {
		inner
		More []map[string]*time.Time
		Not  time.Time `json:"-"`
	}
	odd := time.Date(1930, 1, 1, 0, 0, 0, 0, time.FixedZone("AMT", 19*60+32))
	for name, c := range map[string]struct {
		encode func() error
		fails  bool
	}{
		"itself":   {func() error { _, err := JSON[time.Time]{}.Encode(Ref{}, odd); return err }, true},
		"embedded": {func() error { _, err := JSON[stamped]{}.Encode(Ref{}, stamped{inner: inner{odd}}); return err }, true},
		"deep": {func() error {
			_, err := JSON[stamped]{}.Encode(Ref{}, stamped{More: []map[string]*time.Time{{"a": &odd, "b": nil}}})
			return err
		}, true},
		"as a key": {func() error { _, err := JSON[map[time.Time]int]{}.Encode(Ref{}, map[time.Time]int{odd: 1}); return err }, true},
		"promoting": {func() error {
			_, err := JSON[struct{ time.Time }]{}.Encode(Ref{}, struct{ time.Time }{odd})
			return err
		}, true},
		"in a zone of today": {func() error {
			_, err := JSON[time.Time]{}.Encode(Ref{}, odd.In(time.FixedZone("X", -5400)))
			return err
		}, false},
		"in UTC":              {func() error { _, err := JSON[*time.Time]{}.Encode(Ref{}, new(odd.UTC())); return err }, false},
		"nowhere":             {func() error { _, err := JSON[*stamped]{}.Encode(Ref{}, nil); return err }, false},
		"not written":         {func() error { _, err := JSON[stamped]{}.Encode(Ref{}, stamped{Not: odd}); return err }, false},
		"written by a method": {func() error { _, err := JSON[utc]{}.Encode(Ref{}, utc{odd}); return err }, false},
	} {
		if err := c.encode(); (err != nil) != c.fails || c.fails && !strings.Contains(err.Error(), "offset") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if back := roundTrip(t, utc{odd}); !back.At.Equal(odd) {
		t.Errorf("it came back as %s", back.At)
	}
}

// utc writes its time by itself.
type utc struct{ At time.Time }

func (u utc) MarshalText() ([]byte, error)     { return u.At.UTC().MarshalText() }
func (u *utc) UnmarshalText(text []byte) error { return u.At.UnmarshalText(text) }

// TestJSON_WhatIsNestedTooDeepToBeReadIsNotStored: json writes deeper than it reads.
func TestJSON_WhatIsNestedTooDeepToBeReadIsNotStored(t *testing.T) {
	t.Parallel()
	type chain struct{ Next *chain }
	nested := func(levels int) (c *chain) {
		for range levels {
			c = &chain{c}
		}
		return c
	}
	if _, err := (JSON[*chain]{}).Encode(Ref{}, nested(10_001)); err == nil || !strings.Contains(err.Error(), "deeper") {
		t.Errorf("got %v", err)
	}
	roundTrip(t, nested(10_000))
}
