-- The first few records of each kind whose tokens begin with one of the texts, in order. The
-- last character of Unicode ends a range.
SELECT k.kind, t.token, t.record_id
FROM unnest(@kinds::smallint[]) k (kind) CROSS JOIN unnest(@beginnings::text[]) b (beginning)
CROSS JOIN LATERAL (
    SELECT t.token, t.record_id FROM workspace.search_tokens t
    WHERE t.tenant_id = @tenant AND t.workspace_id = @workspace AND t.kind = k.kind
      AND t.token >= b.beginning AND t.token < b.beginning || chr(1114111)
    ORDER BY t.token, t.record_id LIMIT @most
) t
