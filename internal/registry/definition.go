package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"github.com/quayside/quayside/internal/currency"
	"github.com/quayside/quayside/internal/fault"
)

// This file checks what a company says of a table of its own. Everything that is wrong is collected.

// Definition describes a table of a company's own. Its records are identified by external_id, which need not be
// among the columns.
type Definition struct {
	Title       string             `json:"name"`
	Slug        string             `json:"slug,omitempty"` // empty: made from the title
	Description string             `json:"description,omitempty"`
	Columns     []ColumnDefinition `json:"columns"`
	// Sequence is the column whose values order the deliveries of a record. Empty: none. Absent: as it is.
	Sequence *string `json:"sequence,omitempty"`
}

// ColumnDefinition describes a column of a company's own. Values are written as text: "1.5", "true", "2026-03-14".
type ColumnDefinition struct {
	Name        string      `json:"name"`
	Type        Type        `json:"type"`
	Description string      `json:"description,omitempty"`
	Required    bool        `json:"required,omitempty"` // a new record must have it
	PeopleOnly  bool        `json:"people_only,omitempty"`
	Choices     []string    `json:"choices,omitempty"`
	Minimum     json.Number `json:"minimum,omitempty"` // of a number; empty: LeastNumber
	Maximum     json.Number `json:"maximum,omitempty"` // of a number; empty: MostNumber
	MaxLength   int         `json:"max_length,omitempty"`
	Format      string      `json:"format,omitempty"`
	Default     *string     `json:"default,omitempty"`    // for a new record that does not have it
	References  string      `json:"references,omitempty"` // the slug of the table whose records it names
	Example     *string     `json:"example,omitempty"`
}

// ReadDefinition reads a definition in JSON. It refuses members that a definition does not have: a misspelt rule would be
// ignored.
func ReadDefinition(text []byte) (definition Definition, err error) {
	err = readStrictly(text, &definition)
	return definition, err
}

// ReadColumn is ReadDefinition for one column.
func ReadColumn(text []byte) (column ColumnDefinition, err error) {
	err = readStrictly(text, &column)
	return column, err
}

func readStrictly(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more than one definition")
	}
	return nil
}

// Limits of definitions. Retired tables and columns count.
const (
	MostTables       = 200
	MostColumns      = 250
	mostChoices      = 200
	longestChoice    = 200
	longestTitle     = 100
	longestMeaning   = 2000
	longestValue     = 1000 // of a default or an example
	longestSlug      = 48
	longestColumn    = 63
	largestMaxLength = 1_000_000
	currencyLength   = 3
)

// reserved are the slugs that no table of a company may have, besides those of built-in tables.
var reserved = []string{
	// The parts of the playbook.
	"procurement_config", "strategies", "sops",
	// Computed views, which are read by the same names as tables.
	"weekly_sales", "family_trend", "customer_reorder_due", "product_demand", "seasonality", "procurement_queue",
	"unmatched_lines",
}

// Reserved reports whether a slug belongs to a part of the product that is not a table.
func Reserved(slug string) bool { return slices.Contains(reserved, slug) }

// isMember reports whether every object of JavaScript has a member of this name. A reader that looks a slug or a column up in
// an object would find that instead of nothing. No other of these members is written in small letters.
func isMember(name string) bool { return name == "constructor" }

var columnPattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

// SlugOf makes a slug or a column's name from words: "Entscheidungen 2026!" becomes entscheidungen_2026. It is empty
// if the words have no Latin letter to begin with.
func SlugOf(words string, longest int) string {
	var slug strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(strings.ToLower(words)) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9' && slug.Len() > 0:
			if gap && slug.Len() > 0 {
				slug.WriteByte('_')
			}
			gap = false
			slug.WriteRune(r)
		case r == 'ß':
			slug.WriteString("ss")
		case !unicode.Is(unicode.Mn, r): // an accent that was split off leaves no gap
			gap = true
		}
	}
	text := slug.String()
	return strings.TrimRight(text[:min(len(text), longest)], "_")
}

// refusals collects what is wrong with a definition.
type refusals []fault.Field

