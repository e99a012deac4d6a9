-- +goose Up
-- An external system gave a line that had arrived, in part or whole, a deal above what was approved: it cannot go back for approval.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

ALTER TABLE workspace.line_flags ADD COLUMN above boolean NOT NULL DEFAULT false;

-- Orders that count in another month than that of ordered_at: in that of their approval, or else in that in which they came.
-- squawk-ignore require-concurrent-index-creation -- one read of the table, a second with a million lines; ingest waits and retries
CREATE INDEX purchase_order_lines_dated_otherwise ON workspace.purchase_order_lines (tenant_id, workspace_id, coalesce(approved_at, created_at))
    WHERE status IN ('ordered', 'partially_received', 'received') AND (ordered_at IS NULL OR ordered_at <> approved_at);
