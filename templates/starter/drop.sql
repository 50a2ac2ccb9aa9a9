-- This forgets every outcome: a call that is retried afterwards runs again.
DROP TABLE idem_claims;
DROP TABLE idem_audit;
DROP TABLE idem_migrations;
DROP SEQUENCE idem_fence_seq;
