-- The outbox is read in the order of transactions, up to the oldest one that is open: whatever
-- commits later has a later place.

-- name: OutboxHorizon :one
SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS oldest_open, pg_snapshot_xmax(pg_current_snapshot())::text AS unused,
    clock_timestamp()::timestamptz AS at, r.kept_days
FROM control.event_retention r;

-- name: GetReader :one
SELECT xid::text AS xid, event_id, began_at, read_to FROM control.readers WHERE name = @name;

-- A reader begins, or begins anew, with the transactions that are open now.
-- name: StartReader :exec
INSERT INTO control.readers (name, xid, event_id)
VALUES (@name, pg_snapshot_xmin(pg_current_snapshot()), '00000000-0000-0000-0000-000000000000')
ON CONFLICT (name) DO UPDATE
SET xid = excluded.xid, event_id = excluded.event_id, began_at = excluded.began_at, read_to = excluded.read_to;

-- Events without a number are passed over: those of before there were numbers, and those of stale deliveries, which
-- changed nothing.
-- name: ReadOutbox :many
SELECT tenant_id, workspace_id, slug, subject, id, created_at, xid::text AS xid
FROM workspace.events e
WHERE (e.xid, e.id) > ((@xid::text)::xid8, @event_id::uuid) AND e.xid < (@oldest_open::text)::xid8 AND e.xid IS NOT NULL
ORDER BY e.xid, e.id LIMIT @most;

-- Whether events were stored in the last moments.
-- name: OutboxBusy :one
SELECT coalesce((SELECT e.created_at FROM workspace.events e WHERE e.xid IS NOT NULL ORDER BY e.xid DESC, e.id DESC LIMIT 1)
    > clock_timestamp() - interval '2 seconds', false)::boolean AS busy;

-- Two instances may read the same events; the place never goes back.
-- name: MoveReader :exec
UPDATE control.readers SET xid = (@xid::text)::xid8, event_id = @event_id, read_to = greatest(read_to, @read_to)
WHERE name = @name AND (xid, event_id) <= ((@xid::text)::xid8, @event_id);
