-- +goose Up
-- A column of a company's own may get another type. Its stored values are converted in the background.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE workspace.conversions (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    slug text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    from_type text NOT NULL,
    to_type text NOT NULL,
    actor jsonb NOT NULL,
    -- first: all rows once; waiting: until nobody can write the old type any more; last: all rows once more.
    pass text NOT NULL DEFAULT 'first' CHECK (pass IN ('first', 'waiting', 'last', 'done')),
    place text COLLATE "C" NOT NULL DEFAULT '', -- the last row of this pass that was looked at
    settled_at timestamptz,                     -- statements that had the old type have ended, or have written, by then
    horizon xid8,                               -- a transaction after that; those before it have to end
    converted bigint NOT NULL DEFAULT 0,
    emptied bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    PRIMARY KEY (tenant_id, id),
    CHECK ((pass = 'done') = (finished_at IS NOT NULL))
);
CREATE UNIQUE INDEX conversions_open ON workspace.conversions (tenant_id, slug, name) WHERE finished_at IS NULL;
SELECT control.protect('workspace.conversions');
GRANT SELECT, INSERT ON workspace.conversions TO quayside_app;
GRANT UPDATE (pass, place, settled_at, horizon, converted, emptied, finished_at) ON workspace.conversions TO quayside_app;
