package registry

import (
	"encoding/json"
	"slices"
	"strings"
)

// Description tells a caller about a table: the columns to send, and the other columns of its
// rows.
type Description struct {
	Slug          string                     `json:"slug"`
	Title         string                     `json:"title"`
	Description   string                     `json:"description,omitempty"`
	Endpoint      string                     `json:"endpoint"`
	RequiredScope string                     `json:"required_scope"`
	ConflictKey   []string                   `json:"conflict_key"`
	EventType     string                     `json:"event_type"`
	Version       int64                      `json:"version"`
	Limits        map[string]int             `json:"limits"`
	Sequence      SequenceDescription        `json:"sequence"`
	Columns       []ColumnDescription        `json:"columns"`
	Example       map[string]json.RawMessage `json:"example"`
}

// SequenceDescription says how senders order the deliveries of a record.
type SequenceDescription struct {
	Header string `json:"header"`
	// Accepts says what the header may hold.
	Accepts []string `json:"accepts"`
	// Column is the column that counts where the header is not sent. Absent: none.
	Column string `json:"column,omitempty"`
}

// ColumnDescription is one column of a Description.
type ColumnDescription struct {
	Name        string          `json:"name"`
	Type        Type            `json:"type"`
	Kind        string          `json:"kind"`
	Accepted    bool            `json:"accepted"`
	Required    bool            `json:"required"`
	Nullable    bool            `json:"nullable"`
	Description string          `json:"description"`
	Default     *string         `json:"default,omitempty"`
	Choices     []string        `json:"choices,omitempty"`
	Minimum     json.Number     `json:"minimum,omitempty"`
	Maximum     json.Number     `json:"maximum,omitempty"`
	MaxLength   int             `json:"max_length,omitempty"`
	Format      string          `json:"format,omitempty"`
	RecordsPast bool            `json:"records_past,omitempty"` // a date before 2000 or after tomorrow gets a warning
	References  string          `json:"references,omitempty"`
	Example     json.RawMessage `json:"example"`
	Custom      bool            `json:"custom,omitempty"` // the company has added it to a built-in table
}

// LabelOf turns a column's name into words. A column that refers to records is called by them.
func LabelOf(name string, refers bool) string {
	if refers {
		name = strings.TrimSuffix(name, "_id")
	}
	words := strings.Split(name, "_")
	for i, word := range words {
		switch word {
		case "id", "sku", "url", "moq":
			words[i] = strings.ToUpper(word)
		}
	}
	text := strings.Join(words, " ")
	return strings.ToUpper(text[:1]) + text[1:]
}

// IsSystem reports whether a name is that of a column of every row that the service sets.
func IsSystem(name string) bool {
	return slices.ContainsFunc(systemColumns, func(s ColumnDescription) bool { return s.Name == name })
}

// SystemColumns returns the columns of every row that the service sets.
func SystemColumns() []ColumnDescription {
	columns := slices.Clone(systemColumns)
	for i := range columns {
		columns[i].Kind = "system"
	}
	return columns
}

var systemColumns = []ColumnDescription{
	{Name: "id", Type: Text, Description: "Our id of the record.",
		Example: json.RawMessage(`"0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e"`)},
	{Name: "tenant_id", Type: UUID, Description: "The company, from the key.",
		Example: json.RawMessage(`"0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e"`)},
	{Name: "workspace_id", Type: UUID, Description: "The workspace, from the key.",
		Example: json.RawMessage(`"0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e"`)},
	{Name: "version", Type: Number, Description: "Counts the writes that changed the row.", Example: json.RawMessage(`1`)},
	{Name: "created_at", Type: Datetime, Description: "When the row was made.",
		Example: json.RawMessage(`"2026-03-14T09:30:00Z"`)},
	{Name: "updated_at", Type: Datetime, Description: "When the row last changed.",
		Example: json.RawMessage(`"2026-03-14T09:30:00Z"`)},
}

// examples are used for columns that were registered without one and have no rules for their values; see sample.
var examples = map[Type]string{
	Number: `1`, Boolean: `true`, Date: `"2026-03-14"`, Datetime: `"2026-03-14T09:30:00Z"`,
	UUID: `"0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e"`,
}

// Describe returns the table's description: first the columns that callers may send, then the
// others, marked by their kind.
func (t *Table) Describe(endpoint string, limits map[string]int) Description {
	d := Description{
		Slug: t.Slug, Title: t.Title, Description: t.Description, Endpoint: endpoint, RequiredScope: t.Slug,
		ConflictKey: t.ConflictKey, EventType: t.EventType(), Version: t.Version, Limits: limits,
		Sequence: SequenceDescription{Header: "Ingest-Sequence", Column: t.Sequence,
			Accepts: []string{"RFC 3339 time, at most a day ahead", "whole number from 0 to 9223372036854775807"}},
		Example: map[string]json.RawMessage{},
	}
	var others []ColumnDescription
	for i := range t.Columns {
		column := &t.Columns[i]
		described := column.Describe()
		if !column.Accepted {
			others = append(others, described)
			continue
		}
		d.Columns = append(d.Columns, described)
		// An example with a reference would be refused, since the reader has no such record.
		if column.Kind == "writable" && (column.Reference == nil || column.Required) && len(column.Example) > 0 ||
			column.Required {
			d.Example[column.Name] = described.Example
		}
	}
	d.Columns = append(d.Columns, others...)
	d.Columns = append(d.Columns, SystemColumns()...)
	return d
}

