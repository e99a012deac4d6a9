-- +goose Up
-- Purchase order lines: one article on one supplier order. The triggers here are
-- guarantees for every writer; each has a WHEN clause so that a write which has
-- already done the work set-based does not pay for them.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE workspace.purchase_order_lines (
    id text COLLATE "C" NOT NULL DEFAULT workspace.new_id(),
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    external_id text COLLATE "C" NOT NULL CHECK (external_id <> ''),
    order_no text COLLATE "C" NOT NULL,
    sku text COLLATE "C" NOT NULL CHECK (sku <> ''),
    status text COLLATE "C" NOT NULL DEFAULT 'draft'
        CHECK (status IN ('draft', 'pending_approval', 'ordered', 'partially_received', 'received', 'cancelled')),
    quantity_ordered numeric NOT NULL CHECK (quantity_ordered >= 0 AND quantity_ordered < 'Infinity'),
    quantity_received numeric NOT NULL DEFAULT 0 CHECK (quantity_received >= 0 AND quantity_received < 'Infinity'),
    expected_arrival_date date,
    price_per_unit numeric CHECK (price_per_unit >= 0 AND price_per_unit < 'Infinity'),
    currency text,
    note text,
    supplier_id text COLLATE "C",
    product_id text COLLATE "C",
    ordered_at timestamptz,
    received_at timestamptz,
    location_id uuid,
    product_name text,
    supplier_name text,
    variant_external_id text COLLATE "C",
    product_external_id text COLLATE "C",
    recommendation_key text COLLATE "C",
    created_by_type text CHECK (created_by_type IN ('user', 'agent')),
    created_by_user_id uuid,
    created_by_agent_id uuid,
    created_by_run_id text,
    approved_by uuid,
    approved_at timestamptz,
    external_system text,
    external_po_id text,
    external_line_id text,
    version bigint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, supplier_id) REFERENCES workspace.suppliers (tenant_id, id),
    FOREIGN KEY (tenant_id, product_id) REFERENCES workspace.products (tenant_id, id)
);
CREATE UNIQUE INDEX purchase_order_lines_external_id ON workspace.purchase_order_lines (tenant_id, external_id);
-- The double-order lock: one recommendation never has two lines that are open.
CREATE UNIQUE INDEX purchase_order_lines_open_recommendation
    ON workspace.purchase_order_lines (tenant_id, recommendation_key)
    WHERE recommendation_key IS NOT NULL AND status NOT IN ('received', 'cancelled');
-- Lines whose article is not known yet, found by SKU when a product arrives.
CREATE INDEX purchase_order_lines_unresolved ON workspace.purchase_order_lines (tenant_id, sku)
    WHERE product_name IS NULL;

