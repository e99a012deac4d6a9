-- +goose Up
-- What people do about failed imports: retry them as they are or edited, or close them by
-- hand. The payload that came is never changed; each attempt keeps what it sent.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

ALTER TABLE workspace.failed_imports ADD COLUMN closed_how text; -- retry, later_success or hand
ALTER TABLE workspace.failed_imports ADD COLUMN closed_by jsonb; -- the actor, unless a later success did it
-- Somebody is retrying it until then. It ends by itself, should they never come back.
ALTER TABLE workspace.failed_imports ADD COLUMN retrying_until timestamptz;

CREATE TABLE workspace.failed_import_attempts (
    tenant_id uuid NOT NULL,
    failed_id uuid NOT NULL,
    id uuid NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    actor jsonb NOT NULL,
    request_id text NOT NULL,
    payload bytea, -- as it was edited; empty: as it came
    http_status bigint NOT NULL,
    code text COLLATE "C" NOT NULL DEFAULT '',
    message text NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, failed_id, id),
    FOREIGN KEY (tenant_id, failed_id) REFERENCES workspace.failed_imports (tenant_id, id) ON DELETE CASCADE
);
SELECT control.protect('workspace.failed_import_attempts');
GRANT SELECT, INSERT ON workspace.failed_import_attempts TO quayside_app;
