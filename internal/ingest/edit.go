package ingest

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/telemetry"
)

// Edit changes values of a stored record in place, if it is still at the version that the
// person saw. It writes a record that carries only these values, with the same coercions,
// checks, references and snapshots as any other, and one event. Changes are a JSON object
// of fields to values; null clears a field.
func (s *Service) Edit(ctx context.Context, by auth.Principal, slug, id string, changes []byte, version int64) (
	Outcome, error) {
	if err := by.Require(auth.EditRecords); err != nil {
		return Outcome{}, err
	}
	table, err := s.registry.Reload(ctx, by.Tenant, slug)
	if err != nil {
		return Outcome{}, err
	}
	fields, err := editable(table, changes, table.Locked)
	if err != nil {
		return Outcome{}, err
	}
	key, err := s.identity(ctx, by, table, id)
	if err != nil {
		return Outcome{}, err
	}
	by.Scope = slug // a person has no key; the permission stands in for its scope
	outcome, err := s.Write(ctx, Record{
		By: by, Slug: slug, Body: encode(append([]field{key}, fields...)), RequestID: telemetry.RequestID(ctx),
		Attended: true, typed: true,
		Version: cmp.Or(version, -1), // 0 would mean any version; no record has version -1
	})
	var refusal *fault.Error
	if errors.As(err, &refusal) && refusal.Code == errNewer.Code {
		return Outcome{}, fault.New(fault.Stale, "stale",
			"this record was changed in the meantime and is at version %d now; look at it again and repeat your change",
			refusal.Version).
			At(refusal.Version)
	}
	return outcome, err
}

// Create makes a record for a person and returns its id. Unlike Write, it refuses a record
// whose identity exists already.
func (s *Service) Create(ctx context.Context, by auth.Principal, slug string, values []byte) (id string, err error) {
	if err := by.Require(auth.EditRecords); err != nil {
		return "", err
	}
	table, err := s.registry.Reload(ctx, by.Tenant, slug)
	if err != nil {
		return "", err
	}
	if why := table.Closed(); why != "" {
		return "", fault.New(fault.Invalid, "closed", "%s", why)
	}
	fields, err := editable(table, values, table.Kept)
	if err != nil {
		return "", err
	}
	by.Scope = slug // a person has no key; the permission stands in for its scope
	id = uuid.Must(uuid.NewV7()).String()
	_, err = s.Write(ctx, Record{By: by, Slug: slug, Body: encode(fields), RequestID: telemetry.RequestID(ctx),
		Attended: true, typed: true, NewID: id})
	if fault.HasCode(err, errNewer.Code) {
		clean := sanitize(table, fields, by.Zone, true)
		return "", fault.InField(clean.key, "exists", "there is a record with this %s already: %s", clean.key,
			fault.Shorten(clean.identity))
	}
	return id, err
}

// editable decodes changes and refuses all that a person may not make in the table. locked
// returns why a column may not be changed, or "".
func editable(table *registry.Table, changes []byte, locked func(*registry.Column) string) ([]field, error) {
	fields, err := decode(changes)
	if err != nil {
		return nil, fault.New(fault.BadRequest, "invalid_json", "changes must be one JSON object of fields to values")
	}
	if len(fields) == 0 {
		return nil, fault.New(fault.Invalid, "nothing", "no fields were given")
	}
	var refused []fault.Field
	for _, sent := range fields {
		column, known := table.Column(sent.Name)
		if !known {
			refused = append(refused, fault.Field{Field: sent.Name, Code: "unknown_field",
				Message: table.Slug + " has no field " + fault.Shorten(sent.Name) + " that people can set"})
			continue
		}
		if why := locked(column); why != "" {
			refused = append(refused, fault.Field{Field: sent.Name, Code: "locked", Message: why})
		}
	}
	if refused != nil {
		return nil, invalid(refused)
	}
	return fields, nil
}

// identity returns the identity field of a stored record, given its id.
func (s *Service) identity(ctx context.Context, by auth.Principal, table *registry.Table, id string) (field, error) {
	unknown := fault.New(fault.NotFound, "unknown_record", "%s has no record with the id %s in this workspace", table.Slug,
		fault.Shorten(id))
	if !utf8.ValidString(id) || strings.ContainsRune(id, 0) {
		return field{}, unknown
	}
	var values []*string
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, identityStatement(table), by.Tenant, by.Workspace, table.Slug, id).Scan(&values)
	})
	if fault.Is(err, fault.NotFound) {
		return field{}, unknown
	}
	if err != nil {
		return field{}, err
	}
	for i, value := range values {
		if value != nil {
			return field{Name: table.Identity[i], Value: quoted(*value)}, nil
		}
	}
	return field{}, unknown
}

// encode writes fields as the body of a request.
func encode(fields []field) []byte {
	body := []byte{'{'}
	for i, f := range fields {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(append(body, quoted(f.Name)...), ':')
		body = append(body, f.Value...)
	}
	return append(body, '}')
}

// quoted returns text as a JSON string. Stored and decoded text is valid UTF-8.
func quoted(text string) jsontext.Value {
	value, _ := jsontext.AppendQuote(nil, text)
	return value
}
