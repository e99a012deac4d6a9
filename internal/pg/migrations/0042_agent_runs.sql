-- +goose Up
-- Runs of the procurement agent: what it knew, what it decided, and what came of that.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE workspace.agent_runs (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    dry boolean NOT NULL,              -- decides, but drafts nothing
    day date,                          -- of a daily run; null: somebody asked for it
    status text NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed')),
    started_by jsonb NOT NULL,         -- an actor
    inputs jsonb,                      -- what it decided from; null: it has not decided yet
    message text NOT NULL DEFAULT '',  -- why it failed
    created_at timestamptz NOT NULL DEFAULT now(),
    decided_at timestamptz,
    ended_at timestamptz,
    undone_at timestamptz,
    undone_by jsonb,
    PRIMARY KEY (tenant_id, id)
);
-- One at a time.
CREATE UNIQUE INDEX agent_runs_one ON workspace.agent_runs (tenant_id, workspace_id) WHERE status IN ('queued', 'running');
-- One daily run for each day.
CREATE UNIQUE INDEX agent_runs_daily ON workspace.agent_runs (tenant_id, workspace_id, day) WHERE day IS NOT NULL;
CREATE INDEX agent_runs_list ON workspace.agent_runs (tenant_id, workspace_id, id);

CREATE TABLE workspace.agent_decisions (
    tenant_id uuid NOT NULL,
    run_id uuid NOT NULL,
    n bigint NOT NULL,                 -- the order in which the agent decided
    product_id text NOT NULL,
    recommendation_key text COLLATE "C" NOT NULL,
    sku text NOT NULL,
    name text NOT NULL,
    supplier_id text NOT NULL,
    supplier_name text NOT NULL,
    quantity numeric NOT NULL,
    cost numeric,
    currency text NOT NULL,
    rule text NOT NULL,                -- 'draft', or why not
    sentence text NOT NULL,
    outcome text NOT NULL DEFAULT 'none' CHECK (outcome IN ('none', 'drafted', 'submitted', 'refused', 'undone', 'kept')),
    note text NOT NULL DEFAULT '',     -- why it was refused or kept
    line_id text,
    line_version bigint,               -- as the agent left it
    order_no text NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, run_id, n),
    FOREIGN KEY (tenant_id, run_id) REFERENCES workspace.agent_runs (tenant_id, id)
);

SELECT control.protect('workspace.agent_runs');
SELECT control.protect('workspace.agent_decisions');
GRANT SELECT, INSERT, UPDATE (status, inputs, message, decided_at, ended_at, undone_at, undone_by) ON workspace.agent_runs TO quayside_app;
GRANT SELECT, INSERT, UPDATE (outcome, note, line_id, line_version, order_no) ON workspace.agent_decisions TO quayside_app;

-- What was ordered in a month is counted against its budget.
-- squawk-ignore require-concurrent-index-creation -- seconds with a million lines; ingest waits and retries
CREATE INDEX purchase_order_lines_ordered ON workspace.purchase_order_lines (tenant_id, workspace_id, ordered_at)
    WHERE ordered_at IS NOT NULL;
UPDATE workspace.registry_columns SET indexed = true
WHERE tenant_id = '00000000-0000-0000-0000-000000000000' AND slug = 'purchase_order_lines' AND name = 'ordered_at';

-- Whoever starts the agents of the day looks for configs in all tenants.
CREATE POLICY system_reads ON workspace.playbook_versions FOR SELECT TO quayside_system USING (kind = 'config');
CREATE POLICY system_reads ON workspace.agent_runs FOR SELECT TO quayside_system USING (true);
GRANT SELECT ON workspace.playbook_versions, workspace.agent_runs TO quayside_system;
