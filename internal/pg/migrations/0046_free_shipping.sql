-- +goose Up
-- From which value of an order on a supplier charges nothing for shipping.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

ALTER TABLE workspace.suppliers ADD COLUMN free_shipping_value numeric
    CHECK (free_shipping_value >= 0 AND free_shipping_value < 'Infinity');

-- It comes after min_order_value.
UPDATE workspace.registry_columns SET position = position + 1
WHERE tenant_id = '00000000-0000-0000-0000-000000000000' AND slug = 'suppliers' AND position > 9;
INSERT INTO workspace.registry_columns (tenant_id, slug, position, name, type, minimum, example, description)
VALUES ('00000000-0000-0000-0000-000000000000', 'suppliers', 10, 'free_shipping_value', 'number', 0, '600.00',
    'From this value on, the supplier ships an order free of charge.');
