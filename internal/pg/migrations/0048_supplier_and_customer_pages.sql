-- +goose Up
-- The page of a supplier reads the lines of that supplier only: the open ones by expected arrival, and
-- the newest. The notes about a supplier or a customer are read by their time.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- squawk-ignore require-concurrent-index-creation -- seconds with a million lines, of which few are open
CREATE INDEX purchase_order_lines_open_supplier ON workspace.purchase_order_lines (tenant_id, workspace_id, supplier_id, expected_arrival_date, id)
    WHERE supplier_id IS NOT NULL AND status NOT IN ('received', 'cancelled');

-- squawk-ignore require-concurrent-index-creation -- seconds with a million lines
CREATE INDEX purchase_order_lines_newest_supplier ON workspace.purchase_order_lines (tenant_id, workspace_id, supplier_id, id)
    WHERE supplier_id IS NOT NULL;

-- squawk-ignore require-concurrent-index-creation -- notes are few
CREATE INDEX meeting_notes_supplier ON workspace.meeting_notes (tenant_id, workspace_id, supplier_id, started_at) WHERE supplier_id IS NOT NULL;

-- squawk-ignore require-concurrent-index-creation -- notes are few
CREATE INDEX meeting_notes_customer ON workspace.meeting_notes (tenant_id, workspace_id, customer_id, started_at) WHERE customer_id IS NOT NULL;

UPDATE workspace.registry_columns SET indexed = true
WHERE tenant_id = '00000000-0000-0000-0000-000000000000' AND slug = 'meeting_notes' AND name IN ('supplier_id', 'customer_id', 'started_at');
