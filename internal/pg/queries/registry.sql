-- name: TableExists :one
SELECT EXISTS (SELECT FROM workspace.registry_tables
    WHERE tenant_id IN (@tenant_id, '00000000-0000-0000-0000-000000000000') AND slug = @slug) AS found;
