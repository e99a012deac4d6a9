-- name: ListRetention :many
SELECT name, kept_days FROM control.retention ORDER BY name;

-- name: SetRetention :exec
UPDATE control.retention SET kept_days = @kept_days WHERE name = @name;

-- Nothing old is deleted or dropped before the clock has been steady for a day.
-- name: PauseDropping :exec
UPDATE control.event_retention SET steady_since = clock_timestamp();
