-- +goose Up
-- API keys: what an external system shows to write records. Only the hash and
-- the first characters are kept.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE workspace.api_keys (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    key_hash bytea NOT NULL CHECK (octet_length(key_hash) = 32),
    prefix text NOT NULL CHECK (length(prefix) = 11),
    label text NOT NULL CHECK (btrim(label) <> '' AND length(label) <= 200),
    -- The slug of one table, or '*' for every table, present and future.
    scope text COLLATE "C" NOT NULL CHECK (scope = '*' OR scope ~ '^[a-z][a-z0-9_]{0,47}$'),
    -- Requests per second and burst; empty means the service's default.
    rate_per_second bigint CHECK (rate_per_second > 0),
    rate_burst bigint CHECK (rate_burst > 0),
    expires_at timestamptz,
    revoked_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX api_keys_hash ON workspace.api_keys (tenant_id, key_hash);

SELECT control.protect('workspace.api_keys');
-- What a key is and opens never changes; only its name and its end do.
GRANT SELECT, INSERT, UPDATE (label, rate_per_second, rate_burst, expires_at, revoked_at) ON workspace.api_keys TO quayside_app;
