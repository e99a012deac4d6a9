-- Takes the next job of the queue $1 for the instance $2, and returns its id. Companies take turns: first the one with the
-- fewest running jobs, then the one that was served least recently, then the one whose job came first. A job that has
-- run for $3 belongs to an instance that died, and is not counted.
--
-- Each company that waits is found by one step through an index, however many jobs it has. Whoever runs the statement
-- holds the queue's lock, so that two instances do not choose by the same picture.
WITH RECURSIVE companies (id) AS (
    (SELECT coalesce(j.args ->> 'tenant', '') FROM river.river_job j
     WHERE j.state = 'available' AND j.queue = $1 ORDER BY 1 LIMIT 1)
    UNION ALL
    SELECT (SELECT coalesce(j.args ->> 'tenant', '') FROM river.river_job j
            WHERE j.state = 'available' AND j.queue = $1 AND coalesce(j.args ->> 'tenant', '') > c.id ORDER BY 1 LIMIT 1)
    FROM companies c WHERE c.id IS NOT NULL
), running (company, jobs) AS MATERIALIZED (
    SELECT coalesce(j.args ->> 'tenant', ''), count(*) FROM river.river_job j
    WHERE j.state = 'running' AND j.queue = $1 AND j.attempted_at > statement_timestamp() - $3::interval GROUP BY 1
), next (id) AS (
    SELECT first.id FROM companies c
    CROSS JOIN LATERAL (
        SELECT j.id FROM river.river_job j
        WHERE j.state = 'available' AND j.queue = $1 AND coalesce(j.args ->> 'tenant', '') = c.id
          AND j.scheduled_at <= statement_timestamp()
        ORDER BY j.scheduled_at, j.id LIMIT 1
    ) first
    CROSS JOIN LATERAL (
        SELECT max(j.attempted_at) AS at FROM river.river_job j
        WHERE j.queue = $1 AND coalesce(j.args ->> 'tenant', '') = c.id AND j.attempted_at IS NOT NULL
    ) served
    LEFT JOIN running r ON r.company = c.id
    ORDER BY coalesce(r.jobs, 0), served.at NULLS FIRST, first.id
    LIMIT 1
)
UPDATE river.river_job j
SET state = 'running', attempt = j.attempt + 1, attempted_at = clock_timestamp(),
    -- River keeps the last hundred instances too.
    attempted_by = array_append(j.attempted_by[greatest(1, coalesce(array_length(j.attempted_by, 1), 0) - 98):], $2)
FROM next WHERE j.id = next.id AND j.state = 'available'
RETURNING j.id
