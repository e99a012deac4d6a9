-- name: InsertAgentRun :exec
INSERT INTO workspace.agent_runs (tenant_id, id, workspace_id, dry, day, status, started_by)
VALUES (@tenant_id, @id, @workspace_id, @dry, sqlc.narg('day'), 'queued', @started_by);

-- Runs before another, the newest first, with how their decisions came out.
-- name: ListAgentRuns :many
SELECT r.id, r.dry, r.day, r.status, r.started_by, r.message, r.created_at, r.decided_at, r.ended_at, r.undone_at, r.undone_by,
    coalesce(r.inputs->>'queue_computed_at', '')::text AS queue_computed_at,
    coalesce((r.inputs->>'config_version')::bigint, 0)::bigint AS config_version,
    coalesce((r.inputs->>'playbook_revision')::bigint, 0)::bigint AS playbook_revision,
    coalesce(d.chosen, 0)::bigint AS chosen, coalesce(d.skipped, 0)::bigint AS skipped, coalesce(d.drafted, 0)::bigint AS drafted,
    coalesce(d.submitted, 0)::bigint AS submitted, coalesce(d.refused, 0)::bigint AS refused, coalesce(d.undone, 0)::bigint AS undone,
    coalesce(d.kept, 0)::bigint AS kept
FROM workspace.agent_runs r
LEFT JOIN LATERAL (
    SELECT count(*) FILTER (WHERE a.rule = 'draft') AS chosen, count(*) FILTER (WHERE a.rule <> 'draft') AS skipped,
        count(*) FILTER (WHERE a.outcome = 'drafted') AS drafted, count(*) FILTER (WHERE a.outcome = 'submitted') AS submitted,
        count(*) FILTER (WHERE a.outcome = 'refused') AS refused, count(*) FILTER (WHERE a.outcome = 'undone') AS undone,
        count(*) FILTER (WHERE a.outcome = 'kept') AS kept
    FROM workspace.agent_decisions a WHERE a.tenant_id = r.tenant_id AND a.run_id = r.id
) d ON true
WHERE r.tenant_id = @tenant_id AND r.workspace_id = @workspace_id
  AND (sqlc.narg('id')::uuid IS NULL OR r.id = sqlc.narg('id')) AND r.id < @before
ORDER BY r.id DESC LIMIT @most;

-- Locks a run until the transaction ends, so that two workers take turns.
-- name: LockAgentRun :one
SELECT id, dry, status, inputs, undone_at FROM workspace.agent_runs
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id FOR UPDATE;

-- name: DecideAgentRun :exec
UPDATE workspace.agent_runs SET status = 'running', inputs = @inputs, decided_at = now()
WHERE tenant_id = @tenant_id AND id = @id AND status = 'queued';

-- name: EndAgentRun :execrows
UPDATE workspace.agent_runs SET status = @status, message = @message, ended_at = now()
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND id = @id AND status IN ('queued', 'running');

-- name: UndoAgentRun :exec
UPDATE workspace.agent_runs SET undone_at = now(), undone_by = @undone_by
WHERE tenant_id = @tenant_id AND id = @id;

-- name: AddAgentDecisions :exec
WITH given AS MATERIALIZED (SELECT json_populate_recordset(NULL::workspace.agent_decisions, @decisions::json) AS r)
INSERT INTO workspace.agent_decisions (tenant_id, run_id, n, product_id, recommendation_key, sku, name, supplier_id, supplier_name,
    quantity, cost, currency, rule, sentence)
SELECT @tenant_id, @run_id, (g.r).n, (g.r).product_id, (g.r).recommendation_key, (g.r).sku, (g.r).name, (g.r).supplier_id,
    (g.r).supplier_name, (g.r).quantity, (g.r).cost, (g.r).currency, (g.r).rule, (g.r).sentence
FROM given g;

-- Decisions after one, in their order: of all, of those to draft, or of those that were left out.
-- name: ListAgentDecisions :many
SELECT d.n, d.product_id, d.recommendation_key, d.sku, d.name, d.supplier_id, d.supplier_name, d.quantity, d.cost, d.currency, d.rule,
    d.sentence, d.outcome, d.note, d.line_id, d.line_version, d.order_no
