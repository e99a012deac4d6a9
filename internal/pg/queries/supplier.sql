-- A purchase order line belongs to the supplier that it names. A line that names none is in no figure.

-- name: GetSupplier :one
SELECT s.id, s.external_id, s.name, s.active, s.contact_name, s.email, s.phone, s.country, s.currency, s.note,
    s.lead_time_days, s.order_cycle_days, s.min_order_value, s.free_shipping_value, s.payment_terms_days
FROM workspace.suppliers s
WHERE s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id AND s.id = @supplier_id;

-- Lines that are neither received nor cancelled, by expected arrival; those without a day come last.
-- name: ListSupplierOpen :many
SELECT l.id, l.order_no, l.status, l.sku, l.product_id, l.product_name, l.quantity_ordered, l.quantity_received, l.price_per_unit,
    l.currency, l.expected_arrival_date
FROM workspace.purchase_order_lines l
WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.supplier_id = @supplier_id::text
  AND l.status NOT IN ('received', 'cancelled')
ORDER BY l.expected_arrival_date, l.id LIMIT @most;

-- What was ordered since a day, by currency, among the newest lines. Of a line that was closed short
-- only what came was bought. Cancelled lines are left out, and so are amounts that cannot be true; these are counted.
-- name: SumBought :many
WITH newest AS MATERIALIZED (
    SELECT n.status, n.quantity_ordered, n.quantity_received, n.price_per_unit, n.currency, n.ordered_at
    FROM workspace.purchase_order_lines n
    WHERE n.tenant_id = @tenant_id AND n.workspace_id = @workspace_id AND n.supplier_id = @supplier_id::text
    ORDER BY n.id DESC LIMIT @searched
)
SELECT coalesce(l.currency, '')::text AS currency, count(*) AS lines, count(*) FILTER (WHERE l.price_per_unit IS NULL) AS unpriced,
    coalesce(sum(l.price_per_unit * b.quantity) FILTER (WHERE workspace.plausible_cost(b.quantity, l.price_per_unit)), 0)::numeric AS amount,
    count(*) FILTER (WHERE NOT workspace.plausible_cost(b.quantity, l.price_per_unit)) AS left_out,
    (SELECT count(*) FROM newest)::bigint AS searched
FROM newest l
CROSS JOIN LATERAL (SELECT CASE WHEN l.status = 'received' THEN l.quantity_received ELSE l.quantity_ordered END AS quantity) b
WHERE l.ordered_at >= @since::timestamptz AND l.status IN ('ordered', 'partially_received', 'received')
GROUP BY 1 ORDER BY 1;

-- The last price of each article, and the last one before that was another, in the same currency.
-- The largest rises come first. The newest lines are searched.
-- name: ListSupplierPrices :many
WITH newest AS (
    SELECT n.id, n.sku, n.order_no, n.status, n.product_id, n.product_name, n.price_per_unit, coalesce(n.currency, '') AS currency,
        coalesce(n.ordered_at, n.created_at) AS at
    FROM workspace.purchase_order_lines n
    WHERE n.tenant_id = @tenant_id AND n.workspace_id = @workspace_id AND n.supplier_id = @supplier_id::text
    ORDER BY n.id DESC LIMIT @searched
), paid AS (
    SELECT n.id, n.sku, n.order_no, n.product_id, n.product_name, n.price_per_unit AS price, n.currency, n.at,
        first_value(n.price_per_unit) OVER latest_first AS last_price, first_value(n.at) OVER latest_first AS last_at,
        first_value(n.order_no) OVER latest_first AS last_order_no, first_value(n.id) OVER latest_first AS last_id
    FROM newest n
    WHERE n.status IN ('ordered', 'partially_received', 'received') AND n.price_per_unit > 0
    WINDOW latest_first AS (PARTITION BY n.sku, n.currency ORDER BY n.at DESC, n.id DESC)
), changed AS (
    SELECT DISTINCT ON (p.sku, p.currency) p.sku, p.currency, p.product_id, p.product_name, p.last_price, p.last_at, p.last_order_no,
        p.last_id, p.price AS price_before, p.at AS before_at, p.order_no AS order_no_before, p.id AS id_before
    FROM paid p WHERE p.price <> p.last_price ORDER BY p.sku, p.currency, p.at DESC, p.id DESC
)
SELECT c.sku, c.currency::text AS currency, c.product_id, c.product_name, c.last_price::numeric AS last_price, c.last_at::timestamptz AS last_at,
    c.last_order_no::text AS last_order_no, c.last_id::text AS last_id, c.price_before::numeric AS price_before, c.before_at::timestamptz AS before_at,
    c.order_no_before, c.id_before
