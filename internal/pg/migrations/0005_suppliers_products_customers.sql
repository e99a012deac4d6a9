-- +goose Up
-- The records that others refer to. Conventions of every ingest table:
--   * id is a UUIDv7 as text, because references to it are text;
--   * tenant_id leads every key, so that no index spans tenants;
--   * numbers are numeric without a scale, stored as sent;
--   * version counts the writes that changed the row.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE workspace.suppliers (
    id text COLLATE "C" NOT NULL DEFAULT workspace.new_id(),
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    external_id text COLLATE "C" NOT NULL CHECK (external_id <> ''),
    name text NOT NULL,
    email text,
    contact_name text,
    phone text,
    currency text,
    lead_time_days numeric CHECK (lead_time_days >= 0 AND lead_time_days < 'Infinity'),
    order_cycle_days numeric CHECK (order_cycle_days >= 0 AND order_cycle_days < 'Infinity'),
    min_order_value numeric CHECK (min_order_value >= 0 AND min_order_value < 'Infinity'),
    payment_terms_days numeric CHECK (payment_terms_days >= 0 AND payment_terms_days < 'Infinity'),
    country text,
    active boolean,
    note text,
    version bigint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX suppliers_external_id ON workspace.suppliers (tenant_id, external_id);

CREATE TABLE workspace.products (
    id text COLLATE "C" NOT NULL DEFAULT workspace.new_id(),
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    external_id text COLLATE "C" CHECK (external_id <> ''),
    sku text COLLATE "C" CHECK (sku <> ''),
    identity_key text COLLATE "C" GENERATED ALWAYS AS (coalesce(external_id, sku)) STORED,
    product_external_id text COLLATE "C",
    barcode text,
    name text NOT NULL,
    variant_name text,
    family text,
    category text,
    vendor text,
    status text CHECK (status IN ('active', 'draft', 'archived')),
    price numeric CHECK (price >= 0 AND price < 'Infinity'),
    currency text,
    unit_cost numeric CHECK (unit_cost >= 0 AND unit_cost < 'Infinity'),
    cost_currency text,
    stock_on_hand numeric,
    stock_committed numeric,
    stock_available numeric,
    stock_updated_at timestamptz,
    track_inventory boolean,
    allow_backorder boolean,
    supplier_id text COLLATE "C",
    supplier_sku text,
    lead_time_days numeric CHECK (lead_time_days >= 0 AND lead_time_days < 'Infinity'),
    moq numeric CHECK (moq >= 0 AND moq < 'Infinity'),
    order_multiple numeric CHECK (order_multiple >= 0 AND order_multiple < 'Infinity'),
    safety_stock numeric CHECK (safety_stock >= 0 AND safety_stock < 'Infinity'),
    reorder_point numeric CHECK (reorder_point >= 0 AND reorder_point < 'Infinity'),
    cover_days numeric CHECK (cover_days >= 0 AND cover_days < 'Infinity'),
    do_not_reorder boolean,
    launched_at timestamptz,
    image_url text,
    tags text,
    version bigint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT products_identity_required CHECK (external_id IS NOT NULL OR sku IS NOT NULL),
    FOREIGN KEY (tenant_id, supplier_id) REFERENCES workspace.suppliers (tenant_id, id)
);
-- Partial on purpose, though the predicate always holds: a unique index without
-- one counts as a key that foreign-key checks lock, and every upsert of a product
-- would wait for open writes of its order lines.
CREATE UNIQUE INDEX products_identity_key ON workspace.products (tenant_id, identity_key)
    WHERE identity_key IS NOT NULL;
CREATE INDEX products_sku ON workspace.products (tenant_id, sku) WHERE sku IS NOT NULL;

CREATE TABLE workspace.customers (
    id text COLLATE "C" NOT NULL DEFAULT workspace.new_id(),
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    external_id text COLLATE "C" NOT NULL CHECK (external_id <> ''),
    name text,
    email text,
    phone text,
    company text,
    country text,
    city text,
    accepts_marketing boolean,
    source_created_at timestamptz,
    locale text,
    tags text,
    note text,
    version bigint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX customers_external_id ON workspace.customers (tenant_id, external_id);

-- Every change of a product's stock, so that demand can tell a day without sales
-- from a day without stock.
CREATE TABLE workspace.stock_history (
    tenant_id uuid NOT NULL,
    product_id text COLLATE "C" NOT NULL,
    -- The product's version that this change made.
    version bigint NOT NULL,
    workspace_id uuid NOT NULL,
    -- When the source counted, if it said so with this change; else now.
    observed_at timestamptz NOT NULL,
    stock_on_hand numeric,
    stock_available numeric,
    PRIMARY KEY (tenant_id, product_id, version),
    FOREIGN KEY (tenant_id, product_id) REFERENCES workspace.products (tenant_id, id)
);

-- +goose StatementBegin
CREATE FUNCTION workspace.note_stock() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    observed timestamptz := now();
BEGIN
    IF TG_OP = 'INSERT' OR NEW.stock_updated_at IS DISTINCT FROM OLD.stock_updated_at THEN
        observed := coalesce(NEW.stock_updated_at, now());
    END IF;
    INSERT INTO workspace.stock_history
        (tenant_id, product_id, version, workspace_id, observed_at, stock_on_hand, stock_available)
    VALUES
        (NEW.tenant_id, NEW.id, NEW.version, NEW.workspace_id, observed, NEW.stock_on_hand, NEW.stock_available);
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER note_new_stock AFTER INSERT ON workspace.products
    FOR EACH ROW WHEN (NEW.stock_on_hand IS NOT NULL OR NEW.stock_available IS NOT NULL)
    EXECUTE FUNCTION workspace.note_stock();
CREATE TRIGGER note_stock_change AFTER UPDATE ON workspace.products
    FOR EACH ROW WHEN (OLD.stock_on_hand IS DISTINCT FROM NEW.stock_on_hand
                       OR OLD.stock_available IS DISTINCT FROM NEW.stock_available)
    EXECUTE FUNCTION workspace.note_stock();

CREATE TRIGGER count_version BEFORE UPDATE ON workspace.suppliers
    FOR EACH ROW WHEN (NEW.version = OLD.version) EXECUTE FUNCTION workspace.count_version();
CREATE TRIGGER count_version BEFORE UPDATE ON workspace.products
    FOR EACH ROW WHEN (NEW.version = OLD.version) EXECUTE FUNCTION workspace.count_version();
CREATE TRIGGER count_version BEFORE UPDATE ON workspace.customers
    FOR EACH ROW WHEN (NEW.version = OLD.version) EXECUTE FUNCTION workspace.count_version();

SELECT control.protect('workspace.suppliers');
SELECT control.protect('workspace.products');
SELECT control.protect('workspace.customers');
SELECT control.protect('workspace.stock_history');
GRANT SELECT, INSERT, UPDATE ON workspace.suppliers, workspace.products, workspace.customers TO quayside_app;
GRANT SELECT, INSERT ON workspace.stock_history TO quayside_app;
-- The sweep that links late records looks for them in all tenants.
CREATE POLICY system_reads ON workspace.suppliers FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_reads ON workspace.products FOR SELECT TO quayside_system USING (true);
GRANT SELECT ON workspace.suppliers, workspace.products TO quayside_system;
