-- Version 1: the table of claims.

CREATE SEQUENCE idem_fence_seq;

CREATE TABLE idem_claims (
    id           uuid        NOT NULL,
    owner        uuid        NOT NULL,
    fence        bigint      NOT NULL,
    lease_until  timestamptz NOT NULL,
    claimed_at   timestamptz NOT NULL,
    completed_at timestamptz,
    expires_at   timestamptz,
    keep         interval,
    attempt      integer     NOT NULL,
    lapses       integer     NOT NULL,
    state        smallint    NOT NULL,
    abandoned    boolean     NOT NULL,
    fingerprint  bytea       NOT NULL,
    operation    text        NOT NULL,
    scope        text        NOT NULL,
    key          text,
    origin       text,
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

CREATE TABLE idem_migrations (
    version    integer     NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT idem_migrations_pkey PRIMARY KEY (version)
);
