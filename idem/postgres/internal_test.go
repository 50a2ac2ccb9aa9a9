package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// This file is what a server can't easily be made to say, and arithmetic at its ends.

func TestFailuresAreTemporaryOrNot(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		"08006": true, "40001": true, "40P01": true, "53200": true, "53300": true, "57P01": true, "57P02": true, "57P03": true, "57014": true,
		"55P03": true, "25P03": true, "25P04": true, "57P05": true, "57P06": true, "26000": true, "42P05": true, "0A000": true,
		"25006": false, "53100": true, "53400": false, "57P04": false, "42501": false, "28P01": false, "3D000": false,
		"23514": false, "42601": false, "XX001": false, "": false, "4": false,
	}
	for code, want := range tests {
		secret := "key 4711"
		err := failure(fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code, Message: secret, Detail: secret}), false, driverFailed)
		e, ok := errors.AsType[*idem.StoreError](err)
		if !ok || e.Temporary != want || e.NotApplied {
			t.Errorf("%s: temporary %v, not applied %v", code, e.Temporary, e.NotApplied)
		}
		if want := meaningOf(code).reason + " (SQLSTATE " + code + ")"; e.Error() != want {
			t.Errorf("%s: %s", code, e)
		}
	}
}

// TestFailuresSayWhetherItWasALockOrTheValue: to a claim a lock is "in flight", and an outcome that is too much may be stored without its
// result. Anything else is neither: a result must not be given up because the database is read-only for a moment.
func TestFailuresSayWhetherItWasALockOrTheValue(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]idem.StoreError{
		"55P03": {Locked: true}, "55006": {}, "40P01": {}, "57014": {},
		"22021": {TooMuch: true}, "23514": {TooMuch: true}, "54000": {TooMuch: true}, "53100": {TooMuch: true},
		"53300": {}, "53200": {}, "25006": {}, "42501": {}, "08006": {}, "42P01": {}, "XX001": {},
	} {
		e, ok := errors.AsType[*idem.StoreError](failure(&pgconn.PgError{Code: code}, true, driverFailed))
		if !ok || e.Locked != want.Locked || e.TooMuch != want.TooMuch || !e.NotApplied {
			t.Errorf("%s: locked %v, too much %v", code, e.Locked, e.TooMuch)
		}
	}
	for otherwise, want := range map[meaning]bool{driverFailed: true, connectionLost: false, unreachable: false} { // the driver can't encode it
		e, ok := errors.AsType[*idem.StoreError](failure(errors.New("text"), true, otherwise))
		if !ok || e.TooMuch != want || e.Locked {
			t.Errorf("%s: too much %v", otherwise.reason, e.TooMuch)
		}
	}
}

func TestFailuresWithoutSQLSTATE(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err  error
		want meaning
	}{
		{context.Canceled, meaning{"the call was cancelled", true}},
		{context.DeadlineExceeded, meaning{"the database did not answer in time", true}},
		{io.ErrUnexpectedEOF, connectionLost},
	}
	for _, tt := range tests {
		e, ok := errors.AsType[*idem.StoreError](failure(tt.err, false, connectionLost))
		if !ok || e.Reason != tt.want.reason || e.Temporary != tt.want.temporary || !errors.Is(e, tt.err) {
			t.Errorf("%v: %+v", tt.err, e)
		}
	}
}

// TestOnlyAnOrdinaryErrorProvesThatNothingWasCommitted: a fatal one may come from a pooler that lost the server after it committed.
func TestOnlyAnOrdinaryErrorProvesThatNothingWasCommitted(t *testing.T) {
	t.Parallel()
	for severity, want := range map[string]bool{"ERROR": true, "FATAL": false, "PANIC": false, "": false} {
		err := errors.Join(io.EOF, &pgconn.PgError{Severity: "ERREUR", SeverityUnlocalized: severity})
		if refusedByServer(err) != want {
			t.Errorf("%q: %v", severity, !want)
		}
	}
	if refusedByServer(io.EOF) || refusedByServer(nil) {
		t.Error("no server said anything")
	}
}

func TestDurationsFitTimestamps(t *testing.T) {
	t.Parallel()
	year := 365 * 24 * time.Hour
	tests := []struct {
		d      time.Duration
		micros int64
		ends   bool
	}{
		{0, 0, true},
		{time.Microsecond, 1, true},
		{1999 * time.Nanosecond, 1, true},
		{year, 365 * 24 * 3600 * 1e6, true},
		{100*year - 1, 100*365*24*3600*1e6 - 1, true},
		{100 * year, 100 * 365 * 24 * 3600 * 1e6, false},
		{idem.Forever, 100 * 365 * 24 * 3600 * 1e6, false},
	}
	for _, tt := range tests {
		if got := micros(tt.d); got != tt.micros {
			t.Errorf("%v is %d µs", tt.d, got)
		}
		if got := ttl(tt.d); got.Valid != tt.ends || got.Int64 != tt.micros {
			t.Errorf("%v as a TTL is %v", tt.d, got)
		}
	}
	if keep(0).Valid || !keep(time.Hour).Valid || micros(math.MaxInt64) > 1<<53 {
		t.Error("keep, or a duration that a double can't hold exactly")
	}
}

func TestInfinityIsNoTime(t *testing.T) {
	t.Parallel()
	berlin := time.FixedZone("", 3600)
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, berlin)
	tests := []struct {
		stored pgtype.Timestamptz
		want   time.Time
	}{
		{pgtype.Timestamptz{}, time.Time{}},
		{pgtype.Timestamptz{InfinityModifier: pgtype.Infinity, Valid: true}, time.Time{}},
		{pgtype.Timestamptz{InfinityModifier: pgtype.NegativeInfinity, Valid: true}, time.Time{}},
		{pgtype.Timestamptz{Time: at, Valid: true}, at.UTC()},
	}
	for _, tt := range tests {
		if got := instant(tt.stored); got != tt.want {
			t.Errorf("%v is %v", tt.stored, got)
		}
	}
}
