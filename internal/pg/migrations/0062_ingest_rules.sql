-- +goose Up
-- Fixes of failed imports that are kept as rules: each changes one field of the records that external systems send to
-- a table of a workspace, before the table judges them. Rules are part of what a table accepts: a change of one raises
-- the version of the company's table or extension, as a change of a column does.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE workspace.ingest_rules (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text COLLATE "C" NOT NULL,
    key_id uuid,                    -- whose records it changes, those of the key's successors too; null: of every key
    fix json NOT NULL,              -- not jsonb, which would spell numbers anew: a value is looked for in its spelling
    position bigint NOT NULL,       -- rules of a table are applied in this order
    enabled boolean NOT NULL,
    version bigint NOT NULL CHECK (version > 0),
    bulk_id uuid,                   -- the bulk retry whose fix it was
    created_by jsonb NOT NULL,      -- an actor
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_by jsonb NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, slug) REFERENCES workspace.registry_tables (tenant_id, slug)
);
CREATE INDEX ingest_rules_of_table ON workspace.ingest_rules (tenant_id, slug, workspace_id, position);

-- Every version of every rule, so that it can be told which rules a record met.
CREATE TABLE workspace.ingest_rule_versions (
    tenant_id uuid NOT NULL,
    rule_id uuid NOT NULL,
    version bigint NOT NULL,
    workspace_id uuid NOT NULL,
    key_id uuid,
    fix json NOT NULL,
    position bigint NOT NULL,
    enabled boolean NOT NULL,
    author jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, rule_id, version),
    FOREIGN KEY (tenant_id, rule_id) REFERENCES workspace.ingest_rules (tenant_id, id)
);

CREATE TRIGGER count_insert AFTER INSERT ON workspace.ingest_rules
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_registry_version();
CREATE TRIGGER count_update AFTER UPDATE ON workspace.ingest_rules
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_registry_version();

SELECT control.protect('workspace.ingest_rules');
SELECT control.protect('workspace.ingest_rule_versions');
-- Nothing is deleted: a rule is switched off.
GRANT SELECT, INSERT, UPDATE (key_id, fix, position, enabled, version, updated_by, updated_at) ON workspace.ingest_rules TO quayside_app;
GRANT SELECT, INSERT ON workspace.ingest_rule_versions TO quayside_app;
