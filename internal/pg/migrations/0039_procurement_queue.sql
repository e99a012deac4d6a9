-- +goose Up
-- What to order, and why: one row per article, computed from its demand, stock and open lines. All
-- of it but the decisions of people can be computed again.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- One row per workspace once its queue was computed.
CREATE TABLE workspace.queue_state (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    as_of date NOT NULL,                 -- the day of all rows
    forecasts_at timestamptz NOT NULL,   -- when the demand was computed that it was computed from
    playbook_revision bigint NOT NULL,   -- of the rules that it was computed with
    computed_at timestamptz NOT NULL,    -- the last time that all articles were
    PRIMARY KEY (tenant_id, workspace_id)
);

-- Articles whose row must be computed again.
CREATE TABLE workspace.queue_marks (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, workspace_id, product_id)
);

-- Estimates are binary floating point, because no digit of theirs is certain; amounts of money are
-- exact.
CREATE TABLE workspace.queue_rows (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text COLLATE "C" NOT NULL,
    as_of date NOT NULL,
    recommendation_key text COLLATE "C" NOT NULL,
    variant_external_id text COLLATE "C",
    sku text COLLATE "C",
    name text NOT NULL,
    family text,
    supplier_id text COLLATE "C",
    supplier_name text,
    action text COLLATE "C" NOT NULL,
    urgency text COLLATE "C" NOT NULL,
    -- squawk-ignore prefer-bigint-over-smallint -- one of five: the order in which rows are worked off
    rank smallint NOT NULL,
    margin_at_risk double precision NOT NULL, -- what is not earned until a new order lands
    blocked_reason text COLLATE "C",
    available double precision,
    open_purchase_order_quantity double precision NOT NULL,
    draft_quantity double precision NOT NULL,
    overdue_quantity double precision NOT NULL,
    next_arrival_date date,
    last_arrival_date date,
    demand_per_day double precision NOT NULL,
    days_of_cover double precision,
    days_of_cover_incl_open double precision,
    -- squawk-ignore prefer-bigint-over-int -- days
    lead_time_days integer NOT NULL,
    lead_time_source text COLLATE "C" NOT NULL,
    safety_stock double precision NOT NULL,
    reorder_point double precision NOT NULL,
    target_stock double precision NOT NULL,
    projected_stockout_date date,
    order_by_date date,
    earliest_arrival_date date,
    -- squawk-ignore prefer-bigint-over-int -- days
    late_by_days integer NOT NULL,
    raw_quantity double precision NOT NULL,
    suggested_quantity double precision NOT NULL,
    overbuy_quantity double precision NOT NULL,
    unit_price numeric,
    currency text,
    line_cost numeric,
    locked_by_line_id text COLLATE "C",
    suppressed_until date,
    confidence text COLLATE "C" NOT NULL,
    data_gaps jsonb NOT NULL,            -- {} or what is missing in the figures, with counts
    reason jsonb NOT NULL,               -- the parts of the sentence, each with what it is about
    reason_text text NOT NULL,
    computed_at timestamptz NOT NULL,    -- when the row last changed
    digest bytea NOT NULL,               -- of all of it but computed_at: an equal row is not written again
    PRIMARY KEY (tenant_id, workspace_id, product_id)
);
-- What asks for action, in the order in which it is worked off.
CREATE INDEX queue_rows_work ON workspace.queue_rows (tenant_id, workspace_id, rank, margin_at_risk DESC, product_id)
    WHERE action <> 'none';
CREATE INDEX queue_rows_key ON workspace.queue_rows (tenant_id, recommendation_key);

-- What was suggested when a line was drafted for it. It is never changed.
CREATE TABLE workspace.line_suggestions (
    tenant_id uuid NOT NULL,
    line_id text COLLATE "C" NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text COLLATE "C" NOT NULL,
    recommendation_key text COLLATE "C" NOT NULL,
    as_of date NOT NULL,
    action text COLLATE "C" NOT NULL,
    urgency text COLLATE "C" NOT NULL,
    raw_quantity double precision NOT NULL,
    suggested_quantity double precision NOT NULL,
    reason_text text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, line_id),
    FOREIGN KEY (tenant_id, line_id) REFERENCES workspace.purchase_order_lines (tenant_id, id)
);

-- Decisions not to order an article for now. The newest one of an article counts, unless it was
-- lifted. How long it counts follows from the rules, but for a snooze, which has its own end.
CREATE TABLE workspace.suppressions (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text COLLATE "C" NOT NULL,
    recommendation_key text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('dismissed', 'snoozed', 'rejected', 'short')),
    since date NOT NULL,
    until date,                          -- of a snooze
    raw_quantity double precision NOT NULL, -- what was still missing then
    critical boolean NOT NULL,           -- whether the article was critical then
    line_id text COLLATE "C",            -- of a line that was rejected or ordered short
    reason text NOT NULL,
    actor jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    lifted_at timestamptz,
    lifted_by jsonb,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX suppressions_article ON workspace.suppressions (tenant_id, workspace_id, product_id, created_at DESC)
    WHERE lifted_at IS NULL;

-- A change of a supplier is about all of its articles.
-- squawk-ignore require-concurrent-index-creation -- there is no release that has articles yet
CREATE INDEX products_supplier ON workspace.products (tenant_id, supplier_id) WHERE supplier_id IS NOT NULL;
UPDATE workspace.registry_columns SET indexed = true
WHERE tenant_id = '00000000-0000-0000-0000-000000000000' AND slug = 'products' AND name = 'supplier_id';

SELECT control.protect('workspace.queue_state');
SELECT control.protect('workspace.queue_marks');
SELECT control.protect('workspace.queue_rows');
SELECT control.protect('workspace.line_suggestions');
SELECT control.protect('workspace.suppressions');
GRANT SELECT, INSERT, UPDATE, DELETE ON workspace.queue_state, workspace.queue_marks, workspace.queue_rows TO quayside_app;
GRANT SELECT, INSERT ON workspace.line_suggestions TO quayside_app;
GRANT SELECT, INSERT, UPDATE ON workspace.suppressions TO quayside_app;
-- The computation looks for work in all tenants.
CREATE POLICY system_reads ON workspace.queue_state FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_reads ON workspace.queue_marks FOR SELECT TO quayside_system USING (true);
GRANT SELECT ON workspace.queue_state, workspace.queue_marks TO quayside_system;
