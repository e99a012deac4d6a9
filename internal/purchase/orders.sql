-- One page of orders. Every filter with every sort is a statement of its own: an index that
-- holds some rows only is used where its condition stands in the statement's text.
SELECT o.order_no, o.newest_id, o.version, o.lines, o.draft, o.pending_approval, o.ordered, o.partially_received, o.received, o.closed_short,
    o.cancelled, o.unresolved + o.flags AS flags, nullif(o.next_arrival, 'infinity') AS next_arrival, o.suppliers, o.updated_at
FROM workspace.purchase_orders o
WHERE o.tenant_id = @tenant AND o.workspace_id = @workspace AND o.lines > 0 AND /*filter*/ AND /*after*/ AND (@words = '' OR EXISTS (
    SELECT FROM workspace.purchase_order_lines l
    WHERE l.tenant_id = o.tenant_id AND l.workspace_id = o.workspace_id AND l.order_no = o.order_no
      AND position(lower(@words) IN lower(l.order_no || ' ' || l.sku || ' ' || coalesce(l.product_name, '') || ' ' || coalesce(l.supplier_name, ''))) > 0))
ORDER BY /*sort*/ LIMIT @most