-- What a line says of its article and supplier at this moment. product_id
-- decides; without it the SKU does, if it means one article: a product known by
-- SKU alone does not compete with one that has an external id. Two or more: no
-- row of products is taken and the line stays unresolved. The supplier is the
-- line's own, else the article's. (CASE and not coalesce: row security keeps a
-- coalesce out of index conditions.)
CREATE FUNCTION workspace.line_snapshot(
    of_tenant uuid, of_workspace uuid, line_sku text, line_product_id text, line_supplier_id text
) RETURNS TABLE (product_name text, supplier_name text, variant_external_id text, product_external_id text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT p.name, s.name, p.external_id, p.product_external_id
    FROM (SELECT CASE WHEN line_product_id IS NOT NULL THEN line_product_id ELSE (
        SELECT CASE WHEN count(c.external_id) < 2 THEN min(c.id) FILTER (WHERE c.place = 1) END
        FROM (
            SELECT c.id, c.external_id, row_number() OVER (ORDER BY c.external_id NULLS LAST) AS place
            FROM workspace.products c
            WHERE c.tenant_id = of_tenant AND c.workspace_id = of_workspace AND c.sku = line_sku
            LIMIT 2
        ) c
    ) END AS id) article
    LEFT JOIN LATERAL (
        SELECT p.name, p.external_id, p.product_external_id, p.supplier_id FROM workspace.products p
        WHERE p.tenant_id = of_tenant AND p.workspace_id = of_workspace AND p.id = article.id LIMIT 1
    ) p ON true
    LEFT JOIN LATERAL (
        SELECT s.name FROM workspace.suppliers s
        WHERE s.tenant_id = of_tenant AND s.workspace_id = of_workspace
          AND s.id = CASE WHEN line_supplier_id IS NOT NULL THEN line_supplier_id ELSE p.supplier_id END LIMIT 1
    ) s ON true
$$;
REVOKE EXECUTE ON FUNCTION workspace.line_snapshot(uuid, uuid, text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION workspace.line_snapshot(uuid, uuid, text, text, text) TO quayside_app, quayside_system;

-- +goose StatementBegin
CREATE FUNCTION workspace.fill_line_snapshot() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    SELECT s.product_name, s.supplier_name, s.variant_external_id, s.product_external_id
    INTO NEW.product_name, NEW.supplier_name, NEW.variant_external_id, NEW.product_external_id
    FROM workspace.line_snapshot(NEW.tenant_id, NEW.workspace_id, NEW.sku, NEW.product_id, NEW.supplier_id) s;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER fill_new_snapshot BEFORE INSERT ON workspace.purchase_order_lines
    FOR EACH ROW WHEN (NEW.product_name IS NULL)
    EXECUTE FUNCTION workspace.fill_line_snapshot();
CREATE TRIGGER fill_changed_snapshot BEFORE UPDATE ON workspace.purchase_order_lines
    FOR EACH ROW WHEN (
        (OLD.sku, OLD.product_id, OLD.supplier_id) IS DISTINCT FROM (NEW.sku, NEW.product_id, NEW.supplier_id)
        AND (OLD.product_name, OLD.supplier_name, OLD.variant_external_id, OLD.product_external_id)
            IS NOT DISTINCT FROM
            (NEW.product_name, NEW.supplier_name, NEW.variant_external_id, NEW.product_external_id)
    )
    EXECUTE FUNCTION workspace.fill_line_snapshot();

-- Receipts move the line, whoever writes them: part of the quantity makes it
-- partially received, all of it received, with the time when none was given. A time
-- once set stays when a later write leaves it out; an upsert fires the insert's
-- trigger for a row that exists, hence the look at it.
-- +goose StatementBegin
CREATE FUNCTION workspace.apply_receipt() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.quantity_received < NEW.quantity_ordered THEN
        NEW.status := 'partially_received';
    ELSE
        NEW.status := 'received';
        IF NEW.received_at IS NULL THEN
            SELECT l.received_at INTO NEW.received_at FROM workspace.purchase_order_lines l
            WHERE l.tenant_id = NEW.tenant_id AND l.external_id = NEW.external_id;
            NEW.received_at := coalesce(NEW.received_at, now());
        END IF;
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER receive BEFORE INSERT OR UPDATE ON workspace.purchase_order_lines
    FOR EACH ROW WHEN (
        NEW.quantity_received > 0 AND NEW.quantity_ordered > 0
        AND (NEW.status IN ('ordered', 'partially_received')
             OR NEW.status = 'received' AND NEW.received_at IS NULL AND NEW.quantity_received >= NEW.quantity_ordered)
        AND NOT (NEW.status = 'partially_received' AND NEW.quantity_received < NEW.quantity_ordered)
    )
    EXECUTE FUNCTION workspace.apply_receipt();

-- Last by name, so that it counts what the others changed.
CREATE TRIGGER touch_version BEFORE UPDATE ON workspace.purchase_order_lines
    FOR EACH ROW WHEN (NEW.version = OLD.version) EXECUTE FUNCTION workspace.count_version();

SELECT control.protect('workspace.purchase_order_lines');
GRANT SELECT, INSERT, UPDATE ON workspace.purchase_order_lines TO quayside_app;
-- The sweep that links late records looks for them in all tenants.
CREATE POLICY system_reads ON workspace.purchase_order_lines FOR SELECT TO quayside_system USING (true);
GRANT SELECT ON workspace.purchase_order_lines TO quayside_system;
