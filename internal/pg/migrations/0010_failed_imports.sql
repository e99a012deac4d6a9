-- +goose Up
-- Failed imports: every record that was refused by a rule of the data (422) or
-- lost to a fault (500), with the exact bytes that were sent and everything that
-- was wrong with them.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE workspace.failed_imports (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text COLLATE "C" NOT NULL,
    status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'ignored', 'resolved')),
    http_status bigint NOT NULL CHECK (http_status IN (422, 500)),
    -- The first error's code and field; all of them are in errors.
    code text COLLATE "C" NOT NULL,
    field text,
    message text NOT NULL,
    errors jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(errors) = 'array'),
    payload bytea NOT NULL,
    payload_hash bytea NOT NULL CHECK (octet_length(payload_hash) = 32),
    -- The record's own key, when one could be read from the payload.
    record_key text COLLATE "C",
    key_id uuid NOT NULL,
    request_id text NOT NULL,
    -- The same payload failing again counts here instead of making another row.
    seen bigint NOT NULL DEFAULT 1,
    first_seen_at timestamptz NOT NULL DEFAULT now(),
    last_seen_at timestamptz NOT NULL DEFAULT now(),
    closed_at timestamptz,
    closed_reason text,
    PRIMARY KEY (tenant_id, id),
    CHECK ((status = 'open') = (closed_at IS NULL))
);
CREATE UNIQUE INDEX failed_imports_open_payload
    ON workspace.failed_imports (tenant_id, workspace_id, slug, payload_hash) WHERE status = 'open';
CREATE INDEX failed_imports_open_record
    ON workspace.failed_imports (tenant_id, slug, record_key) WHERE status = 'open';
CREATE INDEX failed_imports_last_seen ON workspace.failed_imports (tenant_id, last_seen_at);

SELECT control.protect('workspace.failed_imports');
GRANT SELECT, INSERT, UPDATE ON workspace.failed_imports TO quayside_app;
-- The job that closes failures which were stored later asks who has any.
CREATE POLICY system_reads ON workspace.failed_imports FOR SELECT TO quayside_system USING (true);
GRANT SELECT ON workspace.failed_imports TO quayside_system;
