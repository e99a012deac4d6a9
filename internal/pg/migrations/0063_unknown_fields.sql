-- +goose Up
-- Fields that arrive and are not stored, because their table has no such column: how often, what their values look
-- like, and, where a company has switched that on, the values themselves. A column that is made for such a field
-- is filled from the values that are still there.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- The service counts in memory and adds its sums every few seconds. Each record is counted once, by what kind of
-- value it had. The name '' stands for all fields that are not counted by name.
CREATE TABLE workspace.unknown_fields (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL CHECK (char_length(name) <= 100),
    records bigint NOT NULL,
    texts bigint NOT NULL DEFAULT 0,
    numbers bigint NOT NULL DEFAULT 0,
    booleans bigint NOT NULL DEFAULT 0,
    dates bigint NOT NULL DEFAULT 0,
    datetimes bigint NOT NULL DEFAULT 0,
    uuids bigint NOT NULL DEFAULT 0,
    nested bigint NOT NULL DEFAULT 0, -- objects and arrays
    empty bigint NOT NULL DEFAULT 0, -- null, or an empty text
    samples text[] NOT NULL DEFAULT '{}' CHECK (cardinality(samples) <= 5), -- masked
    first_seen_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    ignored boolean NOT NULL DEFAULT false,
    made_column text COLLATE "C", -- the column that was made for it
    made_at timestamptz,
    PRIMARY KEY (tenant_id, workspace_id, slug, name),
    CHECK ((made_column IS NULL) = (made_at IS NULL))
);
CREATE INDEX unknown_fields_last_seen ON workspace.unknown_fields (last_seen_at);

-- The tables whose unknown values are kept.
CREATE TABLE workspace.unknown_keeping (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text COLLATE "C" NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, workspace_id, slug)
);

-- The newest value of an unknown field, of one record.
CREATE TABLE workspace.unknown_values (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    record_key text COLLATE "C" NOT NULL,
    value jsonb NOT NULL,
    seen_at timestamptz NOT NULL,
    tried_by uuid, -- the backfill that could not use it
    PRIMARY KEY (tenant_id, workspace_id, slug, name, record_key)
);
CREATE INDEX unknown_values_newest ON workspace.unknown_values (tenant_id, workspace_id, slug, seen_at);
CREATE INDEX unknown_values_seen ON workspace.unknown_values (seen_at);

-- Filling a new column from the values that are still kept, in the background.
CREATE TABLE workspace.backfills (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text COLLATE "C" NOT NULL,
    field text COLLATE "C" NOT NULL, -- as it was sent
    column_name text COLLATE "C" NOT NULL,
    status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'cancelled', 'done', 'failed')),
    actor jsonb NOT NULL,
    total bigint NOT NULL, -- kept values and failed imports to look at, when it was started
    filled bigint NOT NULL DEFAULT 0,
    already_set bigint NOT NULL DEFAULT 0,
    gone bigint NOT NULL DEFAULT 0, -- there is no such record
    refused bigint NOT NULL DEFAULT 0, -- the column does not take the value
    empty bigint NOT NULL DEFAULT 0,
    waiting bigint NOT NULL DEFAULT 0, -- open failed imports, which bring the value when they are retried
    without bigint NOT NULL DEFAULT 0, -- failed imports that do not have the field
    refusals jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(refusals) = 'array'), -- the first ones
    notes bigint NOT NULL DEFAULT 0,
    -- Failed imports are walked from the newest to the oldest. Those ahead of the cursor are filled and counted.
    cursor_seen_at timestamptz NOT NULL DEFAULT now(),
    cursor uuid NOT NULL DEFAULT 'ffffffff-ffff-ffff-ffff-ffffffffffff',
    ahead uuid[] NOT NULL DEFAULT '{}',
    cancel_asked boolean NOT NULL DEFAULT false,
    message text NOT NULL DEFAULT '', -- why it failed
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    finished_at timestamptz,
    PRIMARY KEY (tenant_id, id),
    CHECK ((finished_at IS NULL) = (status IN ('queued', 'running')))
);
-- A column is filled by one backfill at a time.
CREATE UNIQUE INDEX backfills_open ON workspace.backfills (tenant_id, workspace_id, slug, column_name) WHERE finished_at IS NULL;
CREATE INDEX backfills_finished ON workspace.backfills (finished_at) WHERE finished_at IS NOT NULL;

SELECT control.protect('workspace.unknown_fields');
SELECT control.protect('workspace.unknown_keeping');
SELECT control.protect('workspace.unknown_values');
SELECT control.protect('workspace.backfills');
GRANT SELECT, INSERT, UPDATE ON workspace.unknown_fields, workspace.backfills TO quayside_app;
-- Whoever keeps values locks the row that says so, which takes the right to change it.
GRANT SELECT, INSERT, UPDATE, DELETE ON workspace.unknown_keeping, workspace.unknown_values TO quayside_app;

-- Every instance asks which tables keep values.
CREATE POLICY system_reads ON workspace.unknown_keeping FOR SELECT TO quayside_system USING (true);
GRANT SELECT ON workspace.unknown_keeping TO quayside_system;

INSERT INTO control.retention (name, kept_days) VALUES ('unknown_fields', 90), ('unknown_values', 30), ('backfills', 365);
CREATE POLICY system_reads ON workspace.unknown_fields FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_tidies ON workspace.unknown_fields FOR DELETE TO quayside_system
    USING (last_seen_at < (SELECT control.kept_since('unknown_fields')));
CREATE POLICY system_reads ON workspace.unknown_values FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_tidies ON workspace.unknown_values FOR DELETE TO quayside_system
    USING (seen_at < (SELECT control.kept_since('unknown_values')));
CREATE POLICY system_reads ON workspace.backfills FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_tidies ON workspace.backfills FOR DELETE TO quayside_system
    USING (finished_at < (SELECT control.kept_since('backfills')));
GRANT SELECT (tenant_id, workspace_id, slug, name, last_seen_at) ON workspace.unknown_fields TO quayside_system;
GRANT SELECT (tenant_id, workspace_id, slug, name, record_key, seen_at) ON workspace.unknown_values TO quayside_system;
GRANT SELECT (tenant_id, id, finished_at) ON workspace.backfills TO quayside_system;
GRANT DELETE ON workspace.unknown_fields, workspace.unknown_values, workspace.backfills TO quayside_system;
