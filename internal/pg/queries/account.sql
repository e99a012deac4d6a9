-- name: InsertTenant :exec
INSERT INTO control.tenants (id, name) VALUES (@id, @name);

-- name: InsertWorkspace :exec
INSERT INTO control.workspaces (tenant_id, id, name) VALUES (@tenant_id, @id, @name);

-- Every tenant with its first workspace, the oldest first.
-- name: ListTenants :many
SELECT DISTINCT ON (t.id) t.id, t.name, w.id AS workspace_id, t.suspended_at, t.suspended_because, t.delete_after,
    t.outbound_allow
FROM control.tenants t JOIN control.workspaces w ON w.tenant_id = t.id
ORDER BY t.id, w.created_at, w.id;

-- The first workspace is the tenant's default.
-- name: ListWorkspaces :many
SELECT id, name, time_zone, base_currency, locale, week_start, address, delivery_address, order_contact, order_email, vat_id,
    version, created_at FROM control.workspaces
WHERE tenant_id = @tenant_id
ORDER BY created_at, id;

-- name: LockWorkspace :one
SELECT id, name, time_zone, base_currency, locale, week_start, address, delivery_address, order_contact, order_email, vat_id,
    version, created_at FROM control.workspaces
WHERE tenant_id = @tenant_id AND id = @id FOR UPDATE;

-- name: AddWorkspace :one
INSERT INTO control.workspaces (tenant_id, id, name, time_zone, base_currency, locale, week_start,
    address, delivery_address, order_contact, order_email, vat_id)
VALUES (@tenant_id, @id, @name, @time_zone, @base_currency, @locale, @week_start,
    @address, @delivery_address, @order_contact, @order_email, @vat_id)
RETURNING id, name, time_zone, base_currency, locale, week_start, address, delivery_address, order_contact, order_email, vat_id,
    version, created_at;

-- name: ChangeWorkspace :one
UPDATE control.workspaces
SET name = @name, time_zone = @time_zone, base_currency = @base_currency, locale = @locale,
    week_start = @week_start, address = @address, delivery_address = @delivery_address, order_contact = @order_contact,
    order_email = @order_email, vat_id = @vat_id, version = version + 1
WHERE tenant_id = @tenant_id AND id = @id
RETURNING id, name, time_zone, base_currency, locale, week_start, address, delivery_address, order_contact, order_email, vat_id,
    version, created_at;

-- name: GetLife :one
SELECT name, suspended_at, suspended_because, delete_after FROM control.tenants WHERE id = @id;

-- name: LockLife :one
SELECT name, suspended_at, suspended_because, delete_after FROM control.tenants WHERE id = @id FOR UPDATE;

-- name: SetLife :exec
UPDATE control.tenants SET suspended_at = @suspended_at, suspended_because = @suspended_because, delete_after = @delete_after
WHERE id = @id;

-- The operator's own networks that a company's connections may reach; NULL: all of them.
-- name: GetOutboundAllow :one
SELECT outbound_allow FROM control.tenants WHERE id = @id;

-- name: LockOutboundAllow :one
SELECT name, outbound_allow FROM control.tenants WHERE id = @id FOR UPDATE;

-- name: SetOutboundAllow :exec
UPDATE control.tenants SET outbound_allow = @outbound_allow WHERE id = @id;

-- name: SuspendKeys :exec
UPDATE workspace.api_keys SET suspended = @suspended WHERE tenant_id = @tenant_id AND suspended <> @suspended;

-- name: SuspendConnections :exec
UPDATE workspace.connections SET suspended = @suspended WHERE tenant_id = @tenant_id AND suspended <> @suspended;
