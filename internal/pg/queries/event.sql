-- name: MakeEventDays :one
SELECT workspace.make_event_days(@days_ahead::int)::bigint AS made;

-- name: DropEventDays :one
SELECT d.held::text AS held, d.due::bigint AS due, d.dropped::date[] AS dropped, d.bytes::bigint AS bytes, r.kept_days
FROM control.event_retention r, workspace.drop_event_days(@service_clock::timestamptz, @most::int) d;

-- name: GetEventRetention :one
SELECT kept_days FROM control.event_retention;

-- Whoever lowers it has a day to think again: nothing is dropped before the clock has been steady for one.
-- name: SetEventRetention :exec
UPDATE control.event_retention SET kept_days = @kept_days, steady_since = clock_timestamp();

-- name: EventDays :many
SELECT day::date AS day, total_bytes::bigint AS bytes FROM workspace.event_days() WHERE bytes > 0 ORDER BY day;

-- name: EventDaysDropped :many
SELECT day, dropped_at, bytes, kept_days FROM control.event_days_dropped ORDER BY dropped_at DESC, day DESC LIMIT @most;
