-- +goose Up
-- The page of an article reads all purchase order lines of the article, and the latest ones of its
-- supplier.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- A line belongs to the product that it names. A line that names none belongs to its SKU.
-- squawk-ignore require-concurrent-index-creation -- there is no release that has lines yet
CREATE INDEX purchase_order_lines_product ON workspace.purchase_order_lines (tenant_id, workspace_id, product_id, id)
    WHERE product_id IS NOT NULL;
-- squawk-ignore require-concurrent-index-creation -- as above
CREATE INDEX purchase_order_lines_sku ON workspace.purchase_order_lines (tenant_id, workspace_id, sku, id)
    WHERE product_id IS NULL;
-- squawk-ignore require-concurrent-index-creation -- as above
CREATE INDEX purchase_order_lines_supplier ON workspace.purchase_order_lines (tenant_id, workspace_id, supplier_id, received_at)
    WHERE status = 'received' AND supplier_id IS NOT NULL;
UPDATE workspace.registry_columns SET indexed = true
WHERE tenant_id = '00000000-0000-0000-0000-000000000000' AND slug = 'purchase_order_lines' AND name IN ('supplier_id', 'received_at');
