-- +goose Up
-- Tokens of assistants and agents. Only the hash and the first characters are kept. The
-- directory of keys leads from a hash to its company, for both kinds of secrets.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE workspace.tokens (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    token_hash bytea NOT NULL CHECK (octet_length(token_hash) = 32),
    prefix text NOT NULL,
    label text NOT NULL CHECK (btrim(label) <> '' AND length(label) <= 200),
    -- It acts for a person, with what they may do at that moment, or it is an agent.
    user_id uuid,
    agent_id uuid,
    scopes text[] NOT NULL CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['read', 'write', 'failed_imports']),
    created_by jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    PRIMARY KEY (tenant_id, id),
    CHECK ((user_id IS NULL) <> (agent_id IS NULL))
);
CREATE UNIQUE INDEX tokens_hash ON workspace.tokens (tenant_id, token_hash);
SELECT control.protect('workspace.tokens');
-- What a token is and opens never changes; only its end does, and when it was used.
GRANT SELECT, INSERT, UPDATE (revoked_at, last_used_at) ON workspace.tokens TO quayside_app;

-- Every call of an agent is in the audit: what is looked for there is found by its kind.
-- squawk-ignore require-concurrent-index-creation -- the table is young and was written by people, not by records
CREATE INDEX audit_action ON workspace.audit (tenant_id, action, id);

-- Agents may ask for approval unless a workspace says otherwise. Version 0 are workspaces
-- that have never said anything.
ALTER TABLE workspace.purchasing_rules ALTER COLUMN agents_submit SET DEFAULT true;
ALTER TABLE workspace.purchasing_rules NO FORCE ROW LEVEL SECURITY;
UPDATE workspace.purchasing_rules SET agents_submit = true WHERE version = 0;
ALTER TABLE workspace.purchasing_rules FORCE ROW LEVEL SECURITY;
