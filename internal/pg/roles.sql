-- Makes the roles of the service, none of which can log in. quayside_app is what the service runs
-- as: it owns nothing and row security binds it. quayside_system is what the few deliberate
-- crossings of tenants run as; quayside_app may become it by SET ROLE but, being NOINHERIT, never
-- holds its rights by accident. quayside_backup reads everything and writes nothing.
--
-- Roles belong to the whole server and are in no dump of a database: 'quayside migrate' runs this
-- first, whether the database is new, current or restored.
DO $$
DECLARE
    wanted text;
BEGIN
    -- Databases share the roles, and two databases may be migrated at the same moment.
    FOREACH wanted IN ARRAY ARRAY['quayside_app', 'quayside_system', 'quayside_backup'] LOOP
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
        -- Whoever migrates also makes backups, unless they have a login of their own.
        IF NOT pg_has_role(current_user, 'quayside_backup',
            CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END) THEN
            EXECUTE format('GRANT quayside_backup TO %I', current_user);
        END IF;
    EXCEPTION WHEN unique_violation THEN
        NULL;
    END;
    -- Somebody else may have made the roles. Inheritance alone would let every request see what
    -- only the system's role may.
    SELECT string_agg(rolname, ', ') INTO wanted FROM pg_roles
    WHERE rolname IN ('quayside_app', 'quayside_system', 'quayside_backup')
      AND (rolinherit OR rolcanlogin OR rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb);
    IF wanted IS NOT NULL THEN
        RAISE EXCEPTION 'the roles % have rights they must not have', wanted
            USING HINT = 'ALTER ROLE … NOINHERIT NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB';
    END IF;
END
$$;
