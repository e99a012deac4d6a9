-- Whether a company waits for its first place in the queue $1: it has a job that has been due for $2, and none that
-- runs. A job that has run for $3 belongs to an instance that died.
WITH RECURSIVE companies (id) AS (
    (SELECT coalesce(j.args ->> 'tenant', '') FROM river.river_job j
     WHERE j.state = 'available' AND j.queue = $1 ORDER BY 1 LIMIT 1)
    UNION ALL
    SELECT (SELECT coalesce(j.args ->> 'tenant', '') FROM river.river_job j
            WHERE j.state = 'available' AND j.queue = $1 AND coalesce(j.args ->> 'tenant', '') > c.id ORDER BY 1 LIMIT 1)
    FROM companies c WHERE c.id IS NOT NULL
), running (company) AS MATERIALIZED (
    SELECT coalesce(j.args ->> 'tenant', '') FROM river.river_job j
    WHERE j.state = 'running' AND j.queue = $1 AND j.attempted_at > statement_timestamp() - $3::interval
)
SELECT EXISTS (
    SELECT FROM companies c
    WHERE c.id NOT IN (SELECT r.company FROM running r)
      AND (SELECT j.scheduled_at FROM river.river_job j
           WHERE j.state = 'available' AND j.queue = $1 AND coalesce(j.args ->> 'tenant', '') = c.id
           ORDER BY j.scheduled_at, j.id LIMIT 1) <= statement_timestamp() - $2::interval
)
