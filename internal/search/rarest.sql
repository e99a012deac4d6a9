-- The records of each kind that have the rarest of several words, in a code or a name. Only
-- the first part of a range is read; size shows whether there was more.
SELECT k.kind, rarest.size, t.record_id
FROM unnest(@kinds::smallint[]) k (kind)
CROSS JOIN LATERAL (
    SELECT w.word, size.size FROM unnest(@words::text[]) w (word)
    CROSS JOIN LATERAL (
        SELECT count(*) AS size FROM (VALUES ('#'), ('')) m (mark)
        CROSS JOIN LATERAL (
            SELECT FROM workspace.search_tokens t
            WHERE t.tenant_id = @tenant AND t.workspace_id = @workspace AND t.kind = k.kind
              AND t.token >= m.mark || w.word AND t.token < m.mark || w.word || chr(1114111)
            LIMIT @most + 1
        ) t
    ) size
    ORDER BY size.size, w.word LIMIT 1
) rarest
CROSS JOIN (VALUES ('#'), ('')) m (mark)
CROSS JOIN LATERAL (
    SELECT t.record_id FROM workspace.search_tokens t
    WHERE t.tenant_id = @tenant AND t.workspace_id = @workspace AND t.kind = k.kind
      AND t.token >= m.mark || rarest.word AND t.token < m.mark || rarest.word || chr(1114111)
    ORDER BY t.token, t.record_id LIMIT @most
) t
