-- +goose Up
-- Orders and their line items. Webhooks arrive in any order: a line item may
-- come before its order and waits with the caller's id until the order is there.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE workspace.orders (
    id text COLLATE "C" NOT NULL DEFAULT workspace.new_id(),
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    external_id text COLLATE "C" NOT NULL CHECK (external_id <> ''),
    order_number text,
    ordered_at timestamptz NOT NULL,
    status text NOT NULL CHECK (status IN ('open', 'completed', 'cancelled', 'draft', 'failed')),
    financial_status text,
    fulfillment_status text,
    customer_id text COLLATE "C",
    customer_email text,
    currency text NOT NULL,
    total numeric NOT NULL,
    subtotal numeric,
    discount_total numeric,
    tax_total numeric,
    shipping_total numeric,
    base_currency text,
    base_total numeric,
    cancelled_at timestamptz,
    is_test boolean,
    channel text,
    country text,
    tags text,
    note text,
    version bigint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, customer_id) REFERENCES workspace.customers (tenant_id, id)
);
CREATE UNIQUE INDEX orders_external_id ON workspace.orders (tenant_id, external_id);

CREATE TABLE workspace.order_line_items (
    id text COLLATE "C" NOT NULL DEFAULT workspace.new_id(),
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    external_id text COLLATE "C" NOT NULL CHECK (external_id <> ''),
    order_id text COLLATE "C",
    order_external_id text COLLATE "C",
    product_id text COLLATE "C",
    variant_external_id text COLLATE "C",
    product_external_id text COLLATE "C",
    sku text COLLATE "C",
    name text NOT NULL,
    quantity numeric NOT NULL,
    current_quantity numeric,
    returned_quantity numeric,
    unit_price numeric NOT NULL,
    discount_amount numeric,
    tax_amount numeric,
    currency text,
    is_gift_card boolean,
    version bigint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT order_line_items_order_required CHECK (order_id IS NOT NULL OR order_external_id IS NOT NULL),
    FOREIGN KEY (tenant_id, order_id) REFERENCES workspace.orders (tenant_id, id),
    FOREIGN KEY (tenant_id, product_id) REFERENCES workspace.products (tenant_id, id)
);
CREATE UNIQUE INDEX order_line_items_external_id ON workspace.order_line_items (tenant_id, external_id);
CREATE INDEX order_line_items_pending_order ON workspace.order_line_items (tenant_id, order_external_id)
    WHERE order_id IS NULL;

CREATE TRIGGER count_version BEFORE UPDATE ON workspace.orders
    FOR EACH ROW WHEN (NEW.version = OLD.version) EXECUTE FUNCTION workspace.count_version();
CREATE TRIGGER count_version BEFORE UPDATE ON workspace.order_line_items
    FOR EACH ROW WHEN (NEW.version = OLD.version) EXECUTE FUNCTION workspace.count_version();

SELECT control.protect('workspace.orders');
SELECT control.protect('workspace.order_line_items');
GRANT SELECT, INSERT, UPDATE ON workspace.orders, workspace.order_line_items TO quayside_app;
-- The sweep that links late records looks for them in all tenants.
CREATE POLICY system_reads ON workspace.orders FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_reads ON workspace.order_line_items FOR SELECT TO quayside_system USING (true);
GRANT SELECT ON workspace.orders, workspace.order_line_items TO quayside_system;
