-- +goose Up
-- Reading tables: views that people save, and the order in which the records of tables
-- that tenants add are read.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE workspace.saved_views (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text COLLATE "C" NOT NULL,
    name text NOT NULL CHECK (btrim(name) <> '' AND length(name) <= 100),
    -- Filters, fields, order and widths, in the words of the API.
    definition jsonb NOT NULL CHECK (jsonb_typeof(definition) = 'object'),
    owner_id uuid NOT NULL, -- a person
    shared boolean NOT NULL DEFAULT false,
    version bigint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX saved_views_name ON workspace.saved_views (tenant_id, workspace_id, slug, owner_id, name);
SELECT control.protect('workspace.saved_views');
GRANT SELECT, INSERT, UPDATE, DELETE ON workspace.saved_views TO quayside_app;

-- All tables that tenants add share workspace.records. In the order of its primary key
-- one table's records lie between those of all others: to find fifty of them, everything
-- that came before would be read. Here a table's records in a workspace are one range, in
-- their order; counts and exports read that range too. None of its columns ever changes,
-- so updates do not pay for it. The built-in tables need no such index: each has its own,
-- and a company has few workspaces.
-- The table is all but empty wherever this runs: nothing registers such tables yet.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX records_in_order ON workspace.records (tenant_id, workspace_id, slug, id);
