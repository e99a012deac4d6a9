-- +goose Up
-- What external systems order: at which version of the line, so that the system is found by its
-- event, and the line as it was then. What people change later is measured against that.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

ALTER TABLE workspace.line_approvals ADD COLUMN ordered_version bigint; -- empty: no external system ordered it

-- +goose StatementBegin
CREATE FUNCTION workspace.note_ordered_outside() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO workspace.line_approvals AS a (tenant_id, line_id, workspace_id, ordered_version,
        approved_quantity, approved_price, approved_currency, approved_sku, approved_product_id, approved_supplier_id, approved_order_no)
    VALUES (NEW.tenant_id, NEW.id, NEW.workspace_id, NEW.version,
        NEW.quantity_ordered, NEW.price_per_unit, NEW.currency, NEW.sku, NEW.product_id, NEW.supplier_id, NEW.order_no)
    ON CONFLICT (tenant_id, line_id) DO UPDATE
    SET ordered_version = excluded.ordered_version, approved_quantity = excluded.approved_quantity, approved_price = excluded.approved_price,
        approved_currency = excluded.approved_currency, approved_sku = excluded.approved_sku, approved_product_id = excluded.approved_product_id,
        approved_supplier_id = excluded.approved_supplier_id, approved_order_no = excluded.approved_order_no
    WHERE a.approved_quantity IS NULL;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER ordered_outside AFTER INSERT ON workspace.purchase_order_lines
    FOR EACH ROW WHEN (
        NEW.status IN ('ordered', 'partially_received', 'received') AND NEW.approved_by IS NULL
        AND coalesce(current_setting('app.purchase', true), '') <> 'on'
    )
    EXECUTE FUNCTION workspace.note_ordered_outside();
CREATE TRIGGER ordered_outside_later AFTER UPDATE ON workspace.purchase_order_lines
    FOR EACH ROW WHEN (
        NEW.status IN ('ordered', 'partially_received', 'received') AND OLD.status NOT IN ('ordered', 'partially_received', 'received')
        AND NEW.approved_by IS NULL AND coalesce(current_setting('app.purchase', true), '') <> 'on'
    )
    EXECUTE FUNCTION workspace.note_ordered_outside();

-- Lines that external systems ordered before: they are the best witness of themselves.
ALTER TABLE workspace.purchase_order_lines NO FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.line_approvals NO FORCE ROW LEVEL SECURITY;
INSERT INTO workspace.line_approvals AS a (tenant_id, line_id, workspace_id, ordered_version,
    approved_quantity, approved_price, approved_currency, approved_sku, approved_product_id, approved_supplier_id, approved_order_no)
SELECT tenant_id, id, workspace_id, version, quantity_ordered, price_per_unit, currency, sku, product_id, supplier_id, order_no
FROM workspace.purchase_order_lines WHERE status IN ('ordered', 'partially_received', 'received') AND approved_by IS NULL
ON CONFLICT (tenant_id, line_id) DO UPDATE SET ordered_version = excluded.ordered_version WHERE a.approved_total IS NULL;
ALTER TABLE workspace.line_approvals FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.purchase_order_lines FORCE ROW LEVEL SECURITY;

-- Whoever takes a line back takes away that it was ordered, too.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION workspace.withdraw_approval() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    NEW.approved_by := NULL;
    NEW.approved_at := NULL;
    UPDATE workspace.line_approvals
    SET money_hash = NULL, submitted_by = NULL, submitted_at = NULL, approved_quantity = NULL, approved_price = NULL,
        approved_sku = NULL, approved_product_id = NULL, approved_supplier_id = NULL, approved_currency = NULL,
        approved_order_no = NULL, approved_total = NULL, approver_limit = NULL, self_approved = false, ordered_version = NULL
    WHERE tenant_id = NEW.tenant_id AND line_id = NEW.id;
    RETURN NEW;
END
$$;

-- Another SKU is another article. The product that the line had stays only where the record
-- names it: the first of these triggers fires for records that do, and leaves a word for the
-- second, which comes after it by name.
CREATE FUNCTION workspace.note_said_article() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('app.said_article', NEW.id, true);
    RETURN NEW;
END
$$;
CREATE FUNCTION workspace.follow_sku() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF coalesce(current_setting('app.said_article', true), '') <> NEW.id THEN
        NEW.product_id := NULL;
        NEW.product_name := OLD.product_name; -- so that all of them are looked up again
        NEW.supplier_name := OLD.supplier_name;
        NEW.variant_external_id := OLD.variant_external_id;
        NEW.product_external_id := OLD.product_external_id;
    END IF;
    PERFORM set_config('app.said_article', '', true);
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER article_said BEFORE UPDATE OF product_id ON workspace.purchase_order_lines
    FOR EACH ROW WHEN (OLD.sku <> NEW.sku AND OLD.product_id = NEW.product_id) EXECUTE FUNCTION workspace.note_said_article();
CREATE TRIGGER article_unsaid BEFORE UPDATE ON workspace.purchase_order_lines
    FOR EACH ROW WHEN (OLD.sku <> NEW.sku AND OLD.product_id = NEW.product_id) EXECUTE FUNCTION workspace.follow_sku();

-- All lines that ever answered a recommendation of an article: its next one has the next number.
-- squawk-ignore require-concurrent-index-creation -- there is no release that has lines yet
CREATE INDEX purchase_order_lines_recommendation ON workspace.purchase_order_lines (tenant_id, recommendation_key)
    WHERE recommendation_key IS NOT NULL;

-- An order's number is taken from the orders that there are.
-- squawk-ignore ban-drop-column -- there is no release that has it
ALTER TABLE workspace.purchasing_rules DROP COLUMN next_order;
