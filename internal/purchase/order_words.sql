-- Orders with these words in a number, article or supplier. No index can be used: row security
-- forbids it for a search inside a text.
EXISTS (
    SELECT FROM workspace.purchase_order_lines l
    WHERE l.tenant_id = o.tenant_id AND l.workspace_id = o.workspace_id AND l.order_no = o.order_no
      AND position(lower(@words) IN lower(l.order_no || ' ' || l.sku || ' ' || coalesce(l.product_name, '') || ' ' || coalesce(l.supplier_name, ''))) > 0)
