-- +goose Up
-- What people and agents say about a purchase order, and what they did about it outside: comments,
-- calls and reminders. What happens to its lines is in the audit and in the events.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE workspace.order_entries (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    order_no text COLLATE "C" NOT NULL,
    kind text NOT NULL CONSTRAINT order_entries_kind CHECK (kind IN ('comment', 'call', 'reminder')),
    actor jsonb NOT NULL,
    text text NOT NULL CHECK (text <> '' AND char_length(text) <= 2000),
    mentions uuid[] NOT NULL DEFAULT '{}', -- members of the company
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX order_entries_order ON workspace.order_entries (tenant_id, workspace_id, order_no, id);

SELECT control.protect('workspace.order_entries');
GRANT SELECT, INSERT ON workspace.order_entries TO quayside_app;
