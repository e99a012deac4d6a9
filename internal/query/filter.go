package query

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/registry"
)

// Operator is how a filter compares a column with values.
type Operator string

// The operators.
const (
	Equals      Operator = "eq"
	NotEquals   Operator = "ne"
	In          Operator = "in"
	Greater     Operator = "gt"
	GreaterOrEq Operator = "gte"
	Less        Operator = "lt"
	LessOrEq    Operator = "lte"
	Contains    Operator = "contains"
	Empty       Operator = "empty"
)

// operators lists the operators of each type, in the order in which they are offered.
var operators = map[registry.Type][]Operator{
	registry.Text:     {Contains, Equals, NotEquals, In, Empty},
	registry.Number:   {Equals, NotEquals, In, Greater, GreaterOrEq, Less, LessOrEq, Empty},
	registry.Boolean:  {Equals, NotEquals, Empty},
	registry.Date:     {Equals, NotEquals, In, Greater, GreaterOrEq, Less, LessOrEq, Empty},
	registry.Datetime: {Equals, NotEquals, In, Greater, GreaterOrEq, Less, LessOrEq, Empty},
	registry.UUID:     {Equals, NotEquals, In, Empty},
}

// Operators returns the operators that a filter on the field may use.
func (f *Field) Operators() []Operator { return slices.Clone(operators[f.Type]) }

const (
	longestFilters = 8 << 10 // bytes of the JSON text, which is part of a URL
	mostConditions = 40
	mostValues     = 200 // of one "in"
)

// condition is one parsed comparison.
type condition struct {
	field    *Field
	operator Operator
	values   []string // in the form that PostgreSQL reads for the field's type
	empty    bool     // for the operator Empty: whether the field must be empty
}

// refuse returns the refusal of one argument.
func refuse(argument, code, format string, args ...any) *fault.Error {
	e := fault.New(fault.BadRequest, code, format, args...)
	e.Fields = []fault.Field{{Field: argument, Code: code, Message: e.Message}}
	return e
}

// readFilters parses a JSON object of field names to values. A plain value means equals, null
// means empty, a list means one of, and an object names operators. All conditions must hold.
// They are sorted by field name, so that equal filters give equal conditions.
func (r *Relation) readFilters(text []byte, zone *time.Location) ([]condition, error) {
	if len(text) == 0 {
		return nil, nil
	}
	if len(text) > longestFilters {
		return nil, refuse("filters", "too_long", "filters are longer than %d KiB", longestFilters>>10)
	}
	var sent map[string]jsontext.Value
	if err := json.Unmarshal(text, &sent); err != nil || sent == nil {
		return nil, refuse("filters", "invalid_json",
			`filters must be one JSON object of field names to values, such as {"status": "open", "total": {"gte": 100}}`)
	}
	var conditions []condition
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		field, err := r.find("filters", name)
		if err != nil {
			return nil, err
		}
		read, err := field.readFilter(sent[name], zone)
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, read...)
	}
	if len(conditions) > mostConditions {
		return nil, refuse("filters", "too_many", "there are more than %d conditions", mostConditions)
	}
	return conditions, nil
}

// readFilter parses the conditions on one field.
func (f *Field) readFilter(sent jsontext.Value, zone *time.Location) ([]condition, error) {
	switch kind := sent.Kind(); {
	case kind == jsontext.KindNull:
		return []condition{{field: f, operator: Empty, empty: true}}, nil
	case kind == jsontext.KindBeginArray:
		one, err := f.readCondition(In, sent, zone)
		return []condition{one}, err
	case kind != jsontext.KindBeginObject:
		one, err := f.readCondition(Equals, sent, zone)
		return []condition{one}, err
	}
	var named map[string]jsontext.Value
	if err := json.Unmarshal(sent, &named); err != nil {
		return nil, refuse("filters/"+f.Name, "invalid_json", "filters: %s: an operator appears twice", f.Name)
	}
	var conditions []condition
	for _, name := range slices.Sorted(maps.Keys(named)) {
		one, err := f.readCondition(Operator(name), named[name], zone)
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, one)
	}
	return conditions, nil
}