// Describe returns the column's description.
func (c *Column) Describe() ColumnDescription {
	d := ColumnDescription{
		Name: c.Name, Type: c.Type, Kind: c.Kind, Accepted: c.Accepted, Required: c.Required, Nullable: c.Nullable,
		Description: c.Description, Default: c.Default, Choices: c.Choices,
		Minimum: json.Number(c.Minimum), Maximum: json.Number(c.Maximum), MaxLength: c.MaxLength, Format: c.Format,
		RecordsPast: c.RecordsPast, Example: c.Example, Custom: c.Custom,
	}
	if len(d.Example) == 0 {
		d.Example = c.sample()
	}
	if c.Reference != nil {
		d.References = c.Reference.Slug
	}
	return d
}

// sample returns an example for a column that was registered without one: a value that its rules allow, since readers send
// the table's example to try it.
func (c *Column) sample() json.RawMessage {
	text := "text"
	switch {
	case c.Type == Number && c.Minimum != "" && Compare("1", c.Minimum) < 0:
		return json.RawMessage(c.Minimum)
	case c.Type == Number && c.Maximum != "" && Compare("1", c.Maximum) > 0:
		return json.RawMessage(c.Maximum)
	case c.Type != Text:
		return json.RawMessage(examples[c.Type])
	case c.Choices != nil:
		text = c.Choices[0]
	case c.Format == Currency:
		text = "EUR"
	case c.MaxLength > 0:
		text = text[:min(len(text), c.MaxLength)]
	}
	quoted, _ := json.Marshal(text) // a string
	return quoted
}

// JSONSchema returns a JSON Schema of the records that may be sent. It is stricter than the
// endpoint, which also coerces values.
func (t *Table) JSONSchema(endpoint string) map[string]any {
	properties := map[string]any{}
	required := []string{}
	for i := range t.Columns {
		column := &t.Columns[i]
		if !column.Accepted {
			continue
		}
		properties[column.Name] = column.jsonSchema()
		if column.Required {
			required = append(required, column.Name)
		}
	}
	schema := map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": endpoint,
		"title": t.Title, "description": t.Description, "type": "object",
		"properties": properties, "required": required,
	}
	if len(t.Identity) > 1 {
		var anyOf []any
		for _, name := range t.Identity {
			anyOf = append(anyOf, map[string]any{"required": []string{name}})
		}
		schema["anyOf"] = anyOf
	}
	return schema
}

func (c *Column) jsonSchema() map[string]any {
	kinds := map[Type][2]string{
		Text: {"string", ""}, Number: {"number", ""}, Boolean: {"boolean", ""},
		Date: {"string", "date"}, Datetime: {"string", "date-time"}, UUID: {"string", "uuid"},
	}
	kind := kinds[c.Type]
	meaning := c.Description
	if c.RecordsPast {
		meaning += " A date before 2000 or after tomorrow gets a warning."
	}
	schema := map[string]any{"type": []string{kind[0], "null"}, "description": strings.TrimSpace(meaning)}
	if !c.Nullable {
		schema["type"] = kind[0]
	}
	if kind[1] != "" {
		schema["format"] = kind[1]
	}
	if c.Choices != nil {
		choices := make([]any, 0, len(c.Choices)+1)
		for _, choice := range c.Choices {
			choices = append(choices, choice)
		}
		if c.Nullable {
			choices = append(choices, nil)
		}
		schema["enum"] = choices
	}
	if c.Minimum != "" {
		schema["minimum"] = json.Number(c.Minimum)
	}
	if c.Maximum != "" {
		schema["maximum"] = json.Number(c.Maximum)
	}
	if c.Type == Text && c.Choices == nil {
		c.textSchema(schema)
	}
	if len(c.Example) > 0 {
		schema["examples"] = []json.RawMessage{c.Example}
	}
	return schema
}

// textSchema adds the constraints on a text.
func (c *Column) textSchema(schema map[string]any) {
	if !c.Nullable {
		schema["pattern"] = `\S` // white space alone counts as empty
	}
	if c.MaxLength > 0 {
		schema["maxLength"] = c.MaxLength
	}
	if c.Format == Currency {
		schema["pattern"] = "^[A-Z]{3}$"
	}
}
