package mcpserver

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/quayside/quayside/internal/fault"
)

// decode reads a tool's arguments strictly: unknown names, duplicate names and wrong types are
// refused. The refusal says what would be right.
func decode(schema *jsonschema.Schema, arguments jsontext.Value, into any) error {
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = jsontext.Value("{}")
	}
	if err := fault.CheckJSON(arguments); err != nil {
		return err
	}
	if err := checkAgainst(schema, "", arguments); err != nil {
		return err
	}
	if err := json.Unmarshal(arguments, into, json.RejectUnknownMembers(true)); err != nil {
		var semantic *json.SemanticError
		if errors.As(err, &semantic) && semantic.JSONPointer != "" {
			return wrong(strings.TrimPrefix(string(semantic.JSONPointer), "/"), "cannot be read")
		}
		return fault.New(fault.Invalid, "arguments", "the arguments are not one JSON object in which every name stands once")
	}
	return nil
}

func wrong(argument, format string, args ...any) error {
	return fault.InField(argument, "argument", "%s", argument+": "+fmt.Sprintf(format, args...))
}

// checkAgainst checks a value against its schema, with the keywords that the tools use: types,
// names, required, choices, length.
func checkAgainst(schema *jsonschema.Schema, at string, value jsontext.Value) error {
	kinds := schema.Types
	if schema.Type != "" {
		kinds = []string{schema.Type}
	}
	if len(kinds) > 0 && !slices.ContainsFunc(kinds, func(kind string) bool { return hasType(kind, value) }) {
		if at == "" {
			return fault.New(fault.Invalid, "arguments", "the arguments must be one JSON object")
		}
		return wrong(at, "expected %s, received %s", strings.Join(kinds, " or "), fault.Shorten(string(value)))
	}
	check := map[string]func(*jsonschema.Schema, string, jsontext.Value) error{"object": checkObject, "array": checkList,
		"string": checkText}[kindNames[value.Kind()]]
	if check == nil {
		return nil
	}
	return check(schema, at, value)
}

func checkObject(schema *jsonschema.Schema, at string, value jsontext.Value) error {
	if schema.Properties == nil && schema.AdditionalProperties == nil {
		return nil // any object
	}
	members := map[string]jsontext.Value{}
	if err := json.Unmarshal(value, &members); err != nil {
		return fault.New(fault.Invalid, "arguments", "the arguments are not one JSON object in which every name stands once")
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		property, known := schema.Properties[name]
		if !known {
			return wrong(join(at, fault.Shorten(name)), "there is no such argument; there are %s",
				strings.Join(slices.Sorted(maps.Keys(schema.Properties)), ", "))
		}
		if members[name].Kind() == jsontext.KindNull && !slices.Contains(schema.Required, name) {
			continue // null means absent
		}
		if err := checkAgainst(property, join(at, name), members[name]); err != nil {
			return err
		}
	}
	for _, name := range schema.Required {
		if _, there := members[name]; !there {
			return wrong(join(at, name), "it is missing. %s", schema.Properties[name].Description)
		}
	}
	return nil
}

func checkList(schema *jsonschema.Schema, at string, value jsontext.Value) error {
	items := []jsontext.Value{}
	if err := json.Unmarshal(value, &items); err != nil {
		return wrong(at, "cannot be read")
	}
	for i, item := range items {
		if schema.Items == nil {
			break
		}
		if err := checkAgainst(schema.Items, join(at, strconv.Itoa(i)), item); err != nil {
			return err
		}
	}
	return nil
}

// checkText refuses invalid UTF-8, and a text that is not one of the choices.
func checkText(schema *jsonschema.Schema, at string, value jsontext.Value) error {
	text, err := jsontext.AppendUnquote(nil, value)
	if err != nil {
		return wrong(at, "the text is not valid UTF-8")
	}
	if schema.Enum == nil || slices.Contains(schema.Enum, any(string(text))) {
		return nil
	}
	choices := make([]string, 0, len(schema.Enum))
	for _, choice := range schema.Enum {
		choices = append(choices, fmt.Sprint(choice))
	}
	return wrong(at, "there is no %s; there are %s", fault.Shorten(string(value)), strings.Join(choices, ", "))
}

// kindNames are JSON Schema's names for the kinds of values.
var kindNames = map[jsontext.Kind]string{
	jsontext.KindBeginObject: "object", jsontext.KindBeginArray: "array", jsontext.KindString: "string",
	jsontext.KindNumber: "number",
	jsontext.KindTrue:   "boolean", jsontext.KindFalse: "boolean", jsontext.KindNull: "null",
}

// hasType reports whether a value is of a JSON Schema type.
func hasType(kind string, value jsontext.Value) bool {
	name := kindNames[value.Kind()]
	return name == kind || kind == "integer" && name == "number" && !bytes.ContainsAny(value, ".eE")
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "/" + name
}
