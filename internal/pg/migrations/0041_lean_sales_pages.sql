-- +goose Up
-- What pages of computed views read of many articles and customers is in the indexes, so that they
-- need not fetch a row for each.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- family_trend sums weeks of all articles.
-- squawk-ignore require-concurrent-index-deletion -- sales are computed in the background, and wait
DROP INDEX workspace.sales_weeks_week;
-- squawk-ignore require-concurrent-index-creation -- as above
CREATE INDEX sales_weeks_week ON workspace.sales_weeks (tenant_id, workspace_id, week, product_id)
    INCLUDE (lines, units, returned, net) WHERE product_id <> '*';

-- Twice the median span between orders, times the number of spans: a whole number, from which the
-- expected day of a customer follows without fractions. Adding it rewrites the table; meanwhile
-- pages of customers wait, for seconds with a million days.
-- squawk-ignore adding-required-field -- computed from the row itself
ALTER TABLE workspace.sales_customers ADD COLUMN twice_gaps bigint NOT NULL
    -- squawk-ignore adding-field-with-default -- as above
    GENERATED ALWAYS AS ((2 * gaps * coalesce(median_gap, 0))::bigint) STORED;

-- customer_reorder_due counts first spans of all customers.
-- squawk-ignore require-concurrent-index-deletion -- as above
DROP INDEX workspace.sales_customers_until;
-- squawk-ignore require-concurrent-index-creation -- as above
CREATE INDEX sales_customers_until ON workspace.sales_customers (tenant_id, workspace_id, until, day)
    INCLUDE (family, first_gap);

-- An index alone answers for pages that were vacuumed since they changed. The default is to wait
-- until a fifth of a table has changed, which is months of sales.
ALTER TABLE workspace.sales_weeks SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE workspace.sales_customers SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
