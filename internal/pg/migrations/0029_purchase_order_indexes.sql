-- +goose Up
-- Who drafts a line is told what is on its way of the article.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- What is on its way of an article, by SKU and by product.
-- squawk-ignore require-concurrent-index-creation -- there is no release that has lines yet
CREATE INDEX purchase_order_lines_open_sku ON workspace.purchase_order_lines (tenant_id, workspace_id, sku)
    WHERE status NOT IN ('received', 'cancelled');
-- squawk-ignore require-concurrent-index-creation -- as above
CREATE INDEX purchase_order_lines_open_product ON workspace.purchase_order_lines (tenant_id, workspace_id, product_id)
    WHERE product_id IS NOT NULL AND status NOT IN ('received', 'cancelled');
UPDATE workspace.registry_columns SET indexed = true
WHERE tenant_id = '00000000-0000-0000-0000-000000000000' AND slug = 'purchase_order_lines' AND name = 'product_id';
