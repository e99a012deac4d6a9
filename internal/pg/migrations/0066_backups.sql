-- +goose Up
-- quayside_backup reads every row of every table. Row security is forced on the owner too, so a
-- dump by the owner fails, or leaves rows out without a word.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- Where the database is: a restored one has the row of the database that was dumped, so the service
-- knows that what it is about to send may have been sent already.
CREATE TABLE control.origin (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    system text NOT NULL,
    database bigint NOT NULL,
    settled_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO control.origin (system, database)
SELECT c.system_identifier::text, d.oid::bigint FROM pg_control_system() c, pg_database d WHERE d.datname = current_database();
GRANT SELECT, UPDATE (system, database, settled_at) ON control.origin TO quayside_app;

GRANT USAGE ON SCHEMA control, workspace TO quayside_backup;
GRANT SELECT ON ALL TABLES IN SCHEMA control, workspace TO quayside_backup;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA control, workspace TO quayside_backup;
-- Also for what later migrations make. Events get their days at run time, made by the owner.
ALTER DEFAULT PRIVILEGES IN SCHEMA control GRANT SELECT ON TABLES TO quayside_backup;
ALTER DEFAULT PRIVILEGES IN SCHEMA workspace GRANT SELECT ON TABLES TO quayside_backup;
ALTER DEFAULT PRIVILEGES IN SCHEMA control GRANT SELECT ON SEQUENCES TO quayside_backup;
ALTER DEFAULT PRIVILEGES IN SCHEMA workspace GRANT SELECT ON SEQUENCES TO quayside_backup;


-- +goose StatementBegin
DO $$
DECLARE
    one regclass;
BEGIN
    FOR one IN SELECT c.oid FROM pg_class c
        WHERE c.relnamespace IN ('control'::regnamespace, 'workspace'::regnamespace) AND c.relrowsecurity
    LOOP
        EXECUTE format('CREATE POLICY backup ON %s FOR SELECT TO quayside_backup USING (true)', one);
    END LOOP;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION control.protect(protected regclass, tenant_column name DEFAULT 'tenant_id') RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    -- IS TRUE keeps the list out of index conditions, where every look-up would try
    -- every tenant of a batch. Queries name the tenant they mean; this is the guard.
    bound text := format('(%I = ANY ((SELECT control.bound_tenants())::uuid[])) IS TRUE', tenant_column);
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', protected);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', protected);
    EXECUTE format('CREATE POLICY tenant ON %s TO quayside_app USING (%s) WITH CHECK (%s)', protected, bound, bound);
    EXECUTE format('CREATE POLICY backup ON %s FOR SELECT TO quayside_backup USING (true)', protected);
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION control.protect_person(protected regclass, person_column name DEFAULT 'user_id') RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', protected);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', protected);
    EXECUTE format('CREATE POLICY person ON %s TO quayside_app USING (%I = (SELECT control.bound_person()))',
        protected, person_column);
    EXECUTE format('CREATE POLICY backup ON %s FOR SELECT TO quayside_backup USING (true)', protected);
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION workspace.make_event_days(days_ahead integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '2s'
    AS $$
DECLARE
    today date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
    made integer := 0;
    day date;
    partition text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('workspace.keep_event_partitions')); -- instances start together
    FOR day IN SELECT today + n FROM generate_series(-1, least(greatest(days_ahead, 1), 60)) n LOOP
        partition := 'events_' || to_char(day, 'YYYYMMDD');
        CONTINUE WHEN to_regclass('workspace.' || partition) IS NOT NULL;
        EXECUTE format('CREATE TABLE workspace.%I (LIKE workspace.events INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', partition);
        -- Reached through its parent only, but for backups, which read table by table.
        EXECUTE format('ALTER TABLE workspace.%I ENABLE ROW LEVEL SECURITY', partition);
        EXECUTE format('ALTER TABLE workspace.%I FORCE ROW LEVEL SECURITY', partition);
        EXECUTE format('CREATE POLICY backup ON workspace.%I FOR SELECT TO quayside_backup USING (true)', partition);
        EXECUTE format('ALTER TABLE workspace.events ATTACH PARTITION workspace.%I FOR VALUES FROM (%L) TO (%L)',
            partition, day || ' 00:00+00', (day + 1) || ' 00:00+00');
        made := made + 1;
    END LOOP;
    BEGIN
        FOR partition IN SELECT d.partition FROM workspace.event_days() d WHERE d.day < today - 1 AND d.bytes = 0 LOOP
            LOCK TABLE ONLY workspace.events IN ACCESS EXCLUSIVE MODE NOWAIT;
            EXECUTE format('LOCK TABLE workspace.%I IN ACCESS EXCLUSIVE MODE NOWAIT', partition);
            -- Whoever wrote to it had the lock; now nobody does.
            IF pg_relation_size(('workspace.' || partition)::regclass) = 0 THEN
                EXECUTE format('DROP TABLE workspace.%I', partition);
            END IF;
        END LOOP;
    EXCEPTION WHEN lock_not_available OR insufficient_privilege THEN
        NULL; -- the next call, or whoever owns it; the coming days are made all the same
    END;
    RETURN made;
END
$$;
-- +goose StatementEnd
