package sheet

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quayside/quayside/internal/written"
)

// Values are converted while a file is read, and only as the file or a person says: the endpoint stays
// exact. A value that is not written in its column's form is sent as it is.

// Replacement is a person's choice for one value of a column. Both are JSON.
type Replacement struct {
	From string `json:"from"`
	To   string `json:"to"`
}

const (
	mostReplacements = 200
	longestReplaced  = 1000
)

// conversion is how the values of one column of the file are converted.
type conversion struct {
	kind   written.Kind // empty: the column is neither of numbers nor of days
	form   written.Form // empty: nobody has said it
	values map[string]jsontext.Value
}

// KindOf returns what the texts for a column of a table are read as, or nothing.
func KindOf(columnType string) written.Kind {
	switch columnType {
	case "number":
		return written.AsNumber
	case "date", "datetime":
		return written.AsDay
	}
	return ""
}

// Evidence returns what the texts say about how numbers or days are written.
func (t Tally) Evidence(kind written.Kind) written.Evidence {
	if kind == written.AsDay {
		return t.Days
	}
	return t.Numbers
}

// chosenConversion checks a person's choice for the values of a column.
func (m *Mapping) chosenConversion(override Override) (conversion, error) {
	column, _ := m.table.column(override.To)
	chosen := conversion{kind: KindOf(column.Type), form: override.Form}
	if form := override.Form; form != "" {
		rivals, known := written.Rivals[chosen.kind]
		if !known {
			return chosen, misused("map", "%s=%s: %s has no numbers and no days to read as %s", override.From, override.To,
				override.To, form)
		}
		if !slices.Contains(rivals[:], form) {
			return chosen, misused("map", "%s=%s: %s is read as %s or %s, not as %s", override.From, override.To, override.To,
				rivals[0], rivals[1], form)
		}
	}
	if len(override.Values) > mostReplacements {
		return chosen, misused("map", "%s=%s: at most %d values of a column can be replaced", override.From, override.To,
			mostReplacements)
	}
	for _, one := range override.Values {
		from, to := jsontext.Value(one.From), jsontext.Value(one.To)
		if len(from)+len(to) > longestReplaced || !from.IsValid() || !to.IsValid() {
			return chosen, misused("map", "%s=%s: a value and what replaces it are JSON of at most %d bytes, such as \"text\" in quotes, 12.5 or true",
				override.From, override.To, longestReplaced)
		}
		if chosen.values == nil {
			chosen.values = map[string]jsontext.Value{}
		}
		chosen.values[string(canonical(from))] = canonical(to)
	}
	return chosen, nil
}

// Settle chooses the form of each column of numbers or days that nobody has chosen one for, if the
// values of the file leave no doubt. It returns the columns of the file whose form a person must say.
func (m *Mapping) Settle(found map[string]Tally) (asked []string) {
	for i := range m.Pairs {
		pair := &m.Pairs[i]
		column, mapped := m.table.column(pair.To)
		kind := KindOf(column.Type)
		tally, known := found[pair.From]
		if !mapped || kind == "" || pair.Form != "" || !known {
			continue
		}
		if _, pair.Form = tally.Evidence(kind).Verdict(kind); pair.Form == "" {
			asked = append(asked, pair.From)
			continue
		}
		convert := m.converts[pair.From]
		convert.kind, convert.form = kind, pair.Form
		m.converts[pair.From] = convert
	}
	return asked
}

// ReadTimesIn says in which zone times are that have none.
func (m *Mapping) ReadTimesIn(zone *time.Location) { m.zone = zone }

// convert returns a value of a column of the file as it is sent.
func (m *Mapping) convert(from string, value jsontext.Value) jsontext.Value {
	how, known := m.converts[from]
	if !known {
		return value
	}
	if how.values != nil {
		if to, ok := how.values[string(canonical(value))]; ok {
			return to
		}
	}
	if how.form == "" || value.Kind() != jsontext.KindString {
		return value
	}
	text := plainText(value)
	read, ok := how.kind.Read(how.form, text)
	switch {
	case !ok || read == text:
		return value
	case how.kind == written.AsNumber:
		return jsontext.Value(read)
	}
	// A file has no zone, and the endpoint requires one.
	if at, err := time.ParseInLocation("2006-01-02T15:04:05", read, m.zone); err == nil {
		read = at.Format(time.RFC3339)
	}
	return quoted(read)
}
