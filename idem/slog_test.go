package idem_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// logged is what the observer writes of an event, without the time.
func logged(t *testing.T, level slog.Level, e idem.Event) string {
	t.Helper()
	var b bytes.Buffer
	log := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	idem.NewSlogObserver(log).Observe(idem.WithKey(t.Context(), canary), e)
	return b.String()
}

// canary must never be logged.
const canary = "canary-4242424242424242"

func TestSlogObserver_WritesEachKindAtItsLevel(t *testing.T) {
	t.Parallel()
	failure := errors.New(canary)
	for _, c := range []struct {
		kind  idem.EventKind
		err   error
		level slog.Level
	}{
		{idem.EventClaimed, nil, slog.LevelDebug},
		{idem.EventReclaimed, nil, slog.LevelInfo},
		{idem.EventTakenOver, nil, slog.LevelInfo},
		{idem.EventReplayed, nil, slog.LevelDebug},
		{idem.EventReplayed, failure, slog.LevelWarn},
		{idem.EventWaited, nil, slog.LevelDebug},
		{idem.EventConflict, nil, slog.LevelInfo},
		{idem.EventMismatch, nil, slog.LevelInfo},
		{idem.EventUnknown, nil, slog.LevelWarn},
		{idem.EventHeld, nil, slog.LevelWarn},
		{idem.EventCompleted, nil, slog.LevelDebug},
		{idem.EventReleased, failure, slog.LevelDebug},
		{idem.EventAbandoned, failure, slog.LevelInfo},
		{idem.EventLeaseLost, failure, slog.LevelWarn},
		{idem.EventCompleteFailed, failure, slog.LevelWarn},
		{idem.EventFenced, nil, slog.LevelError},
		{idem.EventFenced, failure, slog.LevelWarn},
		{idem.EventStoreFailed, failure, slog.LevelWarn},
		{idem.EventSwept, nil, slog.LevelDebug}, // nothing was deleted
		{idem.EventSwept, failure, slog.LevelWarn},
		{"of a later release", nil, slog.LevelInfo},
	} {
		e := idem.Event{Kind: c.kind, Err: c.err}
		if line := logged(t, c.level, e); !strings.HasPrefix(line, "level="+c.level.String()+" ") {
			t.Errorf("%s: %q, want level %s", c.kind, line, c.level)
		}
		if line := logged(t, c.level+1, e); line != "" {
			t.Errorf("%s: %q, want nothing above its level", c.kind, line)
		}
	}
}

func TestSlogObserver_NamesWhatAnEventHas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		event idem.Event
		want  string
	}{
		{
			idem.Event{Kind: idem.EventTakenOver, Operation: "shop.Pay.Charge", KeyHash: "0a1b2c3d", Attempt: 2, Fence: 71, Duration: 3 * time.Millisecond},
			`level=INFO msg="idem: taken over" event="taken over" operation=shop.Pay.Charge key_hash=0a1b2c3d attempt=2 fence=71 duration=3ms` + "\n",
		},
		{
			idem.Event{Kind: idem.EventSwept, Duration: time.Second},
			"level=DEBUG msg=\"idem: swept\" event=swept duration=1s count=0\n",
		},
		{
			idem.Event{Kind: idem.EventSwept, Count: 7},
			"level=INFO msg=\"idem: swept\" event=swept duration=0s count=7\n",
		},
		{
			idem.Event{Kind: idem.EventStoreFailed, Err: &idem.StoreError{Reason: "the connection was lost", Err: errors.New(canary)}},
			"level=WARN msg=\"idem: store failed\" event=\"store failed\" duration=0s error=\"the connection was lost\"\n",
		},
	} {
		if line := logged(t, slog.LevelDebug, c.event); line != c.want {
			t.Errorf("logged %q\nwant   %q", line, c.want)
		}
	}
}

// cardError is an application's error with a value in its text.
type cardError struct{ number string }

func (e *cardError) Error() string { return "declined: " + e.number }

func TestSlogObserver_SaysOfAnErrorOnlyWhatIsSafe(t *testing.T) {
	t.Parallel()
	declined := &cardError{canary}
	ours := &idem.Error{Kind: idem.ErrStore, Operation: "op", KeyHash: "0a1b2c3d", Reason: "no connection", Cause: declined}
	several := errors.Join(declined, &fs.PathError{Path: canary, Err: errors.New(canary)})
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"one of ours", ours, "idem: the store failed: no connection (operation op, key #0a1b2c3d)"},
		{"a store's", fmt.Errorf("%s: %w", canary, &idem.StoreError{Reason: "no connection", Err: declined}), "no connection"},
		{"a cancellation", fmt.Errorf("%s: %w", canary, context.Canceled), "context canceled"},
		{"a deadline", errors.Join(declined, context.DeadlineExceeded), "context deadline exceeded"},
		{"a kind of ours", fmt.Errorf("%s: %w", canary, idem.ErrLeaseLost), "lease lost"},
		{"an application's", declined, "*idem_test.cardError"},
		{"a wrapped one", fmt.Errorf("%s: %w", canary, declined), "*fmt.wrapError: *idem_test.cardError"},
		{"a marked one", idem.Unknown(declined), "idem.marked: *idem_test.cardError"},
		{"joined ones", several, "*errors.joinError: [*idem_test.cardError, *fs.PathError: *errors.errorString]"},
	} {
		line := logged(t, slog.LevelDebug, idem.Event{Kind: idem.EventAbandoned, Err: c.err})
		if strings.Contains(line, canary) {
			t.Errorf("%s: %q holds the canary", c.name, line)
		}
		if _, text, _ := strings.Cut(line, "error="); strings.Trim(text, "\"\n") != c.want {
			t.Errorf("%s: error = %s, want %q", c.name, text, c.want)
		}
	}
}

func TestSlogObserver_NilMeansTheDefaultLogger(t *testing.T) {
	var b bytes.Buffer
	before, output, flags := slog.Default(), log.Writer(), log.Flags()
	t.Cleanup(func() {
		slog.SetDefault(before)
		log.SetOutput(output) // SetDefault redirects package log, too
		log.SetFlags(flags)
	})
	o := idem.NewSlogObserver(nil)
	slog.SetDefault(slog.New(slog.NewTextHandler(&b, nil)))
	o.Observe(t.Context(), idem.Event{Kind: idem.EventTakenOver})
	if !strings.Contains(b.String(), "taken over") {
		t.Errorf("logged %q", b.String())
	}
}
