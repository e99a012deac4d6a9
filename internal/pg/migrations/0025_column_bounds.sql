-- +goose Up
-- What a column's text may be: how long, and of which form. A value that an index holds
-- must be bounded: PostgreSQL refuses index entries beyond a third of a page.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- The most characters of a text; empty: any number.
ALTER TABLE workspace.registry_columns ADD COLUMN max_length bigint CHECK (max_length > 0);
-- Whether an index holds the column's values. Four bytes a character, 500 characters and the
-- ids in front of them fit into an entry.
ALTER TABLE workspace.registry_columns ADD COLUMN indexed boolean NOT NULL DEFAULT false
    CHECK (NOT indexed OR type <> 'text' OR max_length IS NOT NULL AND max_length <= 500);
-- A form that text must have. currency: a code of ISO 4217.
ALTER TABLE workspace.registry_columns ADD COLUMN format text COLLATE "C"
    CHECK (format IS NULL OR format = 'currency' AND type = 'text');

-- Built-in tables. A test holds this against the catalog. A reference is in no index, but
-- it is looked up in one, and an order's id waits in an indexed column; a product's
-- external_id is in one as part of its identity_key.
UPDATE workspace.registry_columns c SET indexed = true, max_length = 500
WHERE c.tenant_id = '00000000-0000-0000-0000-000000000000' AND (c.slug, c.name) IN (
    ('orders', 'external_id'), ('order_line_items', 'external_id'), ('customers', 'external_id'),
    ('suppliers', 'external_id'), ('purchase_order_lines', 'external_id'),
    ('meeting_notes', 'external_id'),
    ('order_line_items', 'order_external_id'),
    ('products', 'sku'), ('products', 'identity_key'),
    ('purchase_order_lines', 'order_no'), ('purchase_order_lines', 'sku'), ('purchase_order_lines', 'recommendation_key'));
UPDATE workspace.registry_columns c SET max_length = 500
WHERE c.tenant_id = '00000000-0000-0000-0000-000000000000'
  AND (c.reference IS NOT NULL OR c.slug = 'products' AND c.name = 'external_id');
UPDATE workspace.registry_columns c SET format = 'currency'
WHERE c.tenant_id = '00000000-0000-0000-0000-000000000000' AND (c.slug, c.name) IN (
    ('orders', 'currency'), ('orders', 'base_currency'), ('order_line_items', 'currency'),
    ('products', 'currency'), ('products', 'cost_currency'), ('suppliers', 'currency'),
    ('purchase_order_lines', 'currency'));
