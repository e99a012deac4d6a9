-- +goose Up
-- What an approval was given for, in full, so that every later change is compared with that
-- and not with the last value; and what becomes of approvals and receipts that an external
-- system takes back.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- With approved_quantity and approved_price: the line as it was approved or, when an external
-- system ordered it, as it was when it was first changed in the app.
ALTER TABLE workspace.line_approvals
    ADD COLUMN approved_sku text COLLATE "C",
    ADD COLUMN approved_product_id text COLLATE "C",
    ADD COLUMN approved_supplier_id text COLLATE "C",
    ADD COLUMN approved_currency text,
    ADD COLUMN approved_order_no text COLLATE "C",
    ADD COLUMN approved_total numeric, -- of the order as a whole, then; empty: nobody approved it here
    ADD COLUMN approver_limit numeric, -- of who approved it, then; empty: none
    ADD COLUMN imported_by jsonb;      -- who sent the file, when somebody else retried its record

-- Approvals that were given before: the line is the best witness of what was approved.
ALTER TABLE workspace.purchase_order_lines NO FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.line_approvals NO FORCE ROW LEVEL SECURITY;
UPDATE workspace.line_approvals a
SET approved_sku = l.sku, approved_product_id = l.product_id, approved_supplier_id = l.supplier_id,
    approved_currency = l.currency, approved_order_no = l.order_no
FROM workspace.purchase_order_lines l
WHERE l.tenant_id = a.tenant_id AND l.id = a.line_id AND a.approved_quantity IS NOT NULL;
ALTER TABLE workspace.line_approvals FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.purchase_order_lines FORCE ROW LEVEL SECURITY;

-- Whoever takes a line back to a draft, or to be approved again, takes its approval away.
-- The app does so itself.
-- +goose StatementBegin
CREATE FUNCTION workspace.withdraw_approval() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    NEW.approved_by := NULL;
    NEW.approved_at := NULL;
    UPDATE workspace.line_approvals
    SET money_hash = NULL, submitted_by = NULL, submitted_at = NULL, approved_quantity = NULL, approved_price = NULL,
        approved_sku = NULL, approved_product_id = NULL, approved_supplier_id = NULL, approved_currency = NULL,
        approved_order_no = NULL, approved_total = NULL, approver_limit = NULL, self_approved = false
    WHERE tenant_id = NEW.tenant_id AND line_id = NEW.id;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER approval_withdrawn BEFORE UPDATE ON workspace.purchase_order_lines
    FOR EACH ROW WHEN (
        NEW.status <> OLD.status AND (NEW.status = 'draft' OR NEW.status = 'pending_approval' AND OLD.status <> 'draft')
        AND coalesce(current_setting('app.purchase', true), '') <> 'on'
    )
    EXECUTE FUNCTION workspace.withdraw_approval();

-- A receipt against an order of nothing is all of it, and more.
CREATE OR REPLACE TRIGGER receive BEFORE INSERT OR UPDATE ON workspace.purchase_order_lines
    FOR EACH ROW WHEN (
        NEW.quantity_received > 0
        AND (NEW.status IN ('ordered', 'partially_received')
             OR NEW.status = 'received' AND NEW.received_at IS NULL AND NEW.quantity_received >= NEW.quantity_ordered)
        AND NOT (NEW.status = 'partially_received' AND NEW.quantity_received < NEW.quantity_ordered)
    )
    EXECUTE FUNCTION workspace.apply_receipt();

-- A record that says received and fewer than before has closed the line short. Whether it
-- says so shows only in the columns that it sets: the first of these triggers fires for
-- those that set the status, and leaves a word for the second, which comes after it by name.
-- +goose StatementBegin
CREATE FUNCTION workspace.note_said_received() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('app.said_received', NEW.id, true);
    RETURN NEW;
END
$$;
CREATE FUNCTION workspace.follow_receipts() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.quantity_received >= NEW.quantity_ordered THEN -- all of it, for the second time
        NEW.received_at := now();
    ELSIF coalesce(current_setting('app.said_received', true), '') <> NEW.id THEN
        NEW.status := CASE WHEN NEW.quantity_received > 0 THEN 'partially_received' ELSE 'ordered' END;
        NEW.received_at := NULL;
    END IF;
    PERFORM set_config('app.said_received', '', true);
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER receipts_said BEFORE UPDATE OF status ON workspace.purchase_order_lines
    FOR EACH ROW WHEN (
        OLD.status = 'received' AND NEW.status = 'received'
        AND NEW.quantity_received < OLD.quantity_received AND NEW.quantity_received < NEW.quantity_ordered
    )
    EXECUTE FUNCTION workspace.note_said_received();
CREATE TRIGGER receipts_taken_back BEFORE UPDATE ON workspace.purchase_order_lines
    FOR EACH ROW WHEN (
        OLD.status = 'received' AND NEW.status = 'received' AND coalesce(current_setting('app.purchase', true), '') <> 'on'
        AND (NEW.quantity_received < OLD.quantity_received AND NEW.quantity_received < NEW.quantity_ordered
             OR NEW.quantity_received >= NEW.quantity_ordered AND OLD.quantity_received < OLD.quantity_ordered
                AND NEW.received_at IS NOT DISTINCT FROM OLD.received_at)
    )
    EXECUTE FUNCTION workspace.follow_receipts();
CREATE TRIGGER flag_short AFTER UPDATE ON workspace.purchase_order_lines
    FOR EACH ROW WHEN (
        OLD.status = 'received' AND NEW.status = 'received'
        AND NEW.quantity_received < OLD.quantity_received AND NEW.quantity_received < NEW.quantity_ordered
    )
    EXECUTE FUNCTION workspace.flag_line();
