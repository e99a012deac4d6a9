-- +goose Up
-- Each mail with an order keeps where the supplier's record sent it and what it said of paying, so that the next order can
-- say what changed since.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

ALTER TABLE workspace.order_mails ADD COLUMN particulars jsonb NOT NULL DEFAULT '{}';

-- squawk-ignore require-concurrent-index-creation -- mails are sent by people, so they are few
CREATE INDEX order_mails_supplier ON workspace.order_mails (tenant_id, workspace_id, supplier, id) WHERE state <> 'failed';
