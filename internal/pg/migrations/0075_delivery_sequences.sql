-- +goose Up
-- The sequences by which senders order their deliveries of a record, so that one that comes late overwrites nothing
-- (docs/decisions/0043). Records that were sent without one have no row here and cost nothing.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- A sequence is a whole number as 19 digits, or a time in UTC with nine decimals of its seconds, 30 characters: those of
-- one kind have one length and compare as text.
CREATE TABLE workspace.record_sequences (
    tenant_id uuid NOT NULL,
    record_id text COLLATE "C" NOT NULL,
    sequence text COLLATE "C" NOT NULL CHECK (length(sequence) IN (19, 30)),
    version bigint NOT NULL, -- counts the changes: a writer changes only what it has read
    PRIMARY KEY (tenant_id, record_id)
) WITH (fillfactor = 80); -- newer sequences take the place of older ones on the same page
SELECT control.protect('workspace.record_sequences');
GRANT SELECT, INSERT, UPDATE ON workspace.record_sequences TO quayside_app;

-- sequence_overtaken ends the transaction of a writer that has judged a record by a sequence that is no longer stored. Like
-- any serialization failure, it is tried again.
-- +goose StatementBegin
CREATE FUNCTION workspace.sequence_overtaken() RETURNS bigint
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RAISE EXCEPTION 'another delivery of the record was faster' USING ERRCODE = 'serialization_failure';
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION workspace.sequence_overtaken() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION workspace.sequence_overtaken() TO quayside_app;

-- A retry has the sequence with which the record was sent. Of several deliveries of one payload, the greatest is kept.
-- squawk-ignore constraint-missing-not-valid -- the new column is empty
ALTER TABLE workspace.failed_imports ADD COLUMN sequence text COLLATE "C" CHECK (length(sequence) IN (19, 30));

-- Accepted deliveries that were older than what is stored, and changed nothing.
ALTER TABLE workspace.source_hours ADD COLUMN stale bigint NOT NULL DEFAULT 0;
