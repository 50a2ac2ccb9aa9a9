-- Version 2: what people have decided about claims.

CREATE TABLE idem_audit (
    token     uuid        NOT NULL,
    at        timestamptz NOT NULL,
    who       text        NOT NULL,
    why       text        NOT NULL,
    action    text        NOT NULL,
    force     boolean     NOT NULL,
    claim     uuid        NOT NULL,
    operation text        NOT NULL,
    scope     text        NOT NULL,
    key       text,
    before    text        NOT NULL,
    after     text        NOT NULL,
    owner     uuid        NOT NULL,
    attempt   integer     NOT NULL,
    codec     text,
    CONSTRAINT idem_audit_pkey PRIMARY KEY (token),
    CONSTRAINT idem_audit_action CHECK (action IN ('complete', 'not-happened', 'hold', 'release')),
    CONSTRAINT idem_audit_lengths CHECK (octet_length(who) BETWEEN 1 AND 255 AND octet_length(why) BETWEEN 1 AND 1000)
);

INSERT INTO idem_migrations (version) VALUES (2);
