-- What is known of a mail with an order, without its document.
-- name: ListOrderMails :many
SELECT m.id, m.key, m.supplier, m.receivers, m.copies, m.subject, m.state, m.reason, m.lines, e.actor, e.created_at
FROM workspace.order_mails m JOIN workspace.order_entries e ON e.tenant_id = m.tenant_id AND e.id = m.id
WHERE m.tenant_id = @tenant_id AND m.workspace_id = @workspace_id AND m.order_no = @order_no ORDER BY m.id DESC LIMIT @most;

-- name: InsertOrderMail :exec
INSERT INTO workspace.order_mails (tenant_id, id, workspace_id, order_no, key, supplier, receivers, copies, reply_to, subject, document, file_name, lines, state,
    particulars)
VALUES (@tenant_id, @id, @workspace_id, @order_no, @key, @supplier, @receivers, @copies, @reply_to, @subject, @document, @file_name, @lines, @state, @particulars);

-- name: GetOrderMailDocument :one
SELECT document, file_name FROM workspace.order_mails
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND order_no = @order_no AND id = @id;

-- Takes a queued mail for this instance.
-- name: ClaimOrderMail :one
UPDATE workspace.order_mails m SET state = 'sending', tries = m.tries + 1, changed_at = now()
FROM workspace.order_entries e
WHERE m.tenant_id = @tenant_id AND m.id = @id AND m.state = 'queued' AND e.tenant_id = m.tenant_id AND e.id = m.id
RETURNING m.receivers, m.copies, m.reply_to, m.subject, m.document, m.file_name, m.tries, e.text;

-- A mail that an instance has claimed and nobody has heard of since.
-- name: GiveOrderMailUp :execrows
UPDATE workspace.order_mails SET state = 'unknown', reason = @reason, changed_at = now()
WHERE tenant_id = @tenant_id AND id = @id AND state = 'sending' AND changed_at < @silent_since;

-- name: GetOrderMailState :one
SELECT state FROM workspace.order_mails WHERE tenant_id = @tenant_id AND id = @id;

-- name: EndOrderMail :exec
UPDATE workspace.order_mails SET state = @state, reason = @reason, changed_at = now()
WHERE tenant_id = @tenant_id AND id = @id AND state = 'sending';

-- The last order to a supplier that did not fail, and what the supplier's record said then.
-- name: GetLastMailTo :one
SELECT e.created_at AS at, m.particulars
FROM workspace.order_mails m JOIN workspace.order_entries e ON e.tenant_id = m.tenant_id AND e.id = m.id
WHERE m.tenant_id = @tenant_id AND m.workspace_id = @workspace_id AND m.supplier = @supplier AND m.state <> 'failed'
ORDER BY m.id DESC LIMIT 1;

-- The latest writes of some fields of a supplier, and its creation, the newest first.
-- name: ListSupplierWrites :many
SELECT e.created_at, e.actor, (e.data ->> 'result' = 'created')::boolean AS created,
    coalesce((SELECT jsonb_object_agg(f.name, e.data -> 'record' -> f.name) FROM unnest(@fields::text[]) AS f (name)
        WHERE jsonb_exists(e.data -> 'record', f.name)), '{}')::jsonb AS written
FROM workspace.events e
WHERE e.tenant_id = @tenant_id AND e.subject = @subject AND e.workspace_id = @workspace_id AND e.slug = 'suppliers'
  AND (jsonb_exists_any(e.data -> 'record', @fields::text[]) OR e.data ->> 'result' = 'created')
ORDER BY e.id DESC LIMIT @most;
