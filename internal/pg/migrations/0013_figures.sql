-- +goose Up
-- Live figures. The service sums them in memory and flushes every few seconds into
-- these tables, which nothing else waits for: a screen reads figures instead of
-- counting records.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- What a source is at: one row for a table in a workspace.
CREATE TABLE workspace.source_figures (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text COLLATE "C" NOT NULL,
    rows bigint NOT NULL DEFAULT 0,
    last_record_at timestamptz,
    -- Counted in the background, through indexes that hold nothing else.
    open_failures bigint NOT NULL DEFAULT 0,
    pending bigint NOT NULL DEFAULT 0,
    touched_at timestamptz NOT NULL DEFAULT now(),
    counted_at timestamptz NOT NULL DEFAULT '-infinity',
    rows_counted_at timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (tenant_id, workspace_id, slug)
);

-- What came in by the hour.
CREATE TABLE workspace.source_hours (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text COLLATE "C" NOT NULL,
    hour timestamptz NOT NULL,
    accepted bigint NOT NULL,
    failed bigint NOT NULL,
    PRIMARY KEY (tenant_id, workspace_id, slug, hour)
);

-- What keys were used for: when and from where last, and how often by the hour.
CREATE TABLE workspace.key_figures (
    tenant_id uuid NOT NULL,
    key_id uuid NOT NULL,
    last_used_at timestamptz NOT NULL,
    last_used_from text NOT NULL,
    PRIMARY KEY (tenant_id, key_id)
);
CREATE TABLE workspace.key_hours (
    tenant_id uuid NOT NULL,
    key_id uuid NOT NULL,
    hour timestamptz NOT NULL,
    calls bigint NOT NULL,
    PRIMARY KEY (tenant_id, key_id, hour)
);

SELECT control.protect('workspace.source_figures');
SELECT control.protect('workspace.source_hours');
SELECT control.protect('workspace.key_figures');
SELECT control.protect('workspace.key_hours');
GRANT SELECT, INSERT, UPDATE, DELETE
    ON workspace.source_figures, workspace.source_hours, workspace.key_figures, workspace.key_hours TO quayside_app;
-- The jobs that count what is open and pending, and that drop old hours, ask whose turn
-- it is.
CREATE POLICY system_reads ON workspace.source_figures FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_reads ON workspace.source_hours FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_reads ON workspace.key_hours FOR SELECT TO quayside_system USING (true);
GRANT SELECT ON workspace.source_figures, workspace.source_hours, workspace.key_hours TO quayside_system;
