-- This forgets who decided what about which claim. The claims stay as they are.
DELETE FROM idem_migrations WHERE version = 2;
DROP TABLE idem_audit;
