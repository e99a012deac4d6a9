-- The service's role, with the rights of every role that it could assume.
-- name: EffectiveRole :one
SELECT current_user::text AS name,
    (current_setting('statement_timeout') <> '0' AND current_setting('idle_in_transaction_session_timeout') <> '0')::boolean AS has_timeouts,
    bool_or(r.rolsuper)::boolean AS superuser,
    bool_or(r.rolbypassrls)::boolean AS bypasses_row_security,
    pg_catalog.pg_has_role(current_user, 'quayside_system', 'USAGE')::boolean AS inherits_system,
    (SELECT count(*) FROM pg_catalog.pg_class c
     WHERE c.relkind IN ('r', 'p', 'v', 'm')
       AND c.relnamespace IN (SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname IN ('control', 'workspace'))
       AND pg_catalog.pg_has_role(current_user, c.relowner, 'MEMBER')) AS owns
FROM pg_catalog.pg_roles r
WHERE pg_catalog.pg_has_role(current_user, r.oid, 'MEMBER');

-- The roles that row security does not bind, and whether the session's login is one of them or may become it. A login
-- that may make roles is one of them, since it may grant itself others.
-- name: PowerfulRoles :many
WITH owners AS (
    SELECT c.relowner AS oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname IN ('control', 'workspace', 'river')
    UNION SELECT n.nspowner FROM pg_catalog.pg_namespace n WHERE n.nspname IN ('control', 'workspace', 'river')
    UNION SELECT d.datdba FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()
)
SELECT r.rolname::text AS name,
    (CASE WHEN r.rolsuper THEN 'a superuser'
        WHEN r.oid IN (SELECT owners.oid FROM owners) THEN 'the owner of the schema'
        WHEN r.rolbypassrls THEN 'a role that bypasses row security'
        WHEN r.rolcreaterole THEN 'a role that may make others'
        ELSE 'the role of backups, which reads every row' END)::text AS what,
    r.rolcanlogin::boolean AS logs_in,
    pg_catalog.pg_has_role(session_user, r.oid, 'MEMBER')::boolean AS reached
FROM pg_catalog.pg_roles r
WHERE r.rolsuper OR r.rolbypassrls OR r.rolname = 'quayside_backup' OR r.oid IN (SELECT owners.oid FROM owners)
    OR (r.rolcreaterole AND r.rolname = session_user)
ORDER BY r.rolname = session_user DESC, r.oid IN (SELECT owners.oid FROM owners) DESC, r.rolname;

