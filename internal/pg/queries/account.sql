-- name: InsertTenant :exec
INSERT INTO control.tenants (id, name) VALUES (@id, @name);

-- name: InsertWorkspace :exec
INSERT INTO control.workspaces (tenant_id, id, name) VALUES (@tenant_id, @id, @name);

-- The tenant's first workspace is the one meant when none is named.
-- name: ListWorkspaces :many
SELECT id, name, time_zone, base_currency, locale, created_at FROM control.workspaces
WHERE tenant_id = @tenant_id
ORDER BY created_at, id;
