-- Deletes everything of the tenant named by app.removed.
--
-- Row security is not forced on the owner meanwhile, and triggers that keep counts and search
-- words, or that refuse a deletion, are disabled. Foreign keys between the tables are dropped and
-- added again: deleting a row would otherwise look for rows that refer to it, one by one and
-- mostly without an index. Adding them checks the rows of all other tenants.
DO $$
DECLARE
    removed uuid := current_setting('app.removed')::uuid;
    tables regclass[];
    forced regclass[];
    dropped text[];
    added text[];
    one regclass;
    statement text;
BEGIN
    SELECT array_agg(c.oid::regclass), array_agg(c.oid::regclass) FILTER (WHERE c.relforcerowsecurity)
    INTO STRICT tables, forced
    FROM pg_class c
    WHERE c.relnamespace IN ('control'::regnamespace, 'workspace'::regnamespace)
      AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND (c.oid = 'control.tenants'::regclass OR EXISTS (
          SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped));
    SELECT array_agg(format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname)),
        array_agg(format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)))
    INTO STRICT dropped, added
    FROM pg_constraint
    WHERE contype = 'f' AND conparentid = 0 AND conrelid = ANY (tables) AND confrelid = ANY (tables);

    FOREACH one IN ARRAY tables LOOP
        EXECUTE format('ALTER TABLE %s DISABLE TRIGGER USER, NO FORCE ROW LEVEL SECURITY', one);
    END LOOP;
    FOREACH statement IN ARRAY dropped LOOP
        EXECUTE statement;
    END LOOP;
    FOREACH one IN ARRAY tables LOOP
        EXECUTE format('DELETE FROM %s WHERE %I = $1', one,
            CASE one WHEN 'control.tenants'::regclass THEN 'id' ELSE 'tenant_id' END) USING removed;
    END LOOP;
    FOREACH statement IN ARRAY added LOOP
        EXECUTE statement; -- row security must not be forced yet: it would hide the rows to check
    END LOOP;
    FOREACH one IN ARRAY tables LOOP
        EXECUTE format('ALTER TABLE %s ENABLE TRIGGER USER', one);
    END LOOP;
    FOREACH one IN ARRAY forced LOOP
        EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', one);
    END LOOP;
END
$$
