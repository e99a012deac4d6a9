-- +goose Up
-- Connections to external systems that the service calls.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE workspace.connections (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    system text NOT NULL,
    name text NOT NULL CHECK (name <> '' AND char_length(name) <= 100),
    address text NOT NULL,
    may_export boolean NOT NULL,
    may_load boolean NOT NULL,
    location text NOT NULL,                 -- the other system's id of it; '': not chosen yet
    calls_per_minute bigint NOT NULL CHECK (calls_per_minute BETWEEN 1 AND 600),
    state text NOT NULL CHECK (state IN ('draft', 'active', 'paused')),
    paused_because text NOT NULL DEFAULT '',
    credentials bigint NOT NULL DEFAULT 1,  -- counts changes of the address and of the token
    tested bigint NOT NULL DEFAULT 0,       -- the credentials of the last test
    tested_at timestamptz,
    test_failure text NOT NULL DEFAULT '',  -- '': it passed
    version bigint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by jsonb NOT NULL,              -- an actor
    updated_at timestamptz NOT NULL DEFAULT now(),
    updated_by jsonb NOT NULL,
    deleted_at timestamptz,                 -- it is kept for its name: events and the audit have its id
    PRIMARY KEY (tenant_id, id)
);
-- One for each system.
CREATE UNIQUE INDEX connections_one ON workspace.connections (tenant_id, workspace_id, system) WHERE deleted_at IS NULL;

-- When a connection may call next, for all instances of the service.
CREATE TABLE workspace.connection_pace (
    tenant_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    used_until timestamptz NOT NULL DEFAULT now(), -- the budget is used up to here
    held_until timestamptz NOT NULL DEFAULT now(), -- the other system asked for this pause
    PRIMARY KEY (tenant_id, connection_id),
    FOREIGN KEY (tenant_id, connection_id) REFERENCES workspace.connections (tenant_id, id)
);

SELECT control.protect('workspace.connections');
SELECT control.protect('workspace.connection_pace');
GRANT SELECT, INSERT, UPDATE ON workspace.connections TO quayside_app;
GRANT SELECT, INSERT, UPDATE (used_until, held_until) ON workspace.connection_pace TO quayside_app;
