-- +goose Up
-- The audit: who did what, when and to what. The service may add rows and read them,
-- and nothing else.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE workspace.audit (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    workspace_id uuid, -- empty: it concerned the company as a whole
    actor jsonb NOT NULL,
    request_id text NOT NULL,
    action text COLLATE "C" NOT NULL CHECK (action ~ '^[a-z_]+\.[a-z_]+$'),
    -- The id of what it was done to.
    subject text COLLATE "C" NOT NULL,
    data jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(data) = 'object'),
    -- Rows become visible in the order of commits, not of ids. Whoever wants to read on
    -- from where they stopped needs to know which transactions have ended.
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX audit_subject ON workspace.audit (tenant_id, subject, id);
SELECT control.protect('workspace.audit');
GRANT SELECT, INSERT ON workspace.audit TO quayside_app;