func (r *refusals) add(field, code, format string, args ...any) {
	*r = append(*r, fault.Field{Field: field, Code: code, Message: fmt.Sprintf(format, args...)})
}

// err returns the refusals as one error, or nil.
func (r *refusals) err() error {
	if len(*r) == 0 {
		return nil
	}
	first := (*r)[0]
	refusal := fault.New(fault.Invalid, first.Code, "%s", first.Message)
	refusal.Fields = *r
	return refusal
}

// check completes a definition and refuses what is wrong with it, apart from the other tables of the company. extended is
// the built-in table of this slug that the definition adds columns to, or nil.
func (d Definition) check(extended *Table) (Definition, error) {
	var wrong refusals
	d.Title, d.Description = strings.TrimSpace(d.Title), strings.TrimSpace(d.Description)
	if extended != nil {
		wrong.checkSame("name", d.Title, extended.Title, extended.Slug)
		wrong.checkSame("description", d.Description, extended.Description, extended.Slug)
	} else {
		wrong.checkWords("name", d.Title, longestTitle, false)
		wrong.checkMeaning("description", d.Description)
	}
	if d.Slug == "" {
		d.Slug = SlugOf(d.Title, longestSlug)
	}
	switch {
	case d.Slug == "" && d.Title != "":
		wrong.add("slug", "slug", "no slug can be made from this name; give one of the letters a to z, such as decisions")
	case d.Slug != "" && !IsSlug(d.Slug):
		wrong.add("slug", "slug", "%q is not a slug; a slug has at most %d letters from a to z, digits and _, and begins with a letter",
			fault.Shorten(d.Slug), longestSlug)
	case isMember(d.Slug):
		wrong.add("slug", "slug", "%s has a meaning of its own in JavaScript, which many readers are written in; choose another slug", d.Slug)
	case Reserved(d.Slug):
		wrong.add("slug", "slug_taken", "the slug %s belongs to a part of Quayside; choose another", d.Slug)
	}
	columns := make([]ColumnDefinition, 0, len(d.Columns))
	names := map[string]bool{}
	for i, column := range d.Columns {
		at := fmt.Sprintf("columns/%d/", i)
		if names[column.Name] {
			wrong.add(at+"name", "twice", "the column %s is defined twice", column.shownName())
		}
		names[column.Name] = true
		columns = append(columns, column.check(at, &wrong))
	}
	d.Columns = columns
	return d, wrong.err()
}

// check completes a column and adds what is wrong with it.
func (c ColumnDefinition) check(at string, wrong *refusals) ColumnDefinition {
	c.Description = strings.TrimSpace(c.Description)
	if c.Type == "" && c.References != "" {
		c.Type = Text
	}
	c.checkName(at, wrong)
	wrong.checkMeaning(at+"description", c.Description)
	if _, known := types[c.Type]; !known {
		wrong.add(at+"type", "type", "there is no type %q; there are text, number, boolean, date, datetime and uuid",
			fault.Shorten(string(c.Type)))
		return c
	}
	if c.Name == externalID {
		c.Required = true
		if c.Type != Text || c.References != "" || c.Choices != nil || c.Default != nil || c.PeopleOnly || c.Format != "" ||
			c.MaxLength != 0 {
			wrong.add(at+"name", "identity", "external_id identifies the record: it is a required text without other rules")
			return c
		}
	}
	c.checkKind(at, wrong)
	c.checkChoices(at, wrong)
	c.checkBounds(at, wrong)
	c.Default = c.checkValue(at+"default", c.Default, wrong)
	c.Example = c.checkValue(at+"example", c.Example, wrong)
	return c
}

func (c *ColumnDefinition) checkName(at string, wrong *refusals) {
	switch {
	case IsSystem(c.Name):
		wrong.add(at+"name", "name_taken", "every table has a column %s, which the service fills; choose another name", c.Name)
	case isMember(c.Name):
		wrong.add(at+"name", "name", "%s has a meaning of its own in JavaScript, which many readers are written in; choose another name", c.Name)
	case !columnPattern.MatchString(c.Name):
		hint := SlugOf(c.Name, longestColumn)
		if hint == "" {
			hint = "decided_on"
		}
		wrong.add(at+"name", "name", "%q is not a column's name, which has only letters from a to z, digits and _, "+
			"and begins with a letter, such as %s", fault.Shorten(c.Name), hint)
	}
}

