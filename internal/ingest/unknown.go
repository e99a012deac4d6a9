package ingest

import (
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/registry"
)

// Unknown are the fields of a stored record that its table does not have.
type Unknown struct {
	Tenant, Workspace uuid.UUID
	Slug              string
	Key               string // the record's identity
	Fields            []UnknownField
	Keep              bool // their values are kept, according to the table at which the record was stored
}

// UnknownField is one of them, as it was sent.
type UnknownField struct {
	Name  string
	Value jsontext.Value
}

// tellUnknown tells of a stored record's unknown fields. Fields with the names of system columns are not meant: every
// table has those.
func (s *Service) tellUnknown(clean sanitized, record Record) {
	if s.saw == nil || record.fills != nil {
		return
	}
	seen := Unknown{Tenant: record.By.Tenant, Workspace: record.By.Workspace, Slug: record.Slug, Key: clean.identity,
		Keep: clean.table.Keeping[record.By.Workspace]}
	for _, f := range clean.unknown {
		if !registry.IsSystem(f.Name) {
			seen.Fields = append(seen.Fields, UnknownField{f.Name, f.Value})
		}
	}
	if seen.Fields != nil {
		s.saw(seen)
	}
}

// FieldOf returns a field of a body as it was sent. A body that ingest would not read has none.
func FieldOf(body []byte, name string) (jsontext.Value, bool) {
	fields, err := decode(body)
	if err != nil {
		return nil, false
	}
	for _, f := range fields {
		if f.Name == name {
			return f.Value, true
		}
	}
	return nil, false
}
