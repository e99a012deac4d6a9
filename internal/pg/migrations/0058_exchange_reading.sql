-- +goose Up
-- Reading the orders of an inventory system: polls, webhooks and reconciles.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

ALTER TABLE workspace.exchange_cursors
    ADD COLUMN busy_until timestamptz,              -- one instance reads until then, and no other
    ADD COLUMN began_at timestamptz,                -- of a poll that is not at its end
    ADD COLUMN failures bigint NOT NULL DEFAULT 0,  -- of polls, in a row
    ADD COLUMN reconciling jsonb;                   -- how far a reconcile under way has come

-- The newest version there for which a comparison was asked. An order that is held or has failed is not
-- asked for again until it changes.
ALTER TABLE workspace.exchange_orders ADD COLUMN seen_there timestamptz;

-- The orders there that a reconcile under way has met: what is not among them at its end exists only here.
CREATE TABLE workspace.exchange_listed (
    tenant_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    external_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, connection_id, external_id),
    FOREIGN KEY (tenant_id, connection_id) REFERENCES workspace.connections (tenant_id, id)
);
SELECT control.protect('workspace.exchange_listed');
GRANT SELECT, INSERT, DELETE ON workspace.exchange_listed TO quayside_app;

-- A chore finds the connections of all tenants whose orders are to be read, and then acts as the tenant.
CREATE POLICY system_reads ON workspace.exchange_cursors FOR SELECT TO quayside_system USING (true);
GRANT SELECT (tenant_id, connection_id, poll_at, reconcile_at, busy_until) ON workspace.exchange_cursors TO quayside_system;

-- Katana allows 60 calls a minute. An inventory system of one's own, or a raised limit, may take more.
ALTER TABLE workspace.connections DROP CONSTRAINT connections_calls_per_minute_check;
ALTER TABLE workspace.connections ADD CONSTRAINT connections_calls_per_minute_check
    CHECK (calls_per_minute BETWEEN 1 AND 6000) NOT VALID;
