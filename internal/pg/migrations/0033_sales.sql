-- +goose Up
-- Sales by day and week, kept from the outbox: what the computed views read. Everything here
-- follows from orders, lines, products and stock history, and can be built again from them; it
-- depends on no clock.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- The day on which a week of the workspace starts: 1 is Monday, 7 Sunday.
-- squawk-ignore prefer-bigint-over-smallint -- one of seven days
ALTER TABLE control.workspaces ADD COLUMN week_start smallint NOT NULL DEFAULT 1
    CHECK (week_start BETWEEN 1 AND 7);

-- A reader of the outbox goes on after the last transaction that it has read completely. Events
-- of transactions that are still open come later, whatever their time, so it reads up to the
-- oldest open transaction. An event of before this column has no xid and is never read: readers
-- begin with all that is there.
ALTER TABLE workspace.events ADD COLUMN xid xid8;
ALTER TABLE workspace.events ALTER COLUMN xid SET DEFAULT pg_current_xact_id();
-- squawk-ignore require-concurrent-index-deletion -- an index of a partitioned table cannot be dropped concurrently
DROP INDEX workspace.events_unrelayed;
-- squawk-ignore ban-drop-column -- nothing has ever read or written it
ALTER TABLE workspace.events DROP COLUMN relayed_at;
-- squawk-ignore require-concurrent-index-creation -- no event has an xid yet: it only reads
CREATE INDEX events_xid ON workspace.events (xid, id) WHERE xid IS NOT NULL;
CREATE POLICY system_reads ON workspace.events FOR SELECT TO quayside_system USING (true);
GRANT SELECT (tenant_id, workspace_id, slug, subject, id, created_at, xid) ON workspace.events TO quayside_system;

