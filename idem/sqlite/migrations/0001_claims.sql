-- The tables of claims of github.com/idemgen/idemgen in SQLite: one row per (operation, scope, key). What may stand in a row is here,
-- and what it means is in its docs/protocol.md. Times are microseconds since 1970, durations microseconds.
--
-- Nothing but the id is indexed. Rows are found by it and swept by seq, which is the rowid, so that they stand in the order
-- in which they came.

CREATE TABLE idem_claims (
    seq          INTEGER PRIMARY KEY,
    id           BLOB    NOT NULL UNIQUE, -- digest of operation, scope and key
    owner        BLOB    NOT NULL,        -- random id of the call that has the row
    fence        INTEGER NOT NULL,        -- grows with every new owner, for systems outside
    lease_until  INTEGER NOT NULL,        -- when a running row lapses
    claimed_at   INTEGER NOT NULL,        -- of the present attempt
    completed_at INTEGER,
    expires_at   INTEGER,                 -- when an outcome is forgotten (9223372036854775807: never)
    keep         INTEGER,                 -- a running row counts as expired this long after it lapsed (null: never, it is evidence)
    attempt      INTEGER NOT NULL,        -- from 1, +1 with every take-over
    lapses       INTEGER NOT NULL,        -- how many runs lapsed or panicked
    state        INTEGER NOT NULL,        -- 1 running, 2 done, 3 failed, 4 unknown
    abandoned    INTEGER NOT NULL,        -- running, and the run is known to have ended
    fingerprint  BLOB    NOT NULL,        -- of the arguments, the first byte is the version
    operation    TEXT    NOT NULL,
    scope        TEXT    NOT NULL,
    key          TEXT,                    -- null where keys are left out
    origin       TEXT,                    -- who claimed, for people
    codec        TEXT,
    schema_hash  BLOB,
    error_code   TEXT,
    result       BLOB,
    CONSTRAINT idem_claims_ids CHECK (length(id) = 16 AND length(owner) = 16),
    CONSTRAINT idem_claims_state CHECK (state BETWEEN 1 AND 4),
    CONSTRAINT idem_claims_attempt CHECK (attempt >= 1 AND lapses BETWEEN 0 AND attempt),
    CONSTRAINT idem_claims_abandoned CHECK (abandoned = 0 OR abandoned = 1 AND state = 1),
    CONSTRAINT idem_claims_settled CHECK (
        CASE WHEN state IN (2, 3)
             THEN completed_at IS NOT NULL AND expires_at IS NOT NULL AND codec IS NOT NULL AND schema_hash IS NOT NULL
                  AND result IS NOT NULL AND keep IS NULL
             ELSE completed_at IS NULL AND expires_at IS NULL AND codec IS NULL AND schema_hash IS NULL AND result IS NULL END),
    CONSTRAINT idem_claims_error CHECK ((state = 3) = (error_code IS NOT NULL)),
    CONSTRAINT idem_claims_times CHECK (expires_at >= completed_at AND keep >= 0),
    CONSTRAINT idem_claims_lengths CHECK (
        length(fingerprint) BETWEEN 1 AND 64
        AND length(CAST(operation AS BLOB)) BETWEEN 1 AND 1024 AND length(CAST(scope AS BLOB)) <= 255
        AND length(CAST(key AS BLOB)) BETWEEN 1 AND 255
        AND length(CAST(codec AS BLOB)) BETWEEN 1 AND 255 AND length(CAST(error_code AS BLOB)) >= 1)
) STRICT;

-- The last fence that was given out. It stands apart from the claims, so that it grows whatever is deleted.
CREATE TABLE idem_fence (last INTEGER NOT NULL) STRICT;

INSERT INTO idem_fence (last) VALUES (0);

-- The clock that decides: this machine's, read while the statement runs, to the millisecond. It stands still within a statement.
CREATE VIEW idem_clock AS
SELECT CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000 AS now;

-- What people have decided about claims. Calls do without it; nothing is ever deleted from it but by hand.
CREATE TABLE idem_audit (
    token     BLOB    NOT NULL PRIMARY KEY, -- of the decision, so that one sent again counts once
    at        INTEGER NOT NULL,
    who       TEXT    NOT NULL,
    why       TEXT    NOT NULL,
    action    TEXT    NOT NULL,
    force     INTEGER NOT NULL,
    claim     BLOB    NOT NULL,             -- its id
    operation TEXT    NOT NULL,
    scope     TEXT    NOT NULL,
    key       TEXT,                         -- null where keys are left out
    before    TEXT    NOT NULL,             -- how the claim stood
    after     TEXT    NOT NULL,
    owner     BLOB    NOT NULL,             -- of the claim before
    attempt   INTEGER NOT NULL,
    codec     TEXT,                         -- of a result that was given
    CONSTRAINT idem_audit_ids CHECK (length(token) = 16 AND length(claim) = 16 AND length(owner) = 16),
    CONSTRAINT idem_audit_action CHECK (action IN ('complete', 'not-happened', 'hold', 'release')),
    CONSTRAINT idem_audit_lengths CHECK (
        length(CAST(who AS BLOB)) BETWEEN 1 AND 255 AND length(CAST(why AS BLOB)) BETWEEN 1 AND 1000)
) STRICT;

-- What Migrate has applied.
CREATE TABLE idem_migrations (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL) STRICT;
