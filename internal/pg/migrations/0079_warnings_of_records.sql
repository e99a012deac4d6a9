-- +goose Up
-- What is stored although its sender probably meant something else: the snapshot of a purchase order line says what is
-- wrong with the line's SKU, and sources count warnings by the hour.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- As in migration 0007, with one more column: why the line's SKU does not lead to the line's article. It is null if the
-- article has the SKU. The columns before it stay as they are, for processes of the version before.
DROP FUNCTION workspace.line_snapshot(uuid, uuid, text, text, text);
CREATE FUNCTION workspace.line_snapshot(
    of_tenant uuid, of_workspace uuid, line_sku text, line_product_id text, line_supplier_id text
) RETURNS TABLE (product_name text, supplier_name text, variant_external_id text, product_external_id text, sku_warning text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT p.name, s.name, p.external_id, p.product_external_id,
        CASE WHEN line_sku IS NULL OR p.sku = line_sku THEN NULL
            WHEN line_product_id IS NULL THEN CASE WHEN found.articles = 0 THEN 'sku_unknown' ELSE 'sku_ambiguous' END
            WHEN (SELECT true FROM workspace.products o
                WHERE o.tenant_id = of_tenant AND o.workspace_id = of_workspace AND o.sku = line_sku LIMIT 1) THEN 'sku_product_mismatch'
            ELSE 'sku_unknown' END
    FROM (
        SELECT count(*) AS articles, CASE WHEN count(c.external_id) < 2 THEN min(c.id) FILTER (WHERE c.place = 1) END AS id
        FROM (
            SELECT c.id, c.external_id, row_number() OVER (ORDER BY c.external_id NULLS LAST) AS place
            FROM workspace.products c
            WHERE line_product_id IS NULL AND c.tenant_id = of_tenant AND c.workspace_id = of_workspace AND c.sku = line_sku
            LIMIT 2
        ) c
    ) found
    LEFT JOIN LATERAL (
        SELECT p.name, p.sku, p.external_id, p.product_external_id, p.supplier_id FROM workspace.products p
        WHERE p.tenant_id = of_tenant AND p.workspace_id = of_workspace
          AND p.id = CASE WHEN line_product_id IS NOT NULL THEN line_product_id ELSE found.id END LIMIT 1
    ) p ON true
    LEFT JOIN LATERAL (
        SELECT s.name FROM workspace.suppliers s
        WHERE s.tenant_id = of_tenant AND s.workspace_id = of_workspace
          AND s.id = CASE WHEN line_supplier_id IS NOT NULL THEN line_supplier_id ELSE p.supplier_id END LIMIT 1
    ) s ON true
$$;
REVOKE EXECUTE ON FUNCTION workspace.line_snapshot(uuid, uuid, text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION workspace.line_snapshot(uuid, uuid, text, text, text) TO quayside_app, quayside_system;

-- How many accepted records were answered with each code.
ALTER TABLE workspace.source_hours ADD COLUMN warned jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(warned) = 'object');

-- add_counts adds two objects of counts.
CREATE FUNCTION workspace.add_counts(a jsonb, b jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(jsonb_object_agg(c.name, c.n), '{}') FROM (
        SELECT e.key AS name, sum(e.value::bigint) AS n
        FROM (SELECT * FROM jsonb_each_text(a) UNION ALL SELECT * FROM jsonb_each_text(b)) e GROUP BY e.key) c
$$;
REVOKE EXECUTE ON FUNCTION workspace.add_counts(jsonb, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION workspace.add_counts(jsonb, jsonb) TO quayside_app;
