-- +goose Up
-- Every number has a least and a greatest plausible value, and every text a length, by what the column means. What is
-- stored already stays as it is, so the tables have no constraints for these bounds.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- Whether the column says when something happened. A date before 2000 or after tomorrow is stored there, and its sender
-- is warned.
ALTER TABLE workspace.registry_columns ADD COLUMN records_past boolean NOT NULL DEFAULT false
    CHECK (NOT records_past OR type IN ('date', 'datetime'));

UPDATE workspace.registry_columns SET records_past = true
WHERE tenant_id = '00000000-0000-0000-0000-000000000000' AND (slug, name) IN (
    ('orders', 'ordered_at'), ('orders', 'cancelled_at'), ('customers', 'source_created_at'),
    ('products', 'stock_updated_at'), ('purchase_order_lines', 'ordered_at'), ('purchase_order_lines', 'received_at'));

-- A quantity or an amount of money, unless the name says more. One without a minimum may be negative: a refund, stock that
-- was sold before it was counted.
UPDATE workspace.registry_columns SET
    minimum = coalesce(minimum, -1000000000000),
    maximum = CASE WHEN name LIKE '%\_days' THEN 3650 WHEN name LIKE '%\_minutes' THEN 1000000 ELSE 1000000000000 END
WHERE tenant_id = '00000000-0000-0000-0000-000000000000' AND type = 'number';

-- Choices and formats limit their texts already.
UPDATE workspace.registry_columns c SET max_length = l.length
FROM (VALUES
    (100, '{phone}'::text[]),
    (200, '{channel,country,external_system,financial_status,fulfillment_status,language,locale,source}'),
    (320, '{customer_email,email,organizer_email}'),
    (500, '{barcode,created_by_run_id,external_line_id,external_po_id,order_number,product_external_id,sku,supplier_sku,variant_external_id}'),
    (1000, '{category,city,company,contact_name,family,name,product_name,supplier_name,title,variant_name,vendor}'),
    (2000, '{image_url,url}'),
    (100000, '{action_items,attendees,note,summary,tags}'),
    (1000000, '{transcript}')
) l (length, names)
WHERE c.tenant_id = '00000000-0000-0000-0000-000000000000' AND c.type = 'text' AND c.choices IS NULL
    AND c.format IS NULL AND c.max_length IS NULL AND c.name = ANY (l.names);
