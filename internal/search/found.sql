-- Those of the records that have all the words now, with what identifies them to people.
-- Tables and saved views are few, so their names are scanned. A view that has a search is a
-- view of a list.
(SELECT 1::smallint AS kind, r.order_no AS id, 'purchase_orders' AS place, r.order_no AS label, '' AS code, coalesce((
    SELECT min(s.supplier_name) FROM workspace.purchase_order_sums s
    WHERE s.tenant_id = r.tenant_id AND s.workspace_id = r.workspace_id AND s.order_no = r.order_no AND s.lines > 0), '') AS detail,
    NULL::jsonb AS search
FROM workspace.purchase_orders r
WHERE r.tenant_id = @tenant AND r.workspace_id = @workspace AND r.order_no = ANY (@ids1::text[])
  AND workspace.has_words(workspace.purchase_orders_tokens(r), @words) LIMIT @most)
UNION ALL
(SELECT 2 AS kind, r.id, 'suppliers', r.name, r.external_id, coalesce(r.contact_name, r.email, ''), NULL
FROM workspace.suppliers r
WHERE r.tenant_id = @tenant AND r.workspace_id = @workspace AND r.id = ANY (@ids2::text[])
  AND workspace.has_words(workspace.suppliers_tokens(r), @words) LIMIT @most)
UNION ALL
(SELECT 3 AS kind, r.id, 'products', r.name, coalesce(r.sku, r.external_id), coalesce(r.variant_name, ''), NULL
FROM workspace.products r
WHERE r.tenant_id = @tenant AND r.workspace_id = @workspace AND r.id = ANY (@ids3::text[])
  AND workspace.has_words(workspace.products_tokens(r), @words) LIMIT @most)
UNION ALL
(SELECT 4 AS kind, r.id, 'customers', coalesce(r.name, r.company, r.email, r.external_id), r.external_id, coalesce(r.email, r.company, ''), NULL
FROM workspace.customers r
WHERE r.tenant_id = @tenant AND r.workspace_id = @workspace AND r.id = ANY (@ids4::text[])
  AND workspace.has_words(workspace.customers_tokens(r), @words) LIMIT @most)
UNION ALL
(SELECT 5 AS kind, r.id, 'orders', coalesce(r.order_number, r.external_id), r.external_id, coalesce(r.customer_email, ''), NULL
FROM workspace.orders r
WHERE r.tenant_id = @tenant AND r.workspace_id = @workspace AND r.id = ANY (@ids5::text[])
  AND workspace.has_words(workspace.orders_tokens(r), @words) LIMIT @most)
UNION ALL
(SELECT 6 AS kind, r.id::text, r.slug, coalesce(r.record_key, ''), '', r.message, NULL
FROM workspace.failed_imports r
WHERE r.tenant_id = @tenant AND r.workspace_id = @workspace AND r.id = ANY (@ids6::uuid[])
  AND workspace.has_words(workspace.failed_imports_tokens(r), @words) LIMIT @most)
UNION ALL
(SELECT 7, r.slug, r.slug, r.title, '', '', NULL
FROM workspace.registry_tables r
WHERE r.tenant_id IN (@tenant, '00000000-0000-0000-0000-000000000000') AND r.storage <> 'extension' AND r.retired_at IS NULL
  AND workspace.has_words(workspace.tokens_of(ARRAY[r.slug], r.title), @words) LIMIT @most)
UNION ALL
(SELECT 8, r.id::text, r.slug, r.name, '', '', CASE WHEN r.list THEN coalesce(r.definition->'search', '{}') END
FROM workspace.saved_views r
WHERE r.tenant_id = @tenant AND r.workspace_id = @workspace AND (r.shared OR r.owner_id = @person)
  AND (NOT r.list OR r.slug = ANY (@lists::text[]))
  AND workspace.has_words(workspace.tokens_of('{}', r.name), @words) LIMIT @most)
