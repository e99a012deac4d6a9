-- +goose Up
-- Whether the values of unknown fields are kept becomes a part of what a table accepts, as rules are: switching it raises
-- the version of the company's table or extension, which every write compares in its own transaction.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- Built-in tables whose values are kept already need an extension to have a version.
ALTER TABLE workspace.registry_tables NO FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.unknown_keeping NO FORCE ROW LEVEL SECURITY;
INSERT INTO workspace.registry_tables (tenant_id, slug, title, storage)
SELECT DISTINCT k.tenant_id, b.slug, b.title, 'extension' FROM workspace.unknown_keeping k
JOIN workspace.registry_tables b ON b.tenant_id = '00000000-0000-0000-0000-000000000000' AND b.slug = k.slug AND b.retired_at IS NULL
ON CONFLICT (tenant_id, slug) DO NOTHING;
ALTER TABLE workspace.unknown_keeping FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.registry_tables FORCE ROW LEVEL SECURITY;

-- An instance of the version before switches it without raising the version itself.
CREATE TRIGGER count_insert AFTER INSERT ON workspace.unknown_keeping
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_registry_version();
CREATE TRIGGER count_delete AFTER DELETE ON workspace.unknown_keeping
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_registry_version();
