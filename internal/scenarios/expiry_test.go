package scenarios

import (
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is how long an outcome is kept, and who is told.

// TestG17: who gets an outcome is told when it will be forgotten. From then on the key is as new, and before it is not.
func TestG17_AReplayCarriesItsExpiryAndAfterItTheKeyIsNew(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ ttl, kept time.Duration }{
		"the default": {0, 24 * time.Hour}, "an hour": {time.Hour, time.Hour}, "a minute": {time.Minute, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			op := with(func(op *idem.Operation[string]) { op.TTL = c.ttl })
			first, replay := s.informed(op, "a"), s.informed(op, "a")
			for who, got := range map[string]idem.Info{"the first call": first, "a replay": replay} {
				if kept := got.ExpiresAt.Sub(got.CompletedAt); (kept-c.kept).Abs() > time.Second || got.CompletedAt.IsZero() {
					t.Errorf("%s is told %+v, that is %v", who, got, kept)
				}
			}
			if !first.ExpiresAt.Equal(replay.ExpiresAt) || first.Replayed || !replay.Replayed {
				t.Errorf("the first call was told %+v, the replay %+v", first, replay)
			}
			s.age("k", c.kept-30*time.Second) // a replay does not make it live longer, and it lives as long as was said
			if got := s.informed(op, "a"); !got.Replayed || got.ExpiresAt.Sub(first.ExpiresAt)+c.kept-30*time.Second != 0 {
				t.Errorf("shortly before it expires: %+v", got)
			}
			s.wantRuns(1)
			s.age("k", 31*time.Second)
			again := s.informed(op, "other arguments")
			if again.Replayed || again.Attempt != 1 || !again.ExpiresAt.After(first.CompletedAt) {
				t.Errorf("after it expired: %+v", again)
			}
			s.wantRuns(2)
		})
	}
}

func TestG17_AnOutcomeKeptForGoodDoesNotExpire(t *testing.T) {
	t.Parallel()
	s := newStage(t, idem.WithSweepGrace(0))
	op := with(func(op *idem.Operation[string]) { op.TTL = idem.Forever })
	if got := s.informed(op, "a"); got.Replayed || !got.Stored || !got.ExpiresAt.IsZero() {
		t.Errorf("the first call is told %+v", got)
	}
	s.age("k", 200*365*24*time.Hour)
	if n, err := s.engine.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("a sweep took %d rows, %v", n, err)
	}
	if got := s.informed(op, "a"); !got.Replayed || !got.ExpiresAt.IsZero() {
		t.Errorf("two hundred years later: %+v", got)
	}
	_, err := s.call(t.Context(), op, "k", "other arguments")
	wantErr(t, err, idem.ErrMismatch)
	s.wantRuns(1)
}

// informed makes a call that must succeed, and returns what it was told.
func (s *stage) informed(op *idem.Operation[string], arg string) idem.Info {
	s.Helper()
	ctx, info := idem.WithInfo(s.Context())
	if _, err := s.call(ctx, op, "k", arg); err != nil {
		s.Fatal(err)
	}
	return *info
}
