-- +goose Up
-- Rows that cannot be true are left out of figures, and counted. The rules are those of package plausible.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '10min';

-- Whether a quantity or an amount can be true. One that is not known can.
CREATE FUNCTION workspace.plausible(amount numeric) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT coalesce(abs(amount) <= 1000000000000, true) $$;

-- Whether a line with this quantity and price can be true, and what it costs.
CREATE FUNCTION workspace.plausible_cost(quantity numeric, price numeric) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(abs(quantity) <= 1000000000000 AND abs(price) <= 1000000000000 AND abs(quantity * price) <= 1000000000000, true)
$$;

-- Whether something that was known on a day can have happened on another.
CREATE FUNCTION workspace.plausible_day(day date, known date) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT day >= date '2000-01-01' AND day <= known + 1 $$;

REVOKE EXECUTE ON FUNCTION workspace.plausible(numeric), workspace.plausible_cost(numeric, numeric), workspace.plausible_day(date, date)
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION workspace.plausible(numeric), workspace.plausible_cost(numeric, numeric), workspace.plausible_day(date, date)
    TO quayside_app;

-- Why a sale is in no figure: its day, quantity or amount cannot be true. Empty: it is, or it does not count anyway.
ALTER TABLE workspace.sales_lines ADD COLUMN left_out text COLLATE "C" CHECK (left_out IN ('day', 'quantity', 'amount'));
-- squawk-ignore require-concurrent-index-creation -- it has no rows yet, nor have the next two
CREATE INDEX sales_lines_left_out ON workspace.sales_lines (tenant_id, workspace_id, product_id) WHERE left_out IS NOT NULL;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX sales_lines_left_out_day ON workspace.sales_lines (tenant_id, workspace_id, day) WHERE left_out IS NOT NULL;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX sales_lines_left_out_customer ON workspace.sales_lines (tenant_id, workspace_id, customer_id) WHERE left_out IS NOT NULL;

-- What is stored already is computed again: sales that cannot be true, and articles with such counts of stock.
ALTER TABLE workspace.sales_lines NO FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.stock_days NO FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.sales_changed NO FORCE ROW LEVEL SECURITY;
INSERT INTO workspace.sales_changed (tenant_id, workspace_id, slug, record_id, changed_at)
SELECT l.tenant_id, l.workspace_id, 'order_line_items', l.line_id, now() FROM workspace.sales_lines l
WHERE l.counts AND NOT (workspace.plausible_day(l.day, current_date) AND workspace.plausible(l.units) AND workspace.plausible(l.returned)
    AND workspace.plausible(l.gross) AND workspace.plausible(l.discount) AND workspace.plausible(l.net))
ON CONFLICT DO NOTHING;
WITH dropped AS (
    DELETE FROM workspace.stock_days d WHERE NOT workspace.plausible_day(d.day, current_date)
    RETURNING d.tenant_id, d.workspace_id, d.product_id
)
INSERT INTO workspace.sales_changed (tenant_id, workspace_id, slug, record_id, changed_at)
SELECT DISTINCT d.tenant_id, d.workspace_id, 'products', d.product_id, now() FROM dropped d
ON CONFLICT DO NOTHING;
ALTER TABLE workspace.sales_changed FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.stock_days FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.sales_lines FORCE ROW LEVEL SECURITY;