func (f *Field) readCondition(operator Operator, sent jsontext.Value, zone *time.Location) (condition, error) {
	one := condition{field: f, operator: operator}
	if !slices.Contains(operators[f.Type], operator) {
		return one, refuse("filters/"+f.Name, "operator", "filters: %s is a %s and has no operator %q; it has %s", f.Name,
			f.Type, fault.Shorten(string(operator)), listed(operators[f.Type]))
	}
	if operator == Empty {
		if kind := sent.Kind(); kind != jsontext.KindTrue && kind != jsontext.KindFalse {
			return one, refuse("filters/"+f.Name, "value", "filters: %s: empty is true or false", f.Name)
		}
		one.empty = sent.Kind() == jsontext.KindTrue
		return one, nil
	}
	list := []jsontext.Value{sent}
	if operator == In {
		list = nil
		if err := json.Unmarshal(sent, &list); err != nil || list == nil {
			return one, refuse("filters/"+f.Name, "value", "filters: %s: in takes a list", f.Name)
		}
		if len(list) > mostValues {
			return one, refuse("filters/"+f.Name, "too_many", "filters: %s: in takes at most %d values", f.Name, mostValues)
		}
	}
	one.values = make([]string, 0, len(list))
	for _, item := range list {
		text, err := f.readValue(item, zone)
		if err != nil {
			return one, err
		}
		one.values = append(one.values, text)
	}
	return one, nil
}

// readValue reads a value as ingest would, except null: the operator Empty is for that.
func (f *Field) readValue(sent jsontext.Value, zone *time.Location) (string, error) {
	kind, text := sent.Kind(), string(sent)
	if kind == jsontext.KindString {
		unquoted, err := jsontext.AppendUnquote(nil, sent)
		if err != nil {
			return "", refuse("filters/"+f.Name, "value", "filters: %s: the text is not valid UTF-8", f.Name)
		}
		text = string(unquoted)
	}
	if kind != jsontext.KindNull && !strings.ContainsRune(text, 0) {
		read, _ := f.Type.Read(text, kind, zone)
		if read != "" || f.Type == registry.Text && kind == jsontext.KindString {
			return read, nil
		}
	}
	return "", refuse("filters/"+f.Name, "value",
		`filters: %s: expected %s, received %s; {"empty": true} finds what is empty`, f.Name, f.Type.Expected(),
		fault.Shorten(string(sent)))
}

// find returns the field that an argument names.
func (r *Relation) find(argument, name string) (*Field, error) {
	field, ok := r.Field(name)
	if !ok {
		return nil, refuse(argument, "unknown_field", "%s: %s has no field %q; its fields are %s", argument, r.Slug,
			fault.Shorten(name), r.names())
	}
	return field, nil
}

func (r *Relation) names() string {
	names := make([]string, 0, len(r.Fields))
	for i := range r.Fields {
		names = append(names, r.Fields[i].Name)
	}
	return strings.Join(names, ", ")
}

func listed(list []Operator) string {
	words := make([]string, 0, len(list))
	for _, operator := range list {
		words = append(words, string(operator))
	}
	return strings.Join(words, ", ")
}

// likeEscapes escapes the wildcards of a LIKE pattern.
var likeEscapes = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// sql returns the condition in SQL. The text depends only on the field and the operator.
func (c condition) sql(b *builder) string {
	sqlType := c.field.Type.SQL()
	switch c.operator {
	case Equals:
		return fmt.Sprintf("%s = %s::%s", c.field.typed, b.param(c.values[0]), sqlType)
	case NotEquals: // an empty field is not equal either
		return fmt.Sprintf("%s IS DISTINCT FROM %s::%s", c.field.typed, b.param(c.values[0]), sqlType)
	case In:
		return fmt.Sprintf("%s = ANY (%s::%s[])", c.field.typed, b.param(c.values), sqlType)
	case Greater, GreaterOrEq, Less, LessOrEq:
		comparison := map[Operator]string{Greater: ">", GreaterOrEq: ">=", Less: "<", LessOrEq: "<="}[c.operator]
		return fmt.Sprintf("%s %s %s::%s", c.field.typed, comparison, b.param(c.values[0]), sqlType)
	case Contains: // keys are collated "C", which folds ASCII only; with LIKE the planner knows that a long text is rare
		return fmt.Sprintf(`lower(%s COLLATE "default") LIKE lower(%s::text COLLATE "default")`, c.field.typed,
			b.param("%"+likeEscapes.Replace(c.values[0])+"%"))
	case Empty:
		holds := c.field.shown + " IS NULL"
		if c.field.Type == registry.Text {
			holds = fmt.Sprintf("coalesce(%s, '') = ''", c.field.shown)
		}
		if c.empty {
			return "(" + holds + ")"
		}
		return "NOT (" + holds + ")"
	}
	return "false" // readCondition refuses all other operators
}
