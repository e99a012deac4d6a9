-- +goose Up
-- Secrets that the service must read back, such as the token of another system. They are encrypted
-- with a key that is not in the database.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE workspace.secrets (
    tenant_id uuid NOT NULL,
    owner_id uuid NOT NULL,          -- what it belongs to, such as a connection
    purpose text COLLATE "C" NOT NULL,
    key_id text COLLATE "C" NOT NULL, -- the key in QUAYSIDE_SECRET_KEYS
    sealed bytea NOT NULL,
    ending text NOT NULL,            -- its last characters, for people; '' if it is short
    set_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, owner_id, purpose)
);

SELECT control.protect('workspace.secrets');
GRANT SELECT, INSERT, DELETE, UPDATE (key_id, sealed, ending, set_at) ON workspace.secrets TO quayside_app;

-- Whoever changes the key looks for secrets of all tenants, but opens each as its tenant.
CREATE POLICY system_reads ON workspace.secrets FOR SELECT TO quayside_system USING (true);
GRANT SELECT (tenant_id, owner_id, purpose, key_id) ON workspace.secrets TO quayside_system;
