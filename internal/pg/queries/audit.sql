-- name: InsertAudit :exec
INSERT INTO workspace.audit (tenant_id, id, workspace_id, actor, request_id, action, subject, data)
VALUES (@tenant_id, @id, @workspace_id, @actor, @request_id, @action, @subject, @data);
