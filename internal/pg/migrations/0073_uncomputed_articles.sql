-- +goose Up
-- Articles that cannot be computed, and since when what is to be computed waits: stored, so that every instance,
-- the alerts and the operator see the same.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- An article whose data makes its demand, or its row of the queue, impossible to compute. It has no forecast or
-- no row then, so that nobody orders by old figures. The next computation that succeeds deletes the gap.
CREATE TABLE workspace.uncomputed_articles (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text COLLATE "C" NOT NULL,
    part text COLLATE "C" NOT NULL CHECK (part IN ('demand', 'queue')),
    reason text NOT NULL, -- for people
    since timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, workspace_id, product_id, part)
);
SELECT control.protect('workspace.uncomputed_articles');
GRANT SELECT, INSERT, UPDATE (reason), DELETE ON workspace.uncomputed_articles TO quayside_app;

-- A mark that is set again keeps its time: the article has waited since the first one.
ALTER TABLE workspace.forecast_marks ADD COLUMN marked_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE workspace.queue_marks ADD COLUMN marked_at timestamptz NOT NULL DEFAULT now();
-- Since when stale is true.
ALTER TABLE workspace.forecast_state ADD COLUMN stale_since timestamptz;
-- Since when there is demand that the queue was not computed from.
ALTER TABLE workspace.forecast_state ADD COLUMN queue_waits_since timestamptz NOT NULL DEFAULT now();
-- When the rules changed that the queue is computed with.
ALTER TABLE workspace.playbook_state ADD COLUMN changed_at timestamptz NOT NULL DEFAULT now();
GRANT UPDATE (changed_at) ON workspace.playbook_state TO quayside_app;

ALTER TABLE workspace.alerts DROP CONSTRAINT alerts_rule_check;
-- squawk-ignore constraint-missing-not-valid -- alerts are few, and old ones are deleted
ALTER TABLE workspace.alerts ADD CONSTRAINT alerts_rule_check
    CHECK (rule IN ('new_failures', 'failure_rate', 'silent_source', 'not_computed'));
