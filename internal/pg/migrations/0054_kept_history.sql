-- +goose Up
-- History is never lost by accident. How long events are kept is one value for all instances, days are
-- emptied only while every clock agrees and has done so for a day, and neither making nor dropping a
-- partition makes a writer wait.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE control.event_retention (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    kept_days bigint NOT NULL CHECK (kept_days BETWEEN 1 AND 36500),
    -- When the database's clock was last looked at, and since when it has not jumped by a day.
    looked_at timestamptz NOT NULL DEFAULT now(),
    steady_since timestamptz NOT NULL DEFAULT now()
);
INSERT INTO control.event_retention (kept_days) VALUES (30);
GRANT SELECT, UPDATE ON control.event_retention TO quayside_system;

-- What was dropped, for operators.
CREATE TABLE control.event_days_dropped (
    day date NOT NULL,
    dropped_at timestamptz NOT NULL DEFAULT now(),
    bytes bigint NOT NULL,
    kept_days bigint NOT NULL,
    PRIMARY KEY (day, dropped_at)
);
GRANT SELECT ON control.event_days_dropped TO quayside_system;

-- The days of the outbox. Sizes are those of the files: nothing of their content is read.
-- +goose StatementBegin
CREATE FUNCTION workspace.event_days()
RETURNS TABLE (day date, partition text, bytes bigint, total_bytes bigint)
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT to_date(substr(c.relname::text, 8), 'YYYYMMDD'), c.relname::text, pg_relation_size(c.oid), pg_total_relation_size(c.oid)
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'workspace.events'::regclass
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION workspace.event_days() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION workspace.event_days() TO quayside_system;

-- make_event_days makes the partitions of the coming days, and removes empty ones of the past. A
-- partition is created beside the table and then attached, which stops no writer. To remove one the
-- table has to be locked, so that is done only in a moment when nobody uses it.
-- +goose StatementBegin
CREATE FUNCTION workspace.make_event_days(days_ahead integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '2s'
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
        -- Reached through its parent only: no grant and no policy of its own.
        EXECUTE format('ALTER TABLE workspace.%I ENABLE ROW LEVEL SECURITY', partition);
        EXECUTE format('ALTER TABLE workspace.%I FORCE ROW LEVEL SECURITY', partition);
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
REVOKE EXECUTE ON FUNCTION workspace.make_event_days(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION workspace.make_event_days(integer) TO quayside_system;

-- drop_event_days empties the days that are older than what is kept, at most as many as asked, oldest
-- first, and says what holds it back. Emptying locks that day only, and only if nobody uses it.
--
-- What is kept is counted from the newest event, so a clock that jumps ahead makes nothing old. Nothing is
-- emptied while the service's clock and the database's differ (service_clock), while there are events of
-- tomorrow (events_ahead), and before the clock has gone a day without a jump (not_steady).
-- +goose StatementBegin
CREATE FUNCTION workspace.drop_event_days(
    service_clock timestamptz, most integer,
    OUT held text, OUT due bigint, OUT dropped date[], OUT bytes bigint
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    at timestamptz := clock_timestamp();
    today date := (at AT TIME ZONE 'UTC')::date;
    kept control.event_retention;
    newest date;
    old record;
BEGIN
    held := '';
    dropped := '{}';
    bytes := 0;
    SELECT * INTO STRICT kept FROM control.event_retention FOR UPDATE;
    IF at - kept.looked_at NOT BETWEEN interval '-5 minutes' AND interval '1 day' THEN
        kept.steady_since := at;
    END IF;
    UPDATE control.event_retention SET looked_at = at, steady_since = kept.steady_since;
    SELECT max(d.day) INTO newest FROM workspace.event_days() d WHERE d.bytes > 0;
    SELECT count(*) INTO due FROM workspace.event_days() d WHERE d.bytes > 0 AND d.day < newest - kept.kept_days::integer;
    IF abs(extract(epoch FROM at - service_clock)) > 300 THEN
        held := 'service_clock';
    ELSIF newest > today THEN
        held := 'events_ahead';
    ELSIF at - kept.steady_since NOT BETWEEN interval '1 day' AND interval '1000 years' THEN
        held := 'not_steady';
    END IF;
    IF held <> '' THEN
        RETURN;
    END IF;
    FOR old IN
        SELECT d.day, d.partition, d.total_bytes FROM workspace.event_days() d
        WHERE d.bytes > 0 AND d.day < newest - kept.kept_days::integer
        ORDER BY d.day LIMIT greatest(most, 0)
    LOOP
        BEGIN
            EXECUTE format('LOCK TABLE workspace.%I IN ACCESS EXCLUSIVE MODE NOWAIT', old.partition);
        EXCEPTION WHEN lock_not_available THEN
            CONTINUE; -- somebody reads it, a backup perhaps
        END;
        EXECUTE format('TRUNCATE workspace.%I', old.partition);
        INSERT INTO control.event_days_dropped (day, bytes, kept_days) VALUES (old.day, old.total_bytes, kept.kept_days);
        dropped := dropped || old.day;
        bytes := bytes + old.total_bytes;
        due := due - 1;
    END LOOP;
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION workspace.drop_event_days(timestamptz, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION workspace.drop_event_days(timestamptz, integer) TO quayside_system;

-- Instances of the version before call this: it makes days for them, and drops none.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION workspace.keep_event_partitions(
    days_ahead integer, days_kept integer, OUT made integer, OUT dropped integer
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    made := workspace.make_event_days(days_ahead);
    dropped := 0;
END
$$;
-- +goose StatementEnd
