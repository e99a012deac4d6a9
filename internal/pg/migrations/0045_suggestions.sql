-- +goose Up
-- The track record of the queue: what was suggested, what was decided, and what happened.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- One row for each time that a key asked for an order. A need that was settled and comes back months
-- later has the same key, and a row of its own.
CREATE TABLE workspace.suggestions (
    tenant_id uuid NOT NULL,
    recommendation_key text COLLATE "C" NOT NULL,
    first_on date NOT NULL,              -- the first day on which it asked
    workspace_id uuid NOT NULL,
    product_id text COLLATE "C" NOT NULL,
    -- What was known on that day.
    supplier_id text COLLATE "C",        -- of the line, once it is ordered
    urgency text COLLATE "C" NOT NULL,
    suggested_quantity double precision NOT NULL,
    safety_stock double precision NOT NULL,
    unit_price numeric,
    currency text,
    -- squawk-ignore prefer-bigint-over-int -- days
    lead_time_days integer NOT NULL,
    projected_stockout_date date,
    until date NOT NULL,                 -- the day up to which the order was to last
    last_on date NOT NULL,               -- the last day on which it asked
    -- The verdict, as of judged_on. All days before judged_on are in it.
    decision text COLLATE "C" NOT NULL DEFAULT 'undecided'
        CHECK (decision IN ('as_suggested', 'less', 'more', 'turned_down', 'put_off', 'undecided', 'taken_back')),
    decided_on date,
    decided_by jsonb,                    -- an actor
    line_id text COLLATE "C",            -- that was ordered, with its price
    line_price numeric,
    line_currency text,
    ordered_quantity double precision,
    known boolean,                       -- whether the stock was; null: no day has passed yet
    prevented_on date,
    empty_from date,                     -- the first of the empty days
    -- squawk-ignore prefer-bigint-over-int -- days
    empty_too_late integer NOT NULL DEFAULT 0,
    -- squawk-ignore prefer-bigint-over-int -- days
    empty_waiting integer NOT NULL DEFAULT 0,
    -- squawk-ignore prefer-bigint-over-int -- days
    empty_supplier integer NOT NULL DEFAULT 0,
    -- squawk-ignore prefer-bigint-over-int -- days
    empty_too_few integer NOT NULL DEFAULT 0,
    overbuy_quantity double precision,   -- null: until has not passed, or the stock is not known
    overbuy_beyond double precision,     -- the part that was ordered beyond the suggestion
    judged_on date NOT NULL,
    closed boolean NOT NULL DEFAULT false, -- the verdict is final
    PRIMARY KEY (tenant_id, recommendation_key, first_on)
);
CREATE UNIQUE INDEX suggestions_open ON workspace.suggestions (tenant_id, recommendation_key) WHERE NOT closed;
CREATE INDEX suggestions_to_judge ON workspace.suggestions (tenant_id, workspace_id, judged_on, recommendation_key) WHERE NOT closed;
CREATE INDEX suggestions_record ON workspace.suggestions (tenant_id, workspace_id, first_on DESC, recommendation_key);

SELECT control.protect('workspace.suggestions');
GRANT SELECT, INSERT, UPDATE (last_on, supplier_id, decision, decided_on, decided_by, line_id, line_price, line_currency,
    ordered_quantity, known, prevented_on, empty_from, empty_too_late, empty_waiting, empty_supplier, empty_too_few,
    overbuy_quantity, overbuy_beyond, judged_on, closed) ON workspace.suggestions TO quayside_app;
-- Whoever judges looks for work in all tenants.
CREATE POLICY system_reads ON workspace.suggestions FOR SELECT TO quayside_system USING (true);
GRANT SELECT (tenant_id, workspace_id, judged_on, closed) ON workspace.suggestions TO quayside_system;
