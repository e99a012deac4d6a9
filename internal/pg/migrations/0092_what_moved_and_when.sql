-- +goose Up
-- Dates that cannot be true decide nothing: goods did not arrive in 1900, and an order is not cancelled since then.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '10min';

-- Whether something that is on order on a day can be expected on another. The rule is that of package plausible.
CREATE FUNCTION workspace.plausible_arrival(expected date, today date) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT expected >= date '2000-01-01' AND expected <= today + 3650 $$;
REVOKE EXECUTE ON FUNCTION workspace.plausible_arrival(date, date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION workspace.plausible_arrival(date, date) TO quayside_app;

-- A receipt whose time cannot be true came when it was said.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION workspace.write_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    by_hand jsonb := nullif(current_setting('app.receipt', true), '')::jsonb; -- the app says who, when and why
    before numeric := CASE TG_OP WHEN 'UPDATE' THEN OLD.quantity_received ELSE 0 END;
    came numeric := NEW.quantity_received - before; -- what is not yet written
    day timestamptz := (by_hand ->> 'at')::timestamptz;
    one record;
BEGIN
    IF came < 0 AND by_hand ->> 'at' IS NULL THEN
        FOR one IN
            SELECT r.received_at, sum(r.quantity) AS stands FROM workspace.receipts r
            WHERE r.tenant_id = NEW.tenant_id AND r.line_id = NEW.id
            GROUP BY r.received_at HAVING sum(r.quantity) > 0 ORDER BY r.received_at DESC
        LOOP
            INSERT INTO workspace.receipts (tenant_id, workspace_id, line_id, version, quantity, received_at, actor, note)
            VALUES (NEW.tenant_id, NEW.workspace_id, NEW.id, NEW.version, greatest(came, -one.stands), one.received_at,
                by_hand -> 'actor', by_hand ->> 'note');
            came := came - greatest(came, -one.stands);
            EXIT WHEN came = 0;
        END LOOP;
    ELSIF by_hand ->> 'at' IS NULL AND (TG_OP = 'INSERT' OR NEW.received_at IS DISTINCT FROM OLD.received_at) THEN
        day := NEW.received_at;
    END IF;
    IF came <> 0 THEN
        day := CASE WHEN workspace.plausible_day(day::date, now()::date) THEN least(day, now()) ELSE now() END;
        INSERT INTO workspace.receipts (tenant_id, workspace_id, line_id, version, quantity, received_at, actor, note)
        VALUES (NEW.tenant_id, NEW.workspace_id, NEW.id, NEW.version, came, day, by_hand -> 'actor', by_hand ->> 'note');
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- What such orders sold counts from now on.
ALTER TABLE workspace.orders NO FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.sales_changed NO FORCE ROW LEVEL SECURITY;
INSERT INTO workspace.sales_changed (tenant_id, workspace_id, slug, record_id, changed_at)
SELECT o.tenant_id, o.workspace_id, 'orders', o.id, now() FROM workspace.orders o
WHERE NOT workspace.plausible_day(o.cancelled_at::date, current_date)
ON CONFLICT DO NOTHING;
ALTER TABLE workspace.sales_changed FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.orders FORCE ROW LEVEL SECURITY;

-- The queue's reader sees a changed record as it is now. What it was before says here which other articles are to be computed
-- again: those that a line, a delivery or a SKU no longer belongs to. Records that do not move pay for a comparison.
-- +goose StatementBegin
CREATE FUNCTION workspace.mark_left_articles() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    line boolean := TG_TABLE_NAME = 'purchase_order_lines';
    article text := CASE WHEN line THEN to_jsonb(OLD) ->> 'product_id' END;
    code text := CASE WHEN article IS NULL THEN OLD.sku END;
    supplier text := CASE WHEN line AND to_jsonb(OLD) ->> 'received_at' IS NOT NULL THEN OLD.supplier_id END;
BEGIN
    -- All of a supplier's articles are marked once in a row of its deliveries, however many move in this transaction.
    IF supplier = current_setting('app.left_supplier', true) THEN
        supplier := NULL;
    ELSIF supplier IS NOT NULL THEN
        PERFORM set_config('app.left_supplier', supplier, true);
    END IF;
    INSERT INTO workspace.queue_marks (tenant_id, workspace_id, product_id)
    SELECT OLD.tenant_id, OLD.workspace_id, t.id FROM (
        SELECT article AS id WHERE article IS NOT NULL
      UNION
        SELECT p.id FROM workspace.products p WHERE p.tenant_id = OLD.tenant_id AND p.workspace_id = OLD.workspace_id AND p.sku = code
      UNION
        SELECT p.id FROM workspace.products p WHERE p.tenant_id = OLD.tenant_id AND p.workspace_id = OLD.workspace_id AND p.supplier_id = supplier
    ) t ORDER BY t.id
    ON CONFLICT (tenant_id, workspace_id, product_id) DO UPDATE SET product_id = excluded.product_id;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER mark_left_articles AFTER UPDATE ON workspace.purchase_order_lines FOR EACH ROW
    WHEN (OLD.product_id IS DISTINCT FROM NEW.product_id OR OLD.product_id IS NULL AND OLD.sku <> NEW.sku
        OR OLD.received_at IS NOT NULL AND (OLD.supplier_id IS DISTINCT FROM NEW.supplier_id OR NEW.received_at IS NULL))
    EXECUTE FUNCTION workspace.mark_left_articles();
CREATE TRIGGER mark_left_articles AFTER UPDATE ON workspace.products FOR EACH ROW
    WHEN (OLD.sku IS NOT NULL AND OLD.sku IS DISTINCT FROM NEW.sku)
    EXECUTE FUNCTION workspace.mark_left_articles();

-- Sales are matched with articles by the keys that are noted here.
-- squawk-ignore require-concurrent-index-creation -- it has a row per article, nor has the next one more
CREATE INDEX sales_series_sku ON workspace.sales_series (tenant_id, workspace_id, sku) WHERE sku IS NOT NULL AND NOT archived;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX sales_series_external_id ON workspace.sales_series (tenant_id, workspace_id, external_id) WHERE external_id IS NOT NULL;
