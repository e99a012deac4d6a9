-- +goose Up
-- Tenants, their workspaces, the cells they are placed on, and the directory
-- that finds the tenant of an API key before anything else is known about it.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- A cell is one highly available PostgreSQL with the tenants placed on it. How
-- to reach it is configuration, not data.
CREATE TABLE control.cells (
    name text COLLATE "C" PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO control.cells (name) VALUES ('main');
GRANT SELECT ON control.cells TO quayside_app, quayside_system;

CREATE TABLE control.tenants (
    id uuid PRIMARY KEY,
    name text NOT NULL CHECK (btrim(name) <> ''),
    cell text COLLATE "C" NOT NULL DEFAULT 'main' REFERENCES control.cells (name),
    created_at timestamptz NOT NULL DEFAULT now()
);
SELECT control.protect('control.tenants', 'id');
GRANT SELECT, INSERT, UPDATE ON control.tenants TO quayside_app;

-- A workspace's zone decides what "midnight" and "this week" mean in it.
CREATE TABLE control.workspaces (
    tenant_id uuid NOT NULL REFERENCES control.tenants (id),
    id uuid NOT NULL,
    name text NOT NULL CHECK (btrim(name) <> ''),
    time_zone text NOT NULL DEFAULT 'UTC',
    base_currency text NOT NULL DEFAULT 'EUR' CHECK (base_currency ~ '^[A-Z]{3}$'),
    locale text NOT NULL DEFAULT 'en',
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
SELECT control.protect('control.workspaces');
GRANT SELECT, INSERT, UPDATE ON control.workspaces TO quayside_app;

-- The only look-up that starts without a tenant: the hash of a key, or the id
-- that an operator types. Both indexes are global by need; a hash of 192 random
-- bits and a UUIDv7 tell a tenant nothing about another.
CREATE TABLE control.key_directory (
    key_hash bytea PRIMARY KEY CHECK (octet_length(key_hash) = 32),
    key_id uuid NOT NULL UNIQUE,
    tenant_id uuid NOT NULL REFERENCES control.tenants (id),
    workspace_id uuid NOT NULL,
    FOREIGN KEY (tenant_id, workspace_id) REFERENCES control.workspaces (tenant_id, id)
);
SELECT control.protect('control.key_directory');
GRANT SELECT, INSERT ON control.key_directory TO quayside_app;
CREATE POLICY system_reads ON control.key_directory FOR SELECT TO quayside_system USING (true);
GRANT SELECT ON control.key_directory TO quayside_system;
-- With the key comes its workspace's zone.
CREATE POLICY system_reads ON control.workspaces FOR SELECT TO quayside_system USING (true);
GRANT SELECT ON control.workspaces TO quayside_system;
