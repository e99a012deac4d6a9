-- +goose Up
-- A key orders what was drafted here only if it was made with that right, and what an external system says of receipts that
-- people have booked is kept as a flag (docs/decisions/0044).
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

ALTER TABLE workspace.api_keys ADD COLUMN order_drafted_here boolean NOT NULL DEFAULT false;

-- The quantity received that was claimed, below what people have booked. Empty: a flag about the status.
ALTER TABLE workspace.line_flags ADD COLUMN claimed numeric;
-- squawk-ignore require-concurrent-index-creation -- no flag has a claim yet
CREATE INDEX line_flags_claimed ON workspace.line_flags (tenant_id, line_id) WHERE claimed IS NOT NULL;
