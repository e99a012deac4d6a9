-- +goose Up
-- The audit's hash chain (docs/decisions/0007-audit-chain.md). Whoever writes an audit row
-- waits for nobody; a sealer gives rows their place in their tenant's chain afterwards.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- Rows that have no seal yet. The service takes them away as it seals them: the audit
-- itself stays as it was written.
CREATE TABLE workspace.audit_unsealed (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    PRIMARY KEY (tenant_id, id)
);

-- A place in a tenant's chain. Numbers rise by one from 1; hash covers the seal before and
-- all that this one says.
CREATE TABLE workspace.audit_seals (
    tenant_id uuid NOT NULL,
    number bigint NOT NULL CHECK (number > 0),
    row_id uuid NOT NULL,
    row_hash bytea NOT NULL CHECK (octet_length(row_hash) = 32),
    hash bytea NOT NULL CHECK (octet_length(hash) = 32),
    sealed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, number)
);
CREATE UNIQUE INDEX audit_seals_row ON workspace.audit_seals (tenant_id, row_id);

-- +goose StatementBegin
CREATE FUNCTION workspace.await_seal() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO workspace.audit_unsealed (tenant_id, id) SELECT tenant_id, id FROM added;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION workspace.await_seal() FROM PUBLIC;

-- The trigger's lock keeps writers out until all of this is there: no row falls between
-- those that wait from now on and those that have been waiting.
CREATE TRIGGER await_seal AFTER INSERT ON workspace.audit REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION workspace.await_seal();
ALTER TABLE workspace.audit NO FORCE ROW LEVEL SECURITY;
INSERT INTO workspace.audit_unsealed (tenant_id, id) SELECT tenant_id, id FROM workspace.audit;
ALTER TABLE workspace.audit FORCE ROW LEVEL SECURITY;

SELECT control.protect('workspace.audit_unsealed');
SELECT control.protect('workspace.audit_seals');
GRANT SELECT, INSERT, DELETE ON workspace.audit_unsealed TO quayside_app;
-- Times and transaction ids are PostgreSQL's to say, not the service's.
GRANT SELECT, INSERT (tenant_id, number, row_id, row_hash, hash) ON workspace.audit_seals TO quayside_app;
REVOKE INSERT ON workspace.audit FROM quayside_app;
GRANT INSERT (tenant_id, id, workspace_id, actor, request_id, action, subject, data) ON workspace.audit TO quayside_app;

-- Whose rows wait?
CREATE POLICY system_reads ON workspace.audit_unsealed FOR SELECT TO quayside_system USING (true);
GRANT SELECT (tenant_id) ON workspace.audit_unsealed TO quayside_system;