FROM workspace.agent_decisions d
WHERE d.tenant_id = @tenant_id AND d.run_id = @run_id AND d.n > @after
  AND (sqlc.narg('chosen')::boolean IS NULL OR (d.rule = 'draft') = sqlc.narg('chosen'))
ORDER BY d.n LIMIT @most;

-- Notes what came of a decision. What was undone stays so: of two calls that undo a run at once, the
-- second finds its lines changed.
-- name: NoteAgentDecision :exec
UPDATE workspace.agent_decisions SET outcome = @outcome, note = @note, line_id = sqlc.narg('line_id'), line_version = sqlc.narg('line_version'),
    order_no = @order_no
WHERE tenant_id = @tenant_id AND run_id = @run_id AND n = @n AND outcome <> 'undone';

-- A line that the agent drafted in a run, and whether the agent submitted it too.
-- name: FindRunLine :one
SELECT l.id, l.order_no, (l.status = 'pending_approval' AND coalesce(a.submitted_by ->> 'id', '') = @agent::text)::boolean AS submitted
FROM workspace.purchase_order_lines l
LEFT JOIN workspace.line_approvals a ON a.tenant_id = l.tenant_id AND a.line_id = l.id
WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.recommendation_key = @recommendation_key::text
  AND l.created_by_agent_id = @agent_id::uuid AND l.created_by_run_id = @run_id::text
ORDER BY l.id LIMIT 1;

-- The state of the queue, and whether it follows from the demand and the rules of today.
-- name: GetQueueFreshness :one
SELECT f.time_zone, s.as_of, s.computed_at, s.playbook_revision,
    (f.as_of = d.today AND s.as_of = d.today AND s.forecasts_at = f.computed_at
      AND s.playbook_revision = coalesce(b.revision, 0))::boolean AS fresh,
    d.today::date AS today
FROM workspace.forecast_state f
CROSS JOIN LATERAL (SELECT timezone(f.time_zone, @now::timestamptz)::date AS today) d
JOIN workspace.queue_state s ON s.tenant_id = f.tenant_id AND s.workspace_id = f.workspace_id
LEFT JOIN workspace.playbook_state b ON b.tenant_id = f.tenant_id AND b.workspace_id = f.workspace_id
WHERE f.tenant_id = @tenant_id AND f.workspace_id = @workspace_id;

-- Workspaces whose agent may be due: a version of their config lets it run daily, and it has not
-- run today. Read across tenants; the config in force decides.
-- name: FindDailyAgents :many
SELECT DISTINCT s.tenant_id, s.workspace_id, s.as_of
FROM workspace.playbook_versions v
JOIN workspace.queue_state s ON s.tenant_id = v.tenant_id AND s.workspace_id = v.workspace_id
WHERE v.kind = 'config' AND v.content @> '{"values": {"agent_daily": true}}'
  AND NOT EXISTS (SELECT FROM workspace.agent_runs r
    WHERE r.tenant_id = s.tenant_id AND r.workspace_id = s.workspace_id AND r.day >= s.as_of)
ORDER BY s.tenant_id, s.workspace_id;

-- The agents of a workspace, those whose tokens have ended included.
-- name: ListAgents :many
SELECT DISTINCT t.agent_id::uuid AS id, t.label FROM workspace.tokens t
WHERE t.tenant_id = @tenant_id AND t.workspace_id = @workspace_id AND t.agent_id IS NOT NULL
ORDER BY t.label, 1 LIMIT @most;

-- The names that tokens give to agents: the newest of each.
-- name: ListAgentNames :many
SELECT DISTINCT ON (t.agent_id) t.agent_id::uuid AS agent_id, t.label FROM workspace.tokens t
WHERE t.tenant_id = @tenant_id AND t.agent_id = ANY (@ids::uuid[])
ORDER BY t.agent_id, t.created_at DESC;
