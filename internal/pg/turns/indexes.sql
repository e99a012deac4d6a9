-- By them companies take turns (take.sql): what waits by company, and when each company was served last.
CREATE INDEX IF NOT EXISTS river_job_waiting ON river.river_job (queue, (coalesce(args ->> 'tenant', '')), scheduled_at, id)
    WHERE state = 'available';
CREATE INDEX IF NOT EXISTS river_job_served ON river.river_job (queue, (coalesce(args ->> 'tenant', '')), attempted_at)
    WHERE attempted_at IS NOT NULL;
