-- +goose Up
-- The playbook: a workspace's purchasing config, its strategies and its SOPs, as versions that are
-- never changed.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- The revision rises with every change of config or strategies: whoever computes from them
-- compares it. Writers of a workspace wait for each other at this row.
CREATE TABLE workspace.playbook_state (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    revision bigint NOT NULL,
    PRIMARY KEY (tenant_id, workspace_id)
);

CREATE TABLE workspace.playbook_versions (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('config', 'strategy', 'sop')),
    document_id uuid NOT NULL,         -- of the config: the workspace
    version bigint NOT NULL CHECK (version > 0),
    slug text COLLATE "C" CHECK ((slug IS NOT NULL) = (kind = 'sop')),
    content jsonb NOT NULL,
    author jsonb NOT NULL,             -- an actor
    note text NOT NULL,                -- why, in the author's words
    revision bigint NOT NULL,          -- of the workspace; orders versions of different documents
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, workspace_id, kind, document_id, version)
);
-- A slug names one SOP: all versions of an SOP have the slug of its first.
CREATE UNIQUE INDEX playbook_slug ON workspace.playbook_versions (tenant_id, workspace_id, slug)
    WHERE kind = 'sop' AND version = 1;

-- The rules that workspaces have set become the first version of their config, which keeps only
-- what differs from the defaults.
ALTER TABLE workspace.purchasing_rules NO FORCE ROW LEVEL SECURITY;
INSERT INTO workspace.playbook_versions (tenant_id, workspace_id, kind, document_id, version, content, author, note, revision)
SELECT tenant_id, workspace_id, 'config', workspace_id, 1,
    jsonb_build_object('values', jsonb_strip_nulls(jsonb_build_object(
        'require_four_eyes', CASE WHEN NOT four_eyes THEN false END,
        'agent_can_submit', CASE WHEN NOT agents_submit THEN false END,
        'over_receipt_pct', nullif(over_receipt_percent, 10),
        'reapproval_pct', nullif(reapproval_percent, 5)))),
    '{"type": "system"}', 'The purchasing rules', 1
FROM workspace.purchasing_rules;
INSERT INTO workspace.playbook_state (tenant_id, workspace_id, revision)
SELECT tenant_id, workspace_id, 1 FROM workspace.purchasing_rules;
-- squawk-ignore ban-drop-table -- there is no release that has it
DROP TABLE workspace.purchasing_rules;

SELECT control.protect('workspace.playbook_state');
SELECT control.protect('workspace.playbook_versions');
GRANT SELECT, INSERT, UPDATE (revision) ON workspace.playbook_state TO quayside_app;
GRANT SELECT, INSERT ON workspace.playbook_versions TO quayside_app;

-- The parts of the playbook are no tables: nothing is ingested into them, and no table of a tenant
-- takes their names.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION workspace.refuse_built_in_slug() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.slug IN ('procurement_config', 'strategies', 'sops') OR EXISTS (
        SELECT FROM workspace.registry_tables t
        WHERE t.tenant_id = '00000000-0000-0000-0000-000000000000' AND t.slug = NEW.slug) THEN
        RAISE EXCEPTION 'the slug % is taken by a built-in table', NEW.slug
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'registry_tables_built_in_slug';
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

-- Whoever computes from the playbook looks for changes in all tenants.
CREATE POLICY system_reads ON workspace.playbook_state FOR SELECT TO quayside_system USING (true);
GRANT SELECT ON workspace.playbook_state TO quayside_system;
