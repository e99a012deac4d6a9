-- +goose Up
-- What people have booked of a line, less what they took back: external systems do not go below it
-- (docs/decisions/0044). The receipts say the same; beside the line it costs a record of an external system nothing to
-- see that there is none.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

ALTER TABLE workspace.purchase_order_lines ADD COLUMN received_here numeric; -- empty: nothing

-- For every writer, since an instance of the version before may still run. The app says who books.
-- +goose StatementBegin
CREATE FUNCTION workspace.count_received_here() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('app.receipt')::jsonb -> 'actor' ->> 'type' = 'user' THEN
        NEW.received_here := nullif(greatest(coalesce(OLD.received_here, 0) + NEW.quantity_received - OLD.quantity_received, 0), 0);
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER received_here BEFORE UPDATE ON workspace.purchase_order_lines
    FOR EACH ROW WHEN (NEW.quantity_received <> OLD.quantity_received AND coalesce(current_setting('app.receipt', true), '') <> '')
    EXECUTE FUNCTION workspace.count_received_here();

-- What people booked before, counted as the trigger does: what they took back beyond what they had booked, others had
-- booked. Without triggers, so that the lines keep their versions.
ALTER TABLE workspace.purchase_order_lines DISABLE TRIGGER USER;
ALTER TABLE workspace.purchase_order_lines NO FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.receipts NO FORCE ROW LEVEL SECURITY;
UPDATE workspace.purchase_order_lines l SET received_here = b.here
FROM (
    SELECT s.tenant_id, s.line_id, (array_agg(s.so_far ORDER BY s.version DESC))[1] - least(min(s.so_far), 0) AS here
    FROM (
        SELECT r.tenant_id, r.line_id, r.version, sum(r.quantity) OVER (PARTITION BY r.tenant_id, r.line_id ORDER BY r.version) AS so_far
        FROM workspace.receipts r WHERE r.actor ->> 'type' = 'user'
    ) s GROUP BY s.tenant_id, s.line_id
) b
WHERE l.tenant_id = b.tenant_id AND l.id = b.line_id AND b.here > 0;
ALTER TABLE workspace.receipts FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.purchase_order_lines FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.purchase_order_lines ENABLE TRIGGER USER;
