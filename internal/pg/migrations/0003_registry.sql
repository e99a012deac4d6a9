-- +goose Up
-- The registry says which tables take records and what their columns mean. A row
-- of the nil tenant is built in and readable by all; a tenant's own rows are
-- seen by that tenant only. A table in the registry needs no code and no DDL.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE workspace.registry_tables (
    tenant_id uuid NOT NULL,
    slug text COLLATE "C" NOT NULL CHECK (slug ~ '^[a-z][a-z0-9_]{0,47}$'),
    title text NOT NULL CHECK (btrim(title) <> ''),
    description text NOT NULL DEFAULT '',
    -- 'table': a table of this schema named as the slug. 'records': rows of
    -- workspace.records, typed by the registry. Tables that tenants add are records.
    storage text NOT NULL DEFAULT 'records' CHECK (storage IN ('table', 'records')),
    -- What callers are told identifies a record.
    conflict_key text[] NOT NULL DEFAULT '{tenant_id,external_id}',
    -- The column whose unique index, led by tenant_id, decides between new and known.
    conflict_column text COLLATE "C" NOT NULL DEFAULT 'external_id',
    -- The sent fields that make up that column's value: the first that is present.
    identity_columns text[] NOT NULL DEFAULT '{external_id}' CHECK (cardinality(identity_columns) > 0),
    position bigint NOT NULL DEFAULT 1000,
    -- Microseconds since 1970, and rising: a table that is dropped and registered
    -- again never shows a version that a cache has seen.
    version bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, slug),
    CHECK (storage = 'records' OR tenant_id = '00000000-0000-0000-0000-000000000000')
);

CREATE TABLE workspace.registry_columns (
    tenant_id uuid NOT NULL,
    slug text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL CHECK (name ~ '^[a-z][a-z0-9_]{0,62}$'
        AND name NOT IN ('id', 'tenant_id', 'workspace_id', 'version', 'created_at', 'updated_at')),
    position bigint NOT NULL,
    type text NOT NULL CHECK (type IN ('text', 'number', 'boolean', 'date', 'datetime', 'uuid')),
    kind text NOT NULL DEFAULT 'writable' CHECK (kind IN ('writable', 'api_only', 'trigger', 'read_only')),
    -- Whether ingest takes the field. Some API-only columns are for the system alone.
    accepted boolean NOT NULL DEFAULT true,
    -- Demanded when the row is new.
    required boolean NOT NULL DEFAULT false,
    -- Whether null clears the value. A column with a default may be optional and
    -- still never empty.
    nullable boolean NOT NULL DEFAULT true,
    -- What a new row gets when the field is not sent, as text of the column's type.
    default_value text,
    choices text[],
    minimum numeric,
    maximum numeric,
    -- The slug of the table whose id this column holds. Callers may send that
    -- table's id or its conflict key.
    reference text COLLATE "C",
    -- Where the caller's value waits when the referenced record has not arrived
    -- yet. Without one, an unknown reference is refused.
    pending_column text COLLATE "C",
    description text NOT NULL DEFAULT '',
    example jsonb,
    PRIMARY KEY (tenant_id, slug, name),
    FOREIGN KEY (tenant_id, slug) REFERENCES workspace.registry_tables (tenant_id, slug) ON DELETE CASCADE,
    CHECK (NOT required OR (accepted AND NOT nullable)),
    CHECK (nullable OR required OR default_value IS NOT NULL),
    CHECK (NOT accepted OR kind IN ('writable', 'api_only')),
    CHECK (pending_column IS NULL OR reference IS NOT NULL AND tenant_id = '00000000-0000-0000-0000-000000000000')
);

-- Snapshots: columns copied from other records when a row is written. The
-- function takes (tenant_id, workspace_id, the arguments) and returns the
-- columns, by name; the trigger that guards the table, the batched write and the
-- late resolution all ask this one function.
CREATE TABLE workspace.registry_snapshots (
    tenant_id uuid NOT NULL,
    slug text COLLATE "C" NOT NULL,
    function text COLLATE "C" NOT NULL,
    arguments text[] NOT NULL,
    columns text[] NOT NULL,
    -- A new record of this table may resolve rows that wait: those whose
    -- match_column equals the record's and whose marker_column is still empty.
    source text COLLATE "C" NOT NULL,
    match_column text COLLATE "C" NOT NULL,
    marker_column text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, slug),
    FOREIGN KEY (tenant_id, slug) REFERENCES workspace.registry_tables (tenant_id, slug) ON DELETE CASCADE
);

