-- One page of orders. Every filter with every sort is a statement of its own: PostgreSQL uses
-- a partial index only if its condition stands in the statement's text, and plans once only if
-- the text gives the limit.
SELECT o.order_no, o.newest_id, o.version, o.lines, o.draft, o.pending_approval, o.ordered, o.partially_received, o.received, o.closed_short,
    o.cancelled, o.unresolved + o.flags AS flags, nullif(o.next_arrival, 'infinity') AS next_arrival, o.suppliers, o.updated_at,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('supplier_name', s.supplier_name, 'currency', s.currency, 'total', s.total::text, 'ordered', s.ordered::text,
        'received', s.received::text, 'given_up', s.given_up::text, 'expected', s.expected::text) ORDER BY s.supplier_name, s.currency), '[]')
     FROM workspace.purchase_order_sums s
     WHERE s.tenant_id = o.tenant_id AND s.workspace_id = o.workspace_id AND s.order_no = o.order_no AND s.lines > 0) AS sums
FROM workspace.purchase_orders o
WHERE o.tenant_id = @tenant AND o.workspace_id = @workspace AND o.lines > 0 AND /*filter*/ AND /*after*/ AND /*words*/
ORDER BY /*sort*/ LIMIT /*most*/
