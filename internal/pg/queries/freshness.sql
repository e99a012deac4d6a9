-- What the demand and the queue of workspaces were computed from, and what waits to be computed: of all workspaces,
-- or of one. Package freshness judges it. Without something that waits, its time is now. A reader of the outbox that
-- stands still matters to a workspace if records of it came since.
-- name: ReadFreshness :many
SELECT w.tenant_id, w.id AS workspace_id, t.name AS company, w.name AS workspace, coalesce(f.time_zone, w.time_zone)::text AS time_zone,
    coalesce(s.rebuild_began_at, @now::timestamptz)::timestamptz AS rebuild_began_at, (s.rebuilding IS NOT NULL)::boolean AS rebuilding,
    coalesce((SELECT min(c.changed_at) FROM workspace.sales_changed c WHERE c.tenant_id = w.tenant_id AND c.workspace_id = w.id),
        @now)::timestamptz AS sales_since,
    (f.workspace_id IS NOT NULL)::boolean AS has_demand, f.as_of AS demand_as_of, coalesce(f.stale, false)::boolean AS families_stale,
    coalesce(f.stale_since, @now)::timestamptz AS stale_since,
    coalesce(f.computed_at, @now)::timestamptz AS demand_computed_at, coalesce(f.queue_waits_since, @now)::timestamptz AS queue_waits_since,
    coalesce((SELECT min(m.marked_at) FROM workspace.forecast_marks m WHERE m.tenant_id = w.tenant_id AND m.workspace_id = w.id),
        @now)::timestamptz AS demand_marked_since,
    coalesce(q.forecasts_at = f.computed_at, false)::boolean AS queue_has_demand,
    (q.workspace_id IS NULL OR q.playbook_revision = coalesce(b.revision, 0))::boolean AS queue_has_rules,
    coalesce(b.changed_at, @now)::timestamptz AS rules_changed_at,
    coalesce((SELECT min(m.marked_at) FROM workspace.queue_marks m WHERE m.tenant_id = w.tenant_id AND m.workspace_id = w.id),
        @now)::timestamptz AS queue_marked_since,
    coalesce((SELECT r.read_to FROM control.readers r WHERE r.name = 'sales'), @now)::timestamptz AS sales_read_to,
    coalesce((SELECT r.read_to FROM control.readers r WHERE r.name = 'queue'), @now)::timestamptz AS queue_read_to,
    coalesce((SELECT max(g.last_record_at) FROM workspace.source_figures g WHERE g.tenant_id = w.tenant_id AND g.workspace_id = w.id
        AND g.slug IN ('orders', 'order_line_items', 'products')), w.created_at)::timestamptz AS sales_record_at,
    coalesce((SELECT max(g.last_record_at) FROM workspace.source_figures g WHERE g.tenant_id = w.tenant_id AND g.workspace_id = w.id
        AND g.slug IN ('products', 'suppliers', 'purchase_order_lines')), w.created_at)::timestamptz AS queue_record_at
FROM control.workspaces w
JOIN control.tenants t ON t.id = w.tenant_id
LEFT JOIN workspace.sales_settings s ON s.tenant_id = w.tenant_id AND s.workspace_id = w.id
LEFT JOIN workspace.forecast_state f ON f.tenant_id = w.tenant_id AND f.workspace_id = w.id
LEFT JOIN workspace.queue_state q ON q.tenant_id = w.tenant_id AND q.workspace_id = w.id
LEFT JOIN workspace.playbook_state b ON b.tenant_id = w.tenant_id AND b.workspace_id = w.id
WHERE sqlc.narg('tenant_id')::uuid IS NULL OR w.tenant_id = sqlc.narg('tenant_id') AND w.id = sqlc.narg('workspace_id')
ORDER BY w.tenant_id, w.id;