-- Every change of a table, its columns or its snapshot raises the table's
-- version: caches compare it, and discovery's ETag is made of it.
-- +goose StatementBegin
CREATE FUNCTION workspace.count_registry_version() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF TG_TABLE_NAME = 'registry_tables' THEN
        NEW.version := greatest(OLD.version + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint);
        NEW.updated_at := now();
        RETURN NEW;
    END IF;
    -- An UPDATE of the parent runs the branch above.
    UPDATE workspace.registry_tables t SET updated_at = now()
    FROM (SELECT DISTINCT c.tenant_id, c.slug FROM changed c) c
    WHERE t.tenant_id = c.tenant_id AND t.slug = c.slug;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER count_version BEFORE UPDATE ON workspace.registry_tables
    FOR EACH ROW EXECUTE FUNCTION workspace.count_registry_version();
CREATE TRIGGER count_insert AFTER INSERT ON workspace.registry_columns
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_registry_version();
CREATE TRIGGER count_update AFTER UPDATE ON workspace.registry_columns
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_registry_version();
CREATE TRIGGER count_delete AFTER DELETE ON workspace.registry_columns
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_registry_version();
CREATE TRIGGER count_insert AFTER INSERT ON workspace.registry_snapshots
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_registry_version();
CREATE TRIGGER count_update AFTER UPDATE ON workspace.registry_snapshots
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_registry_version();
CREATE TRIGGER count_delete AFTER DELETE ON workspace.registry_snapshots
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_registry_version();

-- A table that comes or goes changes those that refer to it.
-- +goose StatementBegin
CREATE FUNCTION workspace.count_referring_versions() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE workspace.registry_tables t SET updated_at = now()
    FROM changed c
    WHERE t.tenant_id = c.tenant_id AND t.slug <> c.slug
      AND EXISTS (SELECT FROM workspace.registry_columns r
                  WHERE r.tenant_id = t.tenant_id AND r.slug = t.slug AND r.reference = c.slug);
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER count_referring_insert AFTER INSERT ON workspace.registry_tables
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_referring_versions();
CREATE TRIGGER count_referring_delete AFTER DELETE ON workspace.registry_tables
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_referring_versions();

-- A tenant's table may not stand in front of a built-in one: "orders" means the
-- same for everybody.
-- +goose StatementBegin
CREATE FUNCTION workspace.refuse_built_in_slug() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM workspace.registry_tables t
               WHERE t.tenant_id = '00000000-0000-0000-0000-000000000000' AND t.slug = NEW.slug) THEN
        RAISE EXCEPTION 'the slug % is taken by a built-in table', NEW.slug
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'registry_tables_built_in_slug';
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER refuse_built_in_slug BEFORE INSERT OR UPDATE OF slug ON workspace.registry_tables
    FOR EACH ROW WHEN (NEW.tenant_id <> '00000000-0000-0000-0000-000000000000')
    EXECUTE FUNCTION workspace.refuse_built_in_slug();

SELECT control.protect('workspace.registry_tables');
SELECT control.protect('workspace.registry_columns');
SELECT control.protect('workspace.registry_snapshots');

-- Built-in rows: all read them, only migrations write them.
CREATE POLICY built_in ON workspace.registry_tables FOR SELECT TO quayside_app
    USING (tenant_id = '00000000-0000-0000-0000-000000000000');
CREATE POLICY built_in ON workspace.registry_columns FOR SELECT TO quayside_app
    USING (tenant_id = '00000000-0000-0000-0000-000000000000');
CREATE POLICY built_in ON workspace.registry_snapshots FOR SELECT TO quayside_app
    USING (tenant_id = '00000000-0000-0000-0000-000000000000');
CREATE POLICY migrations ON workspace.registry_tables TO CURRENT_USER
    USING (tenant_id = '00000000-0000-0000-0000-000000000000');
CREATE POLICY migrations ON workspace.registry_columns TO CURRENT_USER
    USING (tenant_id = '00000000-0000-0000-0000-000000000000');
CREATE POLICY migrations ON workspace.registry_snapshots TO CURRENT_USER
    USING (tenant_id = '00000000-0000-0000-0000-000000000000');

GRANT SELECT, INSERT, UPDATE, DELETE ON workspace.registry_tables, workspace.registry_columns TO quayside_app;
-- A snapshot names a function of the owner's: tenants do not add them.
GRANT SELECT ON workspace.registry_snapshots TO quayside_app;
