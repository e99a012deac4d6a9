-- +goose Up
-- The inbox is derived from orders, their log and alerts. Kept are only what a person has seen of it or
-- done away with, how far its mails have come, and whom they did not reach.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- An item is unseen again if it gets news after seen_until. Alerts have alert_reads.
CREATE TABLE workspace.inbox_seen (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    user_id uuid NOT NULL,
    subject text COLLATE "C" NOT NULL, -- the number of an order
    kind text COLLATE "C" NOT NULL CONSTRAINT inbox_seen_kind CHECK (kind IN ('approval', 'sent_back', 'mention')),
    seen_until timestamptz NOT NULL,
    done_until timestamptz, -- the item is gone, unless it is newer
    PRIMARY KEY (tenant_id, workspace_id, user_id, subject, kind)
);

-- Whoever moves a workspace on mails what is new between since and until.
CREATE TABLE workspace.inbox_mails (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    since timestamptz NOT NULL,
    until timestamptz NOT NULL,
    looked_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, workspace_id)
);

-- Whom a mail about what is new between since and until did not reach. Whoever deletes the row tries again.
CREATE TABLE workspace.inbox_unsent (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    user_id uuid NOT NULL,
    since timestamptz NOT NULL,
    until timestamptz NOT NULL,
    tries bigint NOT NULL,
    next_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, workspace_id, user_id, since)
);
CREATE INDEX inbox_unsent_due ON workspace.inbox_unsent (next_at);

SELECT control.protect('workspace.inbox_seen');
SELECT control.protect('workspace.inbox_mails');
SELECT control.protect('workspace.inbox_unsent');
GRANT SELECT, INSERT, UPDATE, DELETE ON workspace.inbox_seen TO quayside_app;
GRANT SELECT, INSERT, UPDATE ON workspace.inbox_mails TO quayside_app;
GRANT SELECT, INSERT, DELETE ON workspace.inbox_unsent TO quayside_app;

-- The lines of an order that wait for approval, without its others.
-- squawk-ignore require-concurrent-index-creation -- seconds with a million lines, of which few wait
CREATE INDEX purchase_order_lines_pending ON workspace.purchase_order_lines (tenant_id, workspace_id, order_no) WHERE status = 'pending_approval';

-- Entries that mention somebody: of one workspace, and the newest of all.
-- squawk-ignore require-concurrent-index-creation -- entries are few
CREATE INDEX order_entries_mentions ON workspace.order_entries (tenant_id, workspace_id, created_at) WHERE mentions <> '{}';
-- squawk-ignore require-concurrent-index-creation -- entries are few
CREATE INDEX order_entries_latest_mentions ON workspace.order_entries (created_at) WHERE mentions <> '{}';

-- What was sent back lately.
-- squawk-ignore require-concurrent-index-creation -- seconds with a million rows, of which few are in it
CREATE INDEX audit_latest_sent_back ON workspace.audit (at) WHERE action = 'purchase_order_line.sent_back';

-- The job that mails asks which workspaces have news.
CREATE POLICY system_reads ON workspace.inbox_mails FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_reads ON workspace.inbox_unsent FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_reads ON workspace.order_entries FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_reads ON workspace.audit FOR SELECT TO quayside_system USING (action = 'purchase_order_line.sent_back');
GRANT SELECT ON workspace.inbox_mails, workspace.inbox_unsent TO quayside_system;
GRANT SELECT (tenant_id, workspace_id, created_at, mentions) ON workspace.order_entries TO quayside_system;
GRANT SELECT (tenant_id, workspace_id, at, action) ON workspace.audit TO quayside_system;

-- Which mails a person wants.
ALTER TABLE control.users ADD COLUMN approval_mails boolean NOT NULL DEFAULT true;
ALTER TABLE control.users ADD COLUMN mention_mails boolean NOT NULL DEFAULT true;
ALTER TABLE control.users ADD COLUMN sent_back_mails boolean NOT NULL DEFAULT false;
GRANT UPDATE (approval_mails, mention_mails, sent_back_mails) ON control.users TO quayside_app;
