-- +goose Up
-- Customers, as the computed views need them. Like all sales it follows from the rows below and
-- can be built again.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- Marks are taken in the order of their times, and the oldest one says how far figures are behind.
-- squawk-ignore require-concurrent-index-creation -- there are marks of a few seconds
CREATE INDEX sales_changed_oldest ON workspace.sales_changed (tenant_id, workspace_id, changed_at);

-- One row per customer and day with an order that counts: what is known of the customer after
-- that day, until the next one. So a reader as of any day finds one row per customer.
CREATE TABLE workspace.sales_customers (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    customer_id text COLLATE "C" NOT NULL,
    day date NOT NULL,
    until date NOT NULL,               -- the next day with an order; infinity after the last
    orders bigint NOT NULL,
    first_day date NOT NULL,
    -- squawk-ignore prefer-bigint-over-int -- days
    first_gap integer,                 -- days between the first two days with an order
    -- squawk-ignore prefer-bigint-over-int -- at most 8
    gaps integer NOT NULL,             -- how many of the last spans between days were counted
    median_gap numeric,
    expected numeric,                  -- the mean of the last 8 orders
    lifetime numeric,                  -- null if no line has a rate
    family text,                       -- that was bought most often in the last orders
    usual text,                        -- the articles that were
    PRIMARY KEY (tenant_id, workspace_id, customer_id, day)
);
CREATE INDEX sales_customers_until ON workspace.sales_customers (tenant_id, workspace_id, until, day);
SELECT control.protect('workspace.sales_customers');
GRANT SELECT, INSERT, UPDATE, DELETE ON workspace.sales_customers TO quayside_app;

-- While the planner knows nothing of a table, it takes any index that has all columns of a look-up
-- for equally good, also if the first of them is missing. So these serve one kind of look-up each.
-- squawk-ignore require-concurrent-index-deletion -- sales are computed in the background, and wait
DROP INDEX workspace.sales_weeks_week, workspace.sales_orders_week;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX sales_weeks_week ON workspace.sales_weeks (tenant_id, workspace_id, week, product_id) WHERE product_id <> '*';
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX sales_orders_week ON workspace.sales_orders (tenant_id, workspace_id, week) INCLUDE (customer_id);

-- analyze_sales tells the planner how large the tables of sales are that have grown eightfold since
-- it was last told. The server does so by itself, but minutes later, and a backlog is computed
-- before. It returns how many these were.
-- +goose StatementBegin
CREATE FUNCTION workspace.analyze_sales() RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '1s'
AS $$
DECLARE
    grown name;
    analyzed integer := 0;
BEGIN
    FOR grown IN
        SELECT c.relname FROM pg_class c
        WHERE c.relnamespace = 'workspace'::regnamespace
          AND c.relname IN ('sales_lines', 'sales_orders', 'sales_days', 'sales_weeks', 'sales_series', 'sales_customers',
              'sales_changed', 'stock_days', 'forecasts', 'forecast_marks', 'forecast_log')
          AND pg_relation_size(c.oid) / current_setting('block_size')::bigint > greatest(16, 8 * c.relpages)
    LOOP
        EXECUTE format('ANALYZE workspace.%I', grown);
        analyzed := analyzed + 1;
    END LOOP;
    RETURN analyzed;
EXCEPTION WHEN lock_not_available THEN
    RETURN analyzed; -- somebody else is at it
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION workspace.analyze_sales() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION workspace.analyze_sales() TO quayside_system;

-- What customers are grouped by when the article was last read: its family, else its category.
ALTER TABLE workspace.sales_series ADD COLUMN family text;

-- Workspaces whose sales are complete get their customers computed.
ALTER TABLE workspace.sales_settings NO FORCE ROW LEVEL SECURITY;
UPDATE workspace.sales_settings SET rebuilding = 'customers', rebuilt_to = '' WHERE rebuilding IS NULL;
ALTER TABLE workspace.sales_settings FORCE ROW LEVEL SECURITY;
