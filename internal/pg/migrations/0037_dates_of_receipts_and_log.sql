-- +goose Up
-- A receipt that an external system reports with the line's received_at is dated by it, and not by
-- the moment at which it was stored: lead times are learnt from when goods arrive. Without one,
-- the moment is the best that is known. A received_at that was there before belongs to an earlier
-- receipt.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION workspace.write_receipt() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    by_hand jsonb := nullif(current_setting('app.receipt', true), '')::jsonb; -- the app says who, when and why
    before numeric := CASE TG_OP WHEN 'UPDATE' THEN OLD.quantity_received ELSE 0 END;
    arrived timestamptz := CASE WHEN TG_OP = 'INSERT' OR NEW.received_at IS DISTINCT FROM OLD.received_at THEN NEW.received_at END;
BEGIN
    INSERT INTO workspace.receipts (tenant_id, workspace_id, line_id, version, quantity, received_at, actor, note)
    VALUES (NEW.tenant_id, NEW.workspace_id, NEW.id, NEW.version, NEW.quantity_received - before,
        coalesce((by_hand ->> 'at')::timestamptz, arrived, now()), by_hand -> 'actor', by_hand ->> 'note');
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- The service deletes entries of the forecasts' log that are too old to count for any day that
-- is likely to be asked for, and no others.
GRANT DELETE ON workspace.forecast_log TO quayside_app;
CREATE POLICY only_old ON workspace.forecast_log AS RESTRICTIVE FOR DELETE TO quayside_app USING (origin < current_date - 795);
