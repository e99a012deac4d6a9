-- +goose Up
-- A page of a supplier's rows reads that supplier's rows only.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- squawk-ignore require-concurrent-index-creation -- seconds with 100,000 articles; the queue is computed in the background, and waits
CREATE INDEX queue_rows_supplier ON workspace.queue_rows (tenant_id, workspace_id, supplier_id, rank, margin_at_risk DESC, product_id)
    WHERE action <> 'none';