-- Every way in which a relation of the schema could show a tenant another's rows: a table
-- without row security (or whose owner escapes it), a table without policies that the service
-- may read, a view that runs with its owner's rights, any materialised view, a function that
-- runs with its owner's rights, a key that spans tenants. Exceptions are listed here with
-- their reasons.
-- name: RowSecurityGaps :many
WITH ours AS (
    SELECT c.oid, c.relkind, c.relrowsecurity, c.relforcerowsecurity, c.relispartition, c.reloptions,
        n.nspname || '.' || c.relname AS name
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname IN ('control', 'workspace')
), exempt (name) AS (
    VALUES ('control.cells'),              -- no tenant in it
           ('control.event_days_dropped'), -- days and sizes
           ('control.event_retention'),    -- no tenant in it
           ('control.full_passes'),        -- places among rows that wait
           ('control.migrations'),         -- no tenant in it
           ('control.origin'),             -- no tenant in it
           ('control.readers'),            -- places in the outbox
           ('control.retention'),          -- no tenant in it
           ('control.throttles')           -- hashes and counts
), person_tables (name) AS (       -- a person's own rows, which belong to no tenant
    VALUES ('control.users'), ('control.passwords'), ('control.sessions'), ('control.password_resets'),
           ('control.browsers')
), tenant_tables AS (
    SELECT * FROM ours WHERE relkind IN ('r', 'p') AND name NOT IN (SELECT name FROM exempt)
)
SELECT gap::text FROM (
    SELECT name || ': row security is not enabled and forced' AS gap FROM tenant_tables
    WHERE NOT (relrowsecurity AND relforcerowsecurity)
  UNION ALL
    SELECT t.name || ': no policy for quayside_app' FROM tenant_tables t
    WHERE NOT relispartition AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_policy p WHERE p.polrelid = t.oid AND 'quayside_app'::regrole = ANY (p.polroles))
  UNION ALL
    SELECT t.name || ': the policy ' || p.polname || ' is not one of ours' FROM tenant_tables t
    JOIN pg_catalog.pg_policy p ON p.polrelid = t.oid
    JOIN pg_catalog.pg_class c ON c.oid = t.oid
    CROSS JOIN LATERAL (SELECT pg_get_expr(p.polqual, p.polrelid) AS qual) e
    WHERE p.polpermissive AND NOT CASE p.polname -- a restrictive one lets nobody do more
        WHEN 'tenant' THEN p.polroles = ARRAY['quayside_app'::regrole::oid]
            AND e.qual LIKE '((%id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)'
            AND coalesce(pg_get_expr(p.polwithcheck, p.polrelid), e.qual) = e.qual
        WHEN 'built_in' THEN p.polroles = ARRAY['quayside_app'::regrole::oid] AND p.polcmd = 'r' AND t.name LIKE 'workspace.registry%'
            AND e.qual = '(tenant_id = ''00000000-0000-0000-0000-000000000000''::uuid)'
        WHEN 'migrations' THEN p.polroles = ARRAY[c.relowner] AND t.name LIKE 'workspace.registry%'
            AND e.qual = '(tenant_id = ''00000000-0000-0000-0000-000000000000''::uuid)'
        WHEN 'person' THEN p.polroles = ARRAY['quayside_app'::regrole::oid] AND t.name IN (SELECT name FROM person_tables)
            AND e.qual LIKE '(%id = ( SELECT control.bound_person() AS bound_person))' AND p.polwithcheck IS NULL
        -- A company sees its members: the row security of memberships applies inside.
        WHEN 'members' THEN p.polroles = ARRAY['quayside_app'::regrole::oid] AND p.polcmd = 'r' AND t.name = 'control.users'
            AND e.qual LIKE '(EXISTS ( SELECT%FROM control.memberships m%WHERE (m.user_id = users.id)))'
        WHEN 'system_reads' THEN p.polroles = ARRAY['quayside_system'::regrole::oid] AND p.polcmd = 'r'
        WHEN 'system_tidies' THEN p.polroles = ARRAY['quayside_system'::regrole::oid] AND p.polcmd = 'd'
            AND (e.qual = '(expires_at <= now())' OR e.qual LIKE '%< ( SELECT control.kept_since(%) AS kept_since)%'
                OR t.name = 'workspace.search_tokens' AND e.qual = '(kind = 6)') -- derived: they go with their failed import
        WHEN 'backup' THEN p.polroles = ARRAY['quayside_backup'::regrole::oid] AND p.polcmd = 'r' AND e.qual = 'true'
        ELSE false
    END
  UNION ALL
    SELECT t.name || ': a backup would leave its rows out' FROM tenant_tables t
    WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_policy p WHERE p.polrelid = t.oid AND p.polname = 'backup')
      OR NOT has_table_privilege('quayside_backup', t.oid, 'SELECT')
  UNION ALL
    SELECT 'quayside_backup: ' || g.privilege_type || ' on ' || t.name FROM ours t
    JOIN pg_catalog.pg_class c ON c.oid = t.oid CROSS JOIN LATERAL aclexplode(c.relacl) g
    WHERE g.grantee = 'quayside_backup'::regrole AND g.privilege_type <> 'SELECT'
  UNION ALL
    SELECT n.nspname || '.' || c.relname || ': lies outside our schemas and the service may read it'
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname NOT IN ('control', 'workspace', 'pg_catalog', 'information_schema')
      AND n.nspname <> 'river' -- jobs, which hold ids only
      AND n.nspname NOT LIKE 'pg\_%'
      AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
      AND (has_table_privilege('quayside_app', c.oid, 'SELECT') OR has_table_privilege('quayside_system', c.oid, 'SELECT'))
  UNION ALL
    SELECT t.name || ': a partition is reached directly by ' || g.grantee::regrole::text
    FROM tenant_tables t JOIN pg_catalog.pg_class c ON c.oid = t.oid
    CROSS JOIN LATERAL aclexplode(c.relacl) g
    WHERE t.relispartition AND g.grantee NOT IN (c.relowner, 'quayside_backup'::regrole)
  UNION ALL
    SELECT name || ': the view does not run with its caller''s rights' FROM ours
    WHERE relkind = 'v' AND NOT coalesce('security_invoker=true' = ANY (reloptions), false)
  UNION ALL
    SELECT name || ': a materialised view holds all tenants'' rows' FROM ours WHERE relkind = 'm'
  UNION ALL
    SELECT p.oid::regprocedure::text || ': runs with its owner''s rights' FROM pg_catalog.pg_proc p
    JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname IN ('control', 'workspace') AND p.prosecdef
      AND NOT (n.nspname = 'workspace' AND p.proname IN ('keep_event_partitions', 'make_event_days', 'drop_event_days', 'analyze_sales')) -- return no rows
  UNION ALL
    SELECT t.name || ': the unique index ' || i.indexrelid::regclass::text || ' spans tenants'
    FROM tenant_tables t JOIN pg_catalog.pg_index i ON i.indrelid = t.oid
    WHERE i.indisunique
      AND t.name <> 'control.key_directory' -- read before the tenant is known; random values
      AND t.name <> 'control.tenants'       -- the tenant itself
      AND t.name NOT IN (SELECT name FROM person_tables)
      AND (SELECT a.attname FROM pg_catalog.pg_attribute a WHERE a.attrelid = t.oid AND a.attnum = i.indkey[0]) IS DISTINCT FROM 'tenant_id'
  UNION ALL
    SELECT t.name || ': the foreign key ' || k.conname || ' spans tenants'
    FROM tenant_tables t JOIN pg_catalog.pg_constraint k ON k.conrelid = t.oid AND k.contype = 'f'
    WHERE k.confrelid IN (SELECT oid FROM tenant_tables) AND k.confrelid <> 'control.users'::regclass
      AND ((SELECT a.attname FROM pg_catalog.pg_attribute a WHERE a.attrelid = k.conrelid AND a.attnum = k.conkey[1]) IS DISTINCT FROM 'tenant_id'
        OR (SELECT a.attname FROM pg_catalog.pg_attribute a WHERE a.attrelid = k.confrelid AND a.attnum = k.confkey[1])
           NOT IN ('tenant_id', CASE WHEN k.confrelid = 'control.tenants'::regclass THEN 'id' ELSE 'tenant_id' END))
) gaps
ORDER BY gap;

