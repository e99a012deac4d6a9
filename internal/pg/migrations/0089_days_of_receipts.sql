-- +goose Up
-- When goods arrived. None can have arrived later than it was said. Receipts that are taken back are dated by those that they take
-- back, the latest first: a count of stock between the two has them neither before nor after.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION workspace.write_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    by_hand jsonb := nullif(current_setting('app.receipt', true), '')::jsonb; -- the app says who, when and why
    before numeric := CASE TG_OP WHEN 'UPDATE' THEN OLD.quantity_received ELSE 0 END;
    came numeric := NEW.quantity_received - before; -- what is not yet written
    day timestamptz := least((by_hand ->> 'at')::timestamptz, now());
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
        day := least(NEW.received_at, now());
    END IF;
    IF came <> 0 THEN
        INSERT INTO workspace.receipts (tenant_id, workspace_id, line_id, version, quantity, received_at, actor, note)
        VALUES (NEW.tenant_id, NEW.workspace_id, NEW.id, NEW.version, came, day, by_hand -> 'actor', by_hand ->> 'note');
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
