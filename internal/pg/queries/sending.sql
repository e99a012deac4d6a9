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

-- The last order to a supplier that did not fail, and what the supplier's record said then. What somebody else noted as sent with
-- their own program comes after all that was mailed: nothing had to leave for that, and it would hide a change from the next sender.
-- name: GetLastMailTo :one
SELECT e.created_at AS at, m.particulars
FROM workspace.order_mails m JOIN workspace.order_entries e ON e.tenant_id = m.tenant_id AND e.id = m.id
WHERE m.tenant_id = @tenant_id AND m.workspace_id = @workspace_id AND m.supplier = @supplier AND m.state <> 'failed'
ORDER BY (m.state <> 'by_hand' OR e.actor ->> 'id' = @person::text) DESC, m.id DESC LIMIT 1;

-- The last order to a supplier that had this name then, under whatever id. Orders to the supplier itself do not count.
-- name: GetLastMailToNamesake :one
SELECT e.created_at AS at, m.particulars
FROM workspace.order_mails m JOIN workspace.order_entries e ON e.tenant_id = m.tenant_id AND e.id = m.id
WHERE m.tenant_id = @tenant_id AND m.workspace_id = @workspace_id AND m.supplier <> @supplier AND m.state <> 'failed'
  AND lower(e.data ->> 'supplier') = lower(@name::text)
ORDER BY (m.state <> 'by_hand' OR e.actor ->> 'id' = @person::text) DESC, m.id DESC LIMIT 1;

-- The latest writes of some fields of a supplier, and its creation, the newest first.
-- name: ListSupplierWrites :many
SELECT e.created_at, e.actor, (e.data ->> 'result' = 'created')::boolean AS created,
    coalesce((SELECT jsonb_object_agg(f.name, e.data -> 'record' -> f.name) FROM unnest(@fields::text[]) AS f (name)
        WHERE jsonb_exists(e.data -> 'record', f.name)), '{}')::jsonb AS written
FROM workspace.events e
WHERE e.tenant_id = @tenant_id AND e.subject = @subject AND e.workspace_id = @workspace_id AND e.slug = 'suppliers'
  AND (jsonb_exists_any(e.data -> 'record', @fields::text[]) OR e.data ->> 'result' = 'created')
ORDER BY e.id DESC LIMIT @most;
-- The addresses that an admin has allowed for a supplier, beside the supplier's own.
-- name: ListOrderReceivers :many
SELECT address, actor, created_at FROM workspace.order_receivers
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND supplier = @supplier ORDER BY created_at, address;

-- name: AllowOrderReceiver :execrows
INSERT INTO workspace.order_receivers (tenant_id, workspace_id, supplier, address, actor)
VALUES (@tenant_id, @workspace_id, @supplier, @address, @actor) ON CONFLICT DO NOTHING;

-- name: DeleteOrderReceiver :execrows
DELETE FROM workspace.order_receivers
WHERE tenant_id = @tenant_id AND workspace_id = @workspace_id AND supplier = @supplier AND address = @address;

-- Those of the addresses that belong to members of the company.
-- name: ListMembersAmong :many
SELECT u.email FROM control.memberships m JOIN control.users u ON u.id = m.user_id
WHERE m.tenant_id = @tenant_id AND u.email = ANY (@addresses::text[]);

-- Mails of a company are counted one after the other.
-- name: LockMails :exec
SELECT pg_advisory_xact_lock(hashtextextended(@tenant_id::text, hashtext('workspace.order_mails')));

-- The mails of the last day: how old each is, to how many addresses it went, and whether this person sent it. Ids begin
-- with the time, on an instance's clock.
-- name: ListRecentMails :many
SELECT extract(epoch FROM now() - e.created_at)::double precision AS age,
    (cardinality(m.receivers) + cardinality(m.copies))::bigint AS receivers, (e.actor = @actor::jsonb)::boolean AS own
FROM workspace.order_mails m JOIN workspace.order_entries e ON e.tenant_id = m.tenant_id AND e.id = m.id
WHERE m.tenant_id = @tenant_id AND m.id >= @since AND m.state <> 'by_hand' AND e.created_at > now() - interval '1 day';

-- Notes to whom the company mails.
-- name: AddMailedAddresses :execrows
INSERT INTO workspace.mailed_addresses (tenant_id, address)
SELECT @tenant_id, a FROM unnest(@addresses::text[]) AS a ORDER BY a ON CONFLICT DO NOTHING;

-- How long ago each of the addresses became known to which the company has mailed for less than a day.
-- name: ListNewAddresses :many
SELECT extract(epoch FROM now() - since)::double precision AS age FROM workspace.mailed_addresses
WHERE tenant_id = @tenant_id AND since > now() - interval '1 day';
