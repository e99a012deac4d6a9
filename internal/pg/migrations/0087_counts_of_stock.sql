-- +goose Up
-- When a count of stock was made, for what is available. A report on the shelves alone is none of what is available
-- while that is reported too. A count that claims to be of the future was made when it came.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- What the report said of its time. As long as the article says the same, observed_at is when it was counted.
ALTER TABLE workspace.stock_history ADD COLUMN reported_at timestamptz;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION workspace.note_stock() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    observed timestamptz := now();
    said timestamptz;
BEGIN
    IF TG_OP = 'INSERT' OR NEW.stock_updated_at IS DISTINCT FROM OLD.stock_updated_at THEN
        said := NEW.stock_updated_at;
        observed := least(coalesce(said, now()), now());
    END IF;
    INSERT INTO workspace.stock_history
        (tenant_id, product_id, version, workspace_id, observed_at, reported_at, stock_on_hand, stock_available)
    VALUES
        (NEW.tenant_id, NEW.id, NEW.version, NEW.workspace_id, observed, said, NEW.stock_on_hand, NEW.stock_available);
    RETURN NULL;
END
$$;
-- +goose StatementEnd

DROP TRIGGER note_stock_change ON workspace.products;
CREATE TRIGGER note_stock_change AFTER UPDATE ON workspace.products FOR EACH ROW
    WHEN (OLD.stock_available IS DISTINCT FROM NEW.stock_available
        OR (NEW.stock_available IS NULL AND OLD.stock_on_hand IS DISTINCT FROM NEW.stock_on_hand)
        OR (NEW.stock_updated_at > now() AND OLD.stock_updated_at IS DISTINCT FROM NEW.stock_updated_at))
    EXECUTE FUNCTION workspace.note_stock();
