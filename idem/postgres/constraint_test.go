package postgres_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// running and settled are rows as the store writes them, column by column in SQL.
var (
	running = map[string]string{
		"id": "gen_random_uuid()", "owner": "gen_random_uuid()", "fence": "1", "lease_until": "clock_timestamp()", "claimed_at": "clock_timestamp()",
		"keep": "interval '1 day'", "attempt": "1", "lapses": "0", "state": "1", "abandoned": "false",
		"fingerprint": `'\x01'`, "operation": "'op'", "scope": "''", "key": "'key'", "origin": "NULL",
	}
	settled = with(running, map[string]string{
		"state": "2", "keep": "NULL", "completed_at": "clock_timestamp()", "expires_at": "'infinity'", "codec": "'json'", "schema_hash": "''", "result": "''",
	})
)

func with(row, change map[string]string) map[string]string {
	row = maps.Clone(row)
	maps.Copy(row, change)
	return row
}

// TestF3_ImpossibleRowsAreImpossible tries to write them by hand. Each is a row that the store writes but for what is named.
func TestF3_ImpossibleRowsAreImpossible(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{})
	long := func(n int) string { return fmt.Sprintf("repeat('x', %d)", n) }
	tests := []struct {
		name   string
		row    map[string]string
		change map[string]string
		ok     bool
	}{
		{"a running row", running, nil, true},
		{"a success", settled, nil, true},
		{"a failure", settled, map[string]string{"state": "3", "error_code": "'declined'"}, true},
		{"an abandoned row", running, map[string]string{"abandoned": "true", "lapses": "1"}, true},
		{"evidence without key", running, map[string]string{"state": "4", "keep": "NULL", "key": "NULL"}, true},
		{"the longest names", running, map[string]string{"operation": long(1024), "scope": long(255), "key": long(255), "fingerprint": "decode(repeat('00', 64), 'hex')"}, true},

		{"a success without result", settled, map[string]string{"result": "NULL"}, false},
		{"a success without codec", settled, map[string]string{"codec": "NULL"}, false},
		{"a success without schema", settled, map[string]string{"schema_hash": "NULL"}, false},
		{"a success that was never completed", settled, map[string]string{"completed_at": "NULL"}, false},
		{"a success that is kept for no time", settled, map[string]string{"expires_at": "NULL"}, false},
		{"a success that expired before it was completed", settled, map[string]string{"expires_at": "clock_timestamp() - interval '1 s'"}, false},
		{"a success with the expiry of a running row", settled, map[string]string{"keep": "interval '1 day'"}, false},
		{"a success with an error", settled, map[string]string{"error_code": "'declined'"}, false},
		{"a failure without error", settled, map[string]string{"state": "3"}, false},
		{"a failure with an empty error", settled, map[string]string{"state": "3", "error_code": "''"}, false},
		{"a running row with a result", running, map[string]string{"result": "''"}, false},
		{"a running row that was completed", running, map[string]string{"completed_at": "clock_timestamp()"}, false},
		{"a running row that expires like an outcome", running, map[string]string{"expires_at": "'infinity'"}, false},
		{"a running row with an error", running, map[string]string{"error_code": "'declined'"}, false},
		{"evidence with a result", running, map[string]string{"state": "4", "result": "''"}, false},
		{"an abandoned success", settled, map[string]string{"abandoned": "true"}, false},
		{"abandoned evidence", running, map[string]string{"state": "4", "abandoned": "true"}, false},
		{"no state", running, map[string]string{"state": "NULL"}, false},
		{"state 0", running, map[string]string{"state": "0"}, false},
		{"state 5", running, map[string]string{"state": "5"}, false},
		{"attempt 0", running, map[string]string{"attempt": "0"}, false},
		{"more lapses than attempts", running, map[string]string{"lapses": "2"}, false},
		{"fewer than no lapses", running, map[string]string{"lapses": "-1"}, false},
		{"a lease for ever", running, map[string]string{"lease_until": "'infinity'"}, false},
		{"a negative keep", running, map[string]string{"keep": "interval '-1 s'"}, false},
		{"no owner", running, map[string]string{"owner": "NULL"}, false},
		{"no fingerprint", running, map[string]string{"fingerprint": "''"}, false},
		{"a fingerprint of 65 bytes", running, map[string]string{"fingerprint": "decode(repeat('00', 65), 'hex')"}, false},
		{"no operation", running, map[string]string{"operation": "''"}, false},
		{"an operation of 1,025 bytes", running, map[string]string{"operation": long(1025)}, false},
		{"a scope of 256 bytes", running, map[string]string{"scope": long(256)}, false},
		{"an empty key", running, map[string]string{"key": "''"}, false},
		{"a key of 256 bytes", running, map[string]string{"key": long(256)}, false},
		{"an empty codec", settled, map[string]string{"codec": "''"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := b.insert(t, with(tt.row, tt.change))
			e, isRefusal := errors.AsType[*pgconn.PgError](err)
			switch {
			case tt.ok && err != nil:
				t.Errorf("refused: %v", err)
			case !tt.ok && (!isRefusal || e.Code != "23514" && e.Code != "23502"):
				t.Errorf("not refused: %v", err)
			}
		})
	}
}

func TestOneRowAnID(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{})
	c, _ := b.won(t)
	err := b.insert(t, with(running, map[string]string{"id": "'" + c.ID.String() + "'"}))
	if e, ok := errors.AsType[*pgconn.PgError](err); !ok || e.Code != "23505" {
		t.Errorf("got %v", err)
	}
}

func (b *bench) insert(t *testing.T, row map[string]string) error {
	t.Helper()
	columns := slices.Sorted(maps.Keys(row))
	values := make([]string, len(columns))
	for i, c := range columns {
		values[i] = row[c]
	}
	sql := fmt.Sprintf("INSERT INTO idem_claims (%s) VALUES (%s)", strings.Join(columns, ", "), strings.Join(values, ", "))
	_, err := b.look.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol)
	return err
}