// shownName returns the name for a message: quoted if it is not a valid one, since it may then have any character.
func (c *ColumnDefinition) shownName() string {
	if columnPattern.MatchString(c.Name) {
		return c.Name
	}
	return strconv.Quote(fault.Shorten(c.Name))
}

// checkKind refuses rules that do not go together.
func (c *ColumnDefinition) checkKind(at string, wrong *refusals) {
	if c.References != "" && c.Type != Text {
		wrong.add(at+"type", "reference", "%s refers to records, so its type is text", c.shownName())
	}
	if c.References != "" && (c.Choices != nil || c.Default != nil || c.Format != "" || c.MaxLength != 0) {
		wrong.add(at+"references", "reference", "%s refers to records, so it has no choices, default, format or length", c.shownName())
	}
	if c.Required && c.Default != nil {
		wrong.add(at+"default", "default", "%s is required, so its default would never be used", c.shownName())
	}
	if c.Required && c.PeopleOnly {
		wrong.add(at+"required", "required", "%s is filled in by people only, so systems cannot be required to send it", c.shownName())
	}
	if c.Format != "" && (c.Format != Currency || c.Type != Text || c.Choices != nil) {
		wrong.add(at+"format", "format", "the only format is currency, of a text without choices")
	}
	if c.Format == Currency && c.MaxLength > 0 && c.MaxLength < currencyLength {
		wrong.add(at+"max_length", "max_length", "a currency code has %d letters; leave the greatest length out", currencyLength)
	}
	if c.MaxLength != 0 && (c.Type != Text || c.Choices != nil) {
		wrong.add(at+"max_length", "max_length", "only a text without choices has a greatest length")
	} else if c.MaxLength < 0 || c.MaxLength > largestMaxLength {
		wrong.add(at+"max_length", "max_length", "the greatest length is between 1 and %d", largestMaxLength)
	}
}

func (c *ColumnDefinition) checkChoices(at string, wrong *refusals) {
	if len(c.Choices) == 0 {
		c.Choices = nil
		return
	}
	at += "choices"
	if c.Type != Text {
		wrong.add(at, "choices", "only a text has choices")
	}
	if len(c.Choices) > mostChoices {
		wrong.add(at, "choices", "a column has at most %d choices", mostChoices)
		return
	}
	seen := map[string]bool{}
	for i, choice := range c.Choices {
		one := fmt.Sprintf("%s/%d", at, i)
		if !wrong.checkWords(one, choice, longestChoice, false) {
			return
		}
		switch {
		case strings.TrimSpace(choice) != choice:
			wrong.add(one, "choices", "the choice %q begins or ends with white space", fault.Shorten(choice))
		case seen[choice]:
			wrong.add(one, "choices", "the choice %q is there twice", fault.Shorten(choice))
		}
		seen[choice] = true
	}
}

func (c *ColumnDefinition) checkBounds(at string, wrong *refusals) {
	c.Minimum = c.checkBound(at+"minimum", c.Minimum, wrong)
	c.Maximum = c.checkBound(at+"maximum", c.Maximum, wrong)
	switch {
	case c.Minimum != "" && Above(string(c.Minimum), string(c.Maximum)):
		wrong.add(at+"minimum", "bounds", "the minimum is above the maximum")
	case c.Maximum == "" && Above(string(c.Minimum), MostNumber):
		wrong.add(at+"maximum", "bounds", "the minimum is above %s, which is the maximum of a number unless you name one", MostNumber)
	case c.Minimum == "" && Below(string(c.Maximum), LeastNumber):
		wrong.add(at+"minimum", "bounds", "the maximum is below %s, which is the minimum of a number unless you name one", LeastNumber)
	}
}