CREATE TABLE control.readers (
    name text COLLATE "C" PRIMARY KEY,
    xid xid8 NOT NULL,                 -- the place of the last event that was read
    event_id uuid NOT NULL,
    -- Whatever was committed between these two was read. What was committed before it began, a
    -- reader has to look up by itself.
    began_at timestamptz NOT NULL DEFAULT now(),
    read_to timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT, UPDATE ON control.readers TO quayside_system;
GRANT SELECT ON control.readers TO quayside_app; -- whoever sees figures is told how old they are

-- +goose StatementBegin
CREATE FUNCTION workspace.week_of(day date, week_start integer) RETURNS date
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT day - (extract(isodow FROM day)::integer + 7 - week_start) % 7
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION workspace.week_of(date, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION workspace.week_of(date, integer) TO quayside_app;

-- The settings by which a workspace's sales are computed. If the workspace has others now, or if
-- the reader began anew, all of it is computed again: first by its lines, then by its articles,
-- in the order of their ids.
CREATE TABLE workspace.sales_settings (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    time_zone text NOT NULL,
    -- squawk-ignore prefer-bigint-over-smallint -- one of seven days
    week_start smallint NOT NULL,
    base_currency text NOT NULL,
    rebuild_began_at timestamptz NOT NULL,
    rebuilding text,                   -- 'lines' or 'articles'; null: it is complete
    rebuilt_to text COLLATE "C" NOT NULL DEFAULT '', -- the last id that is
    PRIMARY KEY (tenant_id, workspace_id)
);

-- Records that changed and whose figures have not been computed again.
CREATE TABLE workspace.sales_changed (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text COLLATE "C" NOT NULL,
    record_id text COLLATE "C" NOT NULL,
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, workspace_id, slug, record_id)
);

-- One row per order line whose order is known. Money is in the workspace's currency; without a
-- rate it is null. A line that does not count (a cancelled order, a gift card) is kept, for the
-- day when it does.
CREATE TABLE workspace.sales_lines (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    line_id text COLLATE "C" NOT NULL,
    order_id text COLLATE "C" NOT NULL,
    product_id text COLLATE "C" NOT NULL, -- the article that it matches; '' if none
    customer_id text COLLATE "C",
    day date NOT NULL,                 -- of the order, in the workspace's time zone
    week date NOT NULL,                -- the first day of its week
    counts boolean NOT NULL,
    units numeric NOT NULL,
    returned numeric NOT NULL,
    gross numeric,
    discount numeric,
    net numeric,
    -- What the match was looked up by, if the line names no product.
    variant_external_id text COLLATE "C",
    sku text COLLATE "C",
    PRIMARY KEY (tenant_id, line_id)
);
CREATE INDEX sales_lines_order ON workspace.sales_lines (tenant_id, order_id);
CREATE INDEX sales_lines_product ON workspace.sales_lines (tenant_id, workspace_id, product_id, day) WHERE counts;
CREATE INDEX sales_lines_variant ON workspace.sales_lines (tenant_id, workspace_id, variant_external_id)
    WHERE variant_external_id IS NOT NULL;
CREATE INDEX sales_lines_sku ON workspace.sales_lines (tenant_id, workspace_id, sku) WHERE sku IS NOT NULL;

-- One row per order with at least one line that counts.
CREATE TABLE workspace.sales_orders (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    order_id text COLLATE "C" NOT NULL,
    customer_id text COLLATE "C",
    day date NOT NULL,
    week date NOT NULL,
    net numeric,                       -- null if no line has a rate
    PRIMARY KEY (tenant_id, order_id)
);
CREATE INDEX sales_orders_week ON workspace.sales_orders (tenant_id, workspace_id, week, customer_id);
CREATE INDEX sales_orders_customer ON workspace.sales_orders (tenant_id, workspace_id, customer_id, day)
    WHERE customer_id IS NOT NULL;

-- Lines that count, by article and day.
CREATE TABLE workspace.sales_days (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text COLLATE "C" NOT NULL, -- '': lines that match no article
    day date NOT NULL,
    lines bigint NOT NULL,
    units numeric NOT NULL,
    returned numeric NOT NULL,
    net numeric NOT NULL,
    PRIMARY KEY (tenant_id, workspace_id, product_id, day)
);

-- Lines that count, by article and week, and of all articles together.
CREATE TABLE workspace.sales_weeks (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text COLLATE "C" NOT NULL, -- '': lines that match no article; '*': all
    week date NOT NULL,
    lines bigint NOT NULL,
    orders bigint NOT NULL,
    customers bigint NOT NULL,
    units numeric NOT NULL,
    returned numeric NOT NULL,
    gross numeric NOT NULL,
    discount numeric NOT NULL,
    net numeric NOT NULL,
    unconverted bigint NOT NULL,       -- lines without a rate, which are in no sum of money
    PRIMARY KEY (tenant_id, workspace_id, product_id, week)
);
CREATE INDEX sales_weeks_week ON workspace.sales_weeks (tenant_id, workspace_id, week, product_id);

-- Days on which a source counted an article's stock. It is merged from the stock history, in
-- any order, and kept when that is dropped.
CREATE TABLE workspace.stock_days (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text COLLATE "C" NOT NULL,
    day date NOT NULL,
    available boolean NOT NULL,        -- at some time of the day; unknown counts as available
    closing numeric,                   -- the last count of the day
    closed_at timestamptz NOT NULL,
    version bigint NOT NULL,           -- of the product at that count; decides between equal times
    PRIMARY KEY (tenant_id, workspace_id, product_id, day)
);

-- One row per article: what the demand is computed from.
CREATE TABLE workspace.sales_series (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text COLLATE "C" NOT NULL,
    -- What lines were matched by when the article was last read.
    external_id text COLLATE "C",
    sku text COLLATE "C",
    archived boolean NOT NULL DEFAULT false,
    stock_version bigint NOT NULL DEFAULT 0, -- the last stock history that was merged
    first_sale date,
    last_sale date,
    -- One element per week from that of the first sale to the last of a sale or a count. Later
    -- weeks have no sales, and are without stock if ends_empty.
    first_week date,
    units numeric[] NOT NULL DEFAULT '{}',
    -- squawk-ignore prefer-bigint-over-int -- 0 to 7
    empty_days integer[] NOT NULL DEFAULT '{}', -- without stock and without a sale
    counted_from date,                 -- before it, stock is unknown and counts as available
    ends_empty boolean NOT NULL DEFAULT false,
    ends_on date,                      -- the last day of a sale or a count; later days follow from ends_empty
    PRIMARY KEY (tenant_id, workspace_id, product_id)
);
-- The empty days of a week of a series: its element, and the days after ends_on.
-- +goose StatementBegin
CREATE FUNCTION workspace.empty_days_of(week date, first_week date, empty_days integer[], ends_empty boolean, ends_on date)
RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(empty_days[(week - first_week) / 7 + 1], 0)
        + CASE WHEN ends_empty THEN greatest(0, least(7, week + 6 - ends_on)) ELSE 0 END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION workspace.empty_days_of(date, date, integer[], boolean, date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION workspace.empty_days_of(date, date, integer[], boolean, date) TO quayside_app;

SELECT control.protect('workspace.sales_settings');
SELECT control.protect('workspace.sales_changed');
SELECT control.protect('workspace.sales_lines');
SELECT control.protect('workspace.sales_orders');
SELECT control.protect('workspace.sales_days');
SELECT control.protect('workspace.sales_weeks');
SELECT control.protect('workspace.stock_days');
SELECT control.protect('workspace.sales_series');
GRANT SELECT, INSERT, UPDATE, DELETE ON workspace.sales_settings, workspace.sales_changed, workspace.sales_lines,
    workspace.sales_orders, workspace.sales_days, workspace.sales_weeks, workspace.stock_days,
    workspace.sales_series TO quayside_app;
-- The keeper of sales looks for work in all tenants.
CREATE POLICY system_reads ON workspace.sales_changed FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_reads ON workspace.sales_settings FOR SELECT TO quayside_system USING (true);
GRANT SELECT ON workspace.sales_changed, workspace.sales_settings TO quayside_system;
