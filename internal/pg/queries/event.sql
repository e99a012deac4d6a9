-- name: KeepEventPartitions :one
SELECT made::bigint AS made, dropped::bigint AS dropped
FROM workspace.keep_event_partitions(@days_ahead::int, @days_kept::int);