-- name: TomorrowHasPartition :one
SELECT (to_regclass('workspace.events_' || to_char((now() AT TIME ZONE 'UTC')::date + 1, 'YYYYMMDD')) IS NOT NULL)::boolean AS ready;

-- For how many days from tomorrow on there are partitions without a gap, at most 31.
-- name: EventDaysAhead :one
SELECT greatest(coalesce(min(d.ahead), 32) - 1, 0)::bigint AS days FROM generate_series(0, 31) AS d (ahead)
WHERE to_regclass('workspace.events_' || to_char((now() AT TIME ZONE 'UTC')::date + d.ahead, 'YYYYMMDD')) IS NULL;

-- How many connections PostgreSQL allows to those who are no superusers, and how many others have.
-- name: ConnectionBudget :one
SELECT (current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(nullif(current_setting('reserved_connections', true), '')::int, 0))::int AS allowed,
    (SELECT count(*) FROM pg_catalog.pg_stat_activity a
     WHERE a.datid IS NOT NULL AND a.application_name <> 'quayside')::int AS others;

-- Whether the server stores anything, and whose confirmation its commits wait for. Names of connected standbys are
-- visible to every role; their sync_state is not.
-- name: ServerState :one
SELECT pg_is_in_recovery() AS standby, current_setting('default_transaction_read_only')::boolean AS read_only,
    (SELECT s.source FROM pg_catalog.pg_settings s WHERE s.name = 'default_transaction_read_only')::text AS read_only_source,
    current_setting('synchronous_standby_names')::text AS sync_names,
    ARRAY(SELECT r.application_name FROM pg_catalog.pg_stat_replication r
          WHERE r.application_name IS NOT NULL AND coalesce(r.sync_state, 'sync') <> 'async' ORDER BY 1)::text[] AS connected;

-- name: Clock :one
SELECT clock_timestamp()::timestamptz AS now;

-- Where the database is now, and where it was when this was last settled.
-- name: GetOrigin :one
SELECT c.system_identifier::text AS system, d.oid::bigint AS database,
    (o.system <> c.system_identifier::text OR o.database <> d.oid::bigint)::boolean AS moved
FROM pg_catalog.pg_control_system() c, pg_catalog.pg_database d, control.origin o WHERE d.datname = current_database();

-- name: SettleOrigin :exec
UPDATE control.origin SET system = c.system_identifier::text, database = d.oid::bigint, settled_at = now()
FROM pg_catalog.pg_control_system() c, pg_catalog.pg_database d WHERE d.datname = current_database();
