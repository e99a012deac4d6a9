-- +goose Up
-- Which of the operator's own networks the connections of a company may reach. NULL: all that the installation allows.
-- Empty: none. A list only narrows what the installation allows.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

ALTER TABLE control.tenants ADD COLUMN outbound_allow cidr[];
