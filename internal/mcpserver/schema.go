package mcpserver

import (
	"bytes"
	"reflect"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/failed"
	"github.com/quayside/quayside/internal/playbook"
	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/purchase"
)

// A tool's schemas come from its types. This file adds what types cannot express, and two
// types that keep what was sent unchanged.

// amount is a decimal, sent as a number or as a text, which is exact.
type amount string

// UnmarshalJSON accepts both, and keeps every digit. null means absent.
func (a *amount) UnmarshalJSON(sent []byte) error {
	if jsontext.Value(sent).Kind() == jsontext.KindNumber {
		*a = amount(sent)
		return nil
	}
	return json.Unmarshal(sent, (*string)(a))
}

// schemas holds the schemas of types for which reflection is not enough.
var schemas = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[jsontext.Value]():  {},
	reflect.TypeFor[object]():          {Type: "object"},
	reflect.TypeFor[amount]():          {Types: []string{"string", "number"}},
	reflect.TypeFor[uuid.UUID]():       {Type: "string", Format: "uuid"},
	reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
	reflect.TypeFor[failed.Status]():   oneOf(failed.Open, failed.Ignored, failed.Resolved),
	reflect.TypeFor[purchase.Status](): oneOf(purchase.Statuses()...),
	reflect.TypeFor[procure.Group]():   oneOf(procure.Groups()...),
	reflect.TypeFor[playbook.Scope]():  oneOf(playbook.Scopes()...),
	reflect.TypeFor[playbook.Status](): oneOf(playbook.Statuses()...),
	reflect.TypeFor[auth.Role]():       oneOf(playbook.OwnerRoles()...),
	// All tools together have few words, and the names in these answers say what they are.
	reflect.TypeFor[procurementQueueListOut]():             {Type: "object"},
	reflect.TypeFor[procurementRecommendationExplainOut](): {Type: "object"},
	reflect.TypeFor[procurementDraftCreateOut]():           {Type: "object"},
	reflect.TypeFor[procurementRunOut]():                   {Type: "object"},
	reflect.TypeFor[purchaseOrderDraftCreateOut]():         {Type: "object"},
	reflect.TypeFor[purchaseOrderLineSubmitOut]():          {Type: "object"},
	reflect.TypeFor[procurementConfigSetOut]():             {Type: "object"},
	reflect.TypeFor[strategyListOut]():                     {Type: "object"},
	reflect.TypeFor[strategyGetOut]():                      {Type: "object"},
	reflect.TypeFor[sopListOut]():                          {Type: "object"},
	reflect.TypeFor[sopGetOut]():                           {Type: "object"},
	reflect.TypeFor[storedDocument]():                      {Type: "object"},
}

// object is a JSON object as it was sent.
type object struct{ jsontext.Value }

// UnmarshalJSON keeps the object's text. null means absent.
func (o *object) UnmarshalJSON(sent []byte) error {
	if jsontext.Value(sent).Kind() != jsontext.KindNull {
		o.Value = bytes.Clone(sent)
	}
	return nil
}

func oneOf[T ~string](values ...T) *jsonschema.Schema {
	schema := &jsonschema.Schema{Type: "string"}
	for _, value := range values {
		schema.Enum = append(schema.Enum, string(value))
	}
	return schema
}

func schemaOf[T any]() *jsonschema.Schema {
	schema, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: schemas})
	if err != nil {
		panic(err) // the types are fixed
	}
	withoutNull(schema)
	return schema
}

// withoutClosing removes from an answer's objects that they have nothing else, and which names they
// always have: it tells a reader nothing, and all tools together have few words. Arguments keep it,
// because unknown ones are refused.
func withoutClosing(schema *jsonschema.Schema) {
	if schema == nil {
		return
	}
	if closed := schema.AdditionalProperties; closed != nil && closed.Not != nil {
		schema.AdditionalProperties = nil
	}
	schema.Required = nil
	withoutClosing(schema.Items)
	for _, property := range schema.Properties {
		withoutClosing(property)
	}
}

// withoutNull removes "or null" from lists, which are never null here.
func withoutNull(schema *jsonschema.Schema) {
	if schema == nil {
		return
	}
	if slices.Equal(schema.Types, []string{"null", "array"}) {
		schema.Type, schema.Types = "array", nil
	}
	withoutNull(schema.Items)
	for _, property := range schema.Properties {
		withoutNull(property)
	}
}
