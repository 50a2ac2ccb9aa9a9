-- The table of claims of github.com/idemgen/idemgen: one row per (operation, scope, key). What may stand in a row is here, and
-- what it means is in its docs/protocol.md.
--
-- Nothing but the primary key is indexed: an index on anything that a renewal or an outcome changes (lease_until, expires_at, state) would
-- make every one of them write all indexes anew instead of updating the row in its page, which the fillfactor leaves room for.

CREATE SEQUENCE idem_fence_seq;

CREATE TABLE idem_claims (
    id           uuid        NOT NULL,         -- digest of operation, scope and key
    owner        uuid        NOT NULL,         -- random id of the call that has the row
    fence        bigint      NOT NULL,         -- grows with every new owner, for systems outside
    lease_until  timestamptz NOT NULL,         -- when a running row lapses
    claimed_at   timestamptz NOT NULL,         -- of the present attempt
    completed_at timestamptz,
    expires_at   timestamptz,                  -- when an outcome is forgotten (infinity: never)
    keep         interval,                     -- a running row counts as expired this long after it lapsed (null: never, it is evidence)
    attempt      integer     NOT NULL,         -- from 1, +1 with every take-over
    lapses       integer     NOT NULL,         -- how many runs lapsed or panicked
    state        smallint    NOT NULL,         -- 1 running, 2 done, 3 failed, 4 unknown
    abandoned    boolean     NOT NULL,         -- running, and the run is known to have ended
    fingerprint  bytea       NOT NULL,         -- of the arguments, the first byte is the version
    operation    text        NOT NULL,
    scope        text        NOT NULL,
    key          text,                         -- null where keys are left out
    origin       text,                         -- who claimed, for people
    codec        text,
    schema_hash  bytea,
    error_code   text,
    result       bytea,
    CONSTRAINT idem_claims_pkey PRIMARY KEY (id),
    CONSTRAINT idem_claims_state CHECK (state BETWEEN 1 AND 4),
    CONSTRAINT idem_claims_attempt CHECK (attempt >= 1 AND lapses BETWEEN 0 AND attempt),
    CONSTRAINT idem_claims_abandoned CHECK (NOT abandoned OR state = 1),
    CONSTRAINT idem_claims_settled CHECK (
        CASE WHEN state IN (2, 3)
             THEN num_nulls(completed_at, expires_at, codec, schema_hash, result) = 0 AND keep IS NULL
             ELSE num_nonnulls(completed_at, expires_at, codec, schema_hash, result) = 0 END),
    CONSTRAINT idem_claims_error CHECK ((state = 3) = (error_code IS NOT NULL)),
    CONSTRAINT idem_claims_times CHECK (
        isfinite(lease_until) AND isfinite(claimed_at) AND isfinite(completed_at)
        AND expires_at >= completed_at AND keep >= interval '0'),
    CONSTRAINT idem_claims_lengths CHECK (
        octet_length(fingerprint) BETWEEN 1 AND 64
        AND octet_length(operation) BETWEEN 1 AND 1024 AND octet_length(scope) <= 255
        AND octet_length(key) BETWEEN 1 AND 255
        AND octet_length(codec) BETWEEN 1 AND 255 AND octet_length(error_code) >= 1)
) WITH (fillfactor = 50);

-- What people have decided about claims, written down with each decision. Nothing deletes from it but people. It has no index but its key:
-- it grows by what people do.
CREATE TABLE idem_audit (
    token     uuid        NOT NULL,         -- random id of the decision, which is sent again where its answer was lost
    at        timestamptz NOT NULL,
    who       text        NOT NULL,
    why       text        NOT NULL,
    action    text        NOT NULL,         -- complete, not-happened, hold or release
    force     boolean     NOT NULL,
    claim     uuid        NOT NULL,         -- the row's id
    operation text        NOT NULL,
    scope     text        NOT NULL,
    key       text,                         -- as the row had it
    before    text        NOT NULL,         -- how the claim stood
    after     text        NOT NULL,
    owner     uuid        NOT NULL,         -- who had it before
    attempt   integer     NOT NULL,
    codec     text,                         -- of the result that was given
    CONSTRAINT idem_audit_pkey PRIMARY KEY (token),
    CONSTRAINT idem_audit_action CHECK (action IN ('complete', 'not-happened', 'hold', 'release')),
    CONSTRAINT idem_audit_lengths CHECK (octet_length(who) BETWEEN 1 AND 255 AND octet_length(why) BETWEEN 1 AND 1000)
);

-- What Migrate has applied.
CREATE TABLE idem_migrations (
    version    integer     NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT idem_migrations_pkey PRIMARY KEY (version)
);

INSERT INTO idem_migrations (version) VALUES (1), (2);
