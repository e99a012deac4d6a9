-- +goose Up
-- Two schemas: control (who exists and where they live) and workspace
-- (everything that belongs to a tenant and lives in its cell). Nothing joins
-- across them, so that a cell can later move to a database of its own.
--
-- Two roles, both without login. quayside_app is what the service runs as: it
-- owns nothing and row security binds it. quayside_system is what the few
-- deliberate crossings of tenants run as; quayside_app may become it by SET
-- ROLE but, being NOINHERIT, never holds its rights by accident.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- +goose StatementBegin
DO $$
DECLARE
    wanted text;
BEGIN
    -- Roles belong to the whole server, databases share them, and two databases
    -- may be migrated at the same moment.
    FOREACH wanted IN ARRAY ARRAY['quayside_app', 'quayside_system'] LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN NOINHERIT', wanted);
            END IF;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;
        END;
    END LOOP;
    BEGIN
        IF NOT pg_has_role('quayside_app', 'quayside_system', 'MEMBER') THEN
            GRANT quayside_system TO quayside_app;
        END IF;
    EXCEPTION WHEN unique_violation THEN
        NULL;
    END;
    -- Somebody else may have made the roles. Inheritance alone would let every
    -- request see what only the system's role may.
    SELECT string_agg(rolname, ', ') INTO wanted FROM pg_roles
    WHERE rolname IN ('quayside_app', 'quayside_system')
      AND (rolinherit OR rolcanlogin OR rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb);
    IF wanted IS NOT NULL THEN
        RAISE EXCEPTION 'the roles % have rights they must not have', wanted
            USING HINT = 'ALTER ROLE … NOINHERIT NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB';
    END IF;
END
$$;
-- +goose StatementEnd

CREATE SCHEMA IF NOT EXISTS control;
CREATE SCHEMA IF NOT EXISTS workspace;
GRANT USAGE ON SCHEMA control, workspace TO quayside_app, quayside_system;

-- The tenants that the running transaction is bound to. Unset and empty both
-- mean none: after a commit the setting reads '' and not NULL. The nil tenant owns
-- the registry's built-in rows and is never bound. Policies call it in a
-- sub-select, which PostgreSQL evaluates once per statement, not per row.
CREATE FUNCTION control.bound_tenants() RETURNS uuid[]
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT array_remove(string_to_array(nullif(current_setting('app.tenants', true), ''), ',')::uuid[],
        '00000000-0000-0000-0000-000000000000')
$$;
REVOKE EXECUTE ON FUNCTION control.bound_tenants() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION control.bound_tenants() TO quayside_app, quayside_system;

-- protect puts a table under row security: quayside_app sees and writes the rows
-- of the bound tenants and no others, and the owner is bound as well. Every
-- migration that creates a table with a tenant ends with a call of it.
-- +goose StatementBegin
CREATE FUNCTION control.protect(protected regclass, tenant_column name DEFAULT 'tenant_id') RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    -- IS TRUE keeps the list out of index conditions, where every look-up would try
    -- every tenant of a batch. Queries name the tenant they mean; this is the guard.
    bound text := format('(%I = ANY ((SELECT control.bound_tenants())::uuid[])) IS TRUE', tenant_column);
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', protected);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', protected);
    EXECUTE format('CREATE POLICY tenant ON %s TO quayside_app USING (%s) WITH CHECK (%s)', protected, bound, bound);
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION control.protect(regclass, name) FROM PUBLIC;

-- new_id makes a UUIDv7 in its text form: 48 bits of milliseconds, then version
-- and randomness. Rows that the service writes bring their own; this is the
-- default for every other writer.
CREATE FUNCTION workspace.new_id() RETURNS text
LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
    SELECT (lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0')
        || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid::text
$$;
REVOKE EXECUTE ON FUNCTION workspace.new_id() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION workspace.new_id() TO quayside_app, quayside_system;

-- count_version raises version and updated_at for writers that do not do it
-- themselves. Ingest does, so the triggers' WHEN clause keeps this function off
-- the hot path. Generated columns are not computed yet in a BEFORE trigger, hence
-- the comparison without them.
-- +goose StatementBegin
CREATE FUNCTION workspace.count_version() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF (to_jsonb(NEW) - 'identity_key')::text <> (to_jsonb(OLD) - 'identity_key')::text THEN
        NEW.version := OLD.version + 1;
        NEW.updated_at := now();
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
