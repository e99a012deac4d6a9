-- A full pass goes through everything that waits, in slices. One is due if there was none since the
-- reader of the sweep began, and once in every night.

-- name: PassDue :one
SELECT (NOT EXISTS (
    SELECT FROM control.full_passes p
    WHERE p.name = @name
      AND p.began_at >= coalesce((SELECT r.began_at FROM control.readers r WHERE r.name = @reader), '-infinity')
      AND (p.finished_at IS NULL OR p.began_at >= @night::timestamptz)
))::boolean AS due;

-- name: BeginPass :exec
INSERT INTO control.full_passes (name, place) VALUES (@name, '{}')
ON CONFLICT (name) DO UPDATE SET began_at = now(), place = '{}', finished_at = NULL;

-- name: GetPass :one
SELECT place FROM control.full_passes WHERE name = @name AND finished_at IS NULL;

-- name: MovePass :exec
UPDATE control.full_passes SET place = @place, finished_at = CASE WHEN @finished::boolean THEN now() END WHERE name = @name;