FROM changed c
ORDER BY c.last_price / c.price_before DESC, c.sku, c.currency LIMIT @most;

-- The latest lines that were fully received.
-- name: ListDeliveries :many
SELECT l.id, l.order_no, l.sku, l.product_id, l.product_name, l.quantity_received, l.expected_arrival_date,
    (l.received_at AT TIME ZONE @time_zone::text)::date AS came_on
FROM workspace.purchase_order_lines l
WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.supplier_id = @supplier_id::text AND l.status = 'received'
  AND l.received_at IS NOT NULL
ORDER BY l.received_at DESC, l.id DESC LIMIT @most;

-- The newest lines, for what was done with them.
-- name: ListSupplierLines :many
SELECT l.id, l.order_no FROM workspace.purchase_order_lines l
WHERE l.tenant_id = @tenant_id AND l.workspace_id = @workspace_id AND l.supplier_id = @supplier_id::text
ORDER BY l.id DESC LIMIT @most;

-- The articles that a supplier delivers, by name, with what the queue says of them. Archived ones
-- are left out.
-- name: ListArticlesOfSupplier :many
SELECT p.id, p.sku, p.external_id, p.name, p.variant_name, p.supplier_sku, p.stock_available, p.unit_cost, p.cost_currency,
    (r.product_id IS NOT NULL)::boolean AS planned, r.available, coalesce(r.open_purchase_order_quantity, 0)::double precision AS incoming,
    r.days_of_cover, r.unit_price, r.currency,
    (CASE WHEN r.action = 'order' AND r.locked_by_line_id IS NULL AND r.suppressed_until IS NULL THEN r.suggested_quantity ELSE 0 END)::double precision AS suggested
FROM (
    SELECT a.tenant_id, a.workspace_id, a.id, a.sku, a.external_id, a.name, a.variant_name, a.supplier_sku, a.stock_available, a.unit_cost, a.cost_currency
    FROM workspace.products a
    WHERE a.tenant_id = @tenant_id AND a.workspace_id = @workspace_id AND a.supplier_id = @supplier_id::text
      AND a.status IS DISTINCT FROM 'archived'
      AND (@after::text = '' OR (a.name, a.id) > (SELECT b.name, b.id FROM workspace.products b WHERE b.tenant_id = @tenant_id AND b.id = @after))
    ORDER BY a.name, a.id LIMIT @most
) p
LEFT JOIN workspace.queue_rows r ON r.tenant_id = p.tenant_id AND r.workspace_id = p.workspace_id AND r.product_id = p.id
ORDER BY p.name, p.id;

-- Orders of which nothing of this supplier is open any more, by their newest line of the supplier. Each
-- question is one look into an index: a join could compare all lines of a long order with each other.
-- name: ListSupplierOrders :many
SELECT l.id, l.order_no, coalesce(l.ordered_at, l.created_at)::timestamptz AS ordered_at
FROM (
    SELECT n.tenant_id, n.workspace_id, n.supplier_id, n.id, n.order_no, n.ordered_at, n.created_at
    FROM workspace.purchase_order_lines n
    WHERE n.tenant_id = @tenant_id AND n.workspace_id = @workspace_id AND n.supplier_id = @supplier_id::text
      AND (@before::text = '' OR n.id < @before)
      AND (SELECT 1 FROM workspace.purchase_order_lines m
        WHERE m.tenant_id = n.tenant_id AND m.workspace_id = n.workspace_id AND m.order_no = n.order_no AND m.supplier_id = n.supplier_id
          AND m.id > n.id LIMIT 1) IS NULL
    ORDER BY n.id DESC OFFSET 0
) l
WHERE (SELECT 1 FROM workspace.purchase_order_lines o
    WHERE o.tenant_id = l.tenant_id AND o.workspace_id = l.workspace_id AND o.order_no = l.order_no AND o.supplier_id = l.supplier_id
      AND o.status NOT IN ('received', 'cancelled') LIMIT 1) IS NULL
ORDER BY l.id DESC LIMIT @most;

-- What orders have of a supplier, by currency. Cancelled lines cost nothing.
-- name: SumSupplierOrders :many
SELECT s.order_no, s.currency, sum(s.lines)::bigint AS lines, sum(s.live)::bigint AS live, sum(s.total)::numeric AS total, sum(s.received)::numeric AS received
FROM workspace.purchase_order_sums s
WHERE s.tenant_id = @tenant_id AND s.workspace_id = @workspace_id AND s.order_no = ANY (@orders::text[]) AND s.supplier_id = @supplier_id::text
  AND s.lines > 0
GROUP BY s.order_no, s.currency ORDER BY s.order_no, s.currency;
