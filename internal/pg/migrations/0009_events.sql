-- +goose Up
-- The outbox: one event per accepted record, written in the record's own
-- transaction, partitioned by UTC day and dropped by partition. It is also the
-- history of a record: each event carries the values written and who wrote them.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE workspace.events (
    tenant_id uuid NOT NULL,
    -- The id of the record that the event is about.
    subject text COLLATE "C" NOT NULL,
    id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    workspace_id uuid NOT NULL,
    kind text COLLATE "C" NOT NULL,
    slug text COLLATE "C" NOT NULL,
    -- The record's version after the write; an unchanged record keeps its own.
    version bigint NOT NULL,
    -- Who wrote: {"type": "key", "id": …}, or another type of actor.
    actor jsonb NOT NULL,
    request_id text NOT NULL,
    data jsonb NOT NULL,
    relayed_at timestamptz,
    PRIMARY KEY (tenant_id, subject, id, created_at)
) PARTITION BY RANGE (created_at);
CREATE INDEX events_unrelayed ON workspace.events (created_at, id) WHERE relayed_at IS NULL;

SELECT control.protect('workspace.events');
GRANT SELECT, INSERT ON workspace.events TO quayside_app;

-- keep_event_partitions makes the days ahead and drops the days behind. It is the
-- only DDL the service can cause, and it can cause no other: the names come from
-- the calendar and at least one whole day is always kept. A partition is created
-- beside the table and then attached, which does not stop writers; dropping one
-- does for a moment, so it gives up after a short wait and leaves it to the next
-- call. It answers how many were made and dropped.
-- +goose StatementBegin
CREATE FUNCTION workspace.keep_event_partitions(
    days_ahead integer, days_kept integer, OUT made integer, OUT dropped integer
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '2s'
AS $$
DECLARE
    today date := (now() AT TIME ZONE 'UTC')::date;
    day date;
    partition text;
BEGIN
    made := 0;
    dropped := 0;
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
    FOR partition IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'workspace.events'::regclass
          AND c.relname::text COLLATE "C" < 'events_' || to_char(today - least(greatest(days_kept, 1), 36500), 'YYYYMMDD')
        ORDER BY c.relname
    LOOP
        BEGIN
            EXECUTE format('DROP TABLE workspace.%I', partition);
            dropped := dropped + 1;
        EXCEPTION WHEN lock_not_available THEN
            EXIT;
        END;
    END LOOP;
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION workspace.keep_event_partitions(integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION workspace.keep_event_partitions(integer, integer) TO quayside_system;

SELECT workspace.keep_event_partitions(14, 30);