// checkBound returns the bound, or nothing if it is wrong.
func (c *ColumnDefinition) checkBound(at string, bound json.Number, wrong *refusals) json.Number {
	switch {
	case bound == "":
	case c.Type != Number:
		wrong.add(at, "bounds", "only a number has a minimum and a maximum")
	case !IsDecimal(string(bound)):
		wrong.add(at, "bounds", "%q is not a number", fault.Shorten(string(bound)))
	default:
		return json.Number(JSONNumber(string(bound)))
	}
	return ""
}

// checkValue returns a value of the column in its canonical form.
func (c *ColumnDefinition) checkValue(at string, text *string, wrong *refusals) *string {
	if text == nil || *text == "" {
		return nil
	}
	if !wrong.checkWords(at, *text, longestValue, true) {
		return nil
	}
	value, _ := c.Type.Read(*text, jsontext.KindString, time.UTC)
	bounded := Column{Type: c.Type, Minimum: string(c.Minimum), Maximum: string(c.Maximum)}
	bounded.bound()
	_, zero := c.Type.ZeroTime(*text, value)
	switch {
	case zero:
		wrong.add(at, "value", "%q is a zero date, which records may not have", fault.Shorten(*text))
	case value == "":
		wrong.add(at, "value", "%q is not %s", fault.Shorten(*text), c.Type.Expected())
	case c.Choices != nil && !slices.Contains(c.Choices, value):
		wrong.add(at, "value", "%q is not one of the choices", fault.Shorten(value))
	case c.MaxLength > 0 && utf8.RuneCountInString(value) > c.MaxLength:
		wrong.add(at, "value", "%q is longer than %d characters", fault.Shorten(value), c.MaxLength)
	case (c.Name == externalID || c.References != "") && utf8.RuneCountInString(value) > MaxKeyLength:
		wrong.add(at, "value", "%q is longer than the %d characters that a key has at most", fault.Shorten(value), MaxKeyLength)
	case Below(value, bounded.Minimum):
		wrong.add(at, "value", "%s is below the minimum, %s", fault.Shorten(value), bounded.Minimum)
	case Above(value, bounded.Maximum):
		wrong.add(at, "value", "%s is above the maximum, %s", fault.Shorten(value), bounded.Maximum)
	case c.Format == Currency && !isCurrency(value):
		wrong.add(at, "value", "%q is not a currency code such as EUR", fault.Shorten(value))
	}
	return &value
}

func isCurrency(text string) bool {
	code, known := currency.Code(text)
	return known && code == text
}

// checkSame refuses to change the name or the description of a built-in table.
func (r *refusals) checkSame(field, text, stands, slug string) {
	if text != "" && text != stands {
		r.add(field, "built_in", "%s is a built-in table, whose %s cannot be changed; leave it out", slug, field)
	}
}

// checkMeaning checks a description, which may be empty and have several lines.
func (r *refusals) checkMeaning(field, text string) {
	if text != "" {
		r.checkWords(field, text, longestMeaning, true)
	}
}

// checkWords refuses text that is empty, too long, not UTF-8 or has control characters, and reports whether it is fine.
func (r *refusals) checkWords(field, text string, longest int, lines bool) bool {
	before := len(*r)
	hidden := func(c rune) bool {
		return unicode.IsControl(c) && (!lines || c != '\n' && c != '\t' && c != '\r') || unicode.Is(unicode.Bidi_Control, c)
	}
	switch {
	case !utf8.ValidString(text):
		r.add(field, "text", "this is not valid UTF-8")
	case strings.TrimSpace(text) == "":
		r.add(field, "required", "this may not be empty")
	case utf8.RuneCountInString(text) > longest:
		r.add(field, "too_long", "this is longer than %d characters", longest)
	case strings.ContainsFunc(text, hidden):
		r.add(field, "text", "%q has a control character", fault.Shorten(text))
	}
	return len(*r) == before
}

// exampleJSON returns the example in the JSON form of the column's type, or nil.
func (c *ColumnDefinition) exampleJSON() []byte {
	if c.Example == nil {
		return nil
	}
	if c.Type == Number {
		return []byte(JSONNumber(*c.Example))
	}
	if c.Type == Boolean {
		return []byte(*c.Example)
	}
	text, _ := json.Marshal(*c.Example) // a string
	return text
}
