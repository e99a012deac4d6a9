-- +goose Up
-- Companies add columns of their own to built-in tables. Their values are stored beside the row's own, in one
-- document. A company's row in the registry with the slug of a built-in table and the storage 'extension' holds
-- these columns, and its version counts on top of the built-in table's: both only grow, so the sum is the same only
-- if nothing has changed.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

ALTER TABLE workspace.customers ADD COLUMN custom jsonb NOT NULL DEFAULT '{}';
ALTER TABLE workspace.meeting_notes ADD COLUMN custom jsonb NOT NULL DEFAULT '{}';
ALTER TABLE workspace.order_line_items ADD COLUMN custom jsonb NOT NULL DEFAULT '{}';
ALTER TABLE workspace.orders ADD COLUMN custom jsonb NOT NULL DEFAULT '{}';
ALTER TABLE workspace.products ADD COLUMN custom jsonb NOT NULL DEFAULT '{}';
ALTER TABLE workspace.purchase_order_lines ADD COLUMN custom jsonb NOT NULL DEFAULT '{}';
ALTER TABLE workspace.suppliers ADD COLUMN custom jsonb NOT NULL DEFAULT '{}';

ALTER TABLE workspace.registry_tables DROP CONSTRAINT registry_tables_check;
ALTER TABLE workspace.registry_tables DROP CONSTRAINT registry_tables_storage_check;
-- squawk-ignore constraint-missing-not-valid -- tables are defined by people, so they are few
ALTER TABLE workspace.registry_tables ADD CONSTRAINT registry_tables_storage_check
    CHECK (storage IN ('table', 'records', 'extension'));
-- Tables of the schema are built in; extensions are a company's, and are never retired: their columns are.
-- squawk-ignore constraint-missing-not-valid -- as above
ALTER TABLE workspace.registry_tables ADD CONSTRAINT registry_tables_check
    CHECK (CASE storage WHEN 'table' THEN tenant_id = '00000000-0000-0000-0000-000000000000'
        WHEN 'extension' THEN tenant_id <> '00000000-0000-0000-0000-000000000000' AND retired_at IS NULL
        ELSE true END);

-- A table of a company may not have the name of a built-in table, unless it extends it; nor that of a part of the
-- playbook or of a computed view: registry.Reserved has the same list, and a test compares them.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION workspace.refuse_built_in_slug() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.slug IN ('procurement_config', 'strategies', 'sops', 'weekly_sales', 'family_trend', 'customer_reorder_due',
            'product_demand', 'seasonality', 'procurement_queue', 'unmatched_lines')
        OR (NEW.storage = 'extension') IS DISTINCT FROM EXISTS (SELECT FROM workspace.registry_tables t
            WHERE t.tenant_id = '00000000-0000-0000-0000-000000000000' AND t.slug = NEW.slug) THEN
        RAISE EXCEPTION 'the slug % is taken by a built-in table, or there is none to extend', NEW.slug
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'registry_tables_built_in_slug';
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER refuse_built_in_slug BEFORE INSERT OR UPDATE OF slug, storage ON workspace.registry_tables
    FOR EACH ROW WHEN (NEW.tenant_id <> '00000000-0000-0000-0000-000000000000')
    EXECUTE FUNCTION workspace.refuse_built_in_slug();
