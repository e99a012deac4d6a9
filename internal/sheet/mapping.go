package sheet

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/internal/written"
)

// How a column of the file was matched with a column of the table.
const (
	Named   = "named"   // chosen by a person
	Exact   = "exact"   // same name except for case and separators
	Known   = "known"   // what people call the column, in one of six languages
	Similar = "similar" // a name that hardly fits any other column
	Dropped = "dropped"
)

// Pair is one column of the file and where it goes.
type Pair struct {
	From  string   `json:"from"`
	To    string   `json:"to,omitempty"`
	How   string   `json:"how"`
	Why   string   `json:"why,omitempty"` // why it is dropped
	Could []string `json:"-"`             // columns that it may fit; a person must decide

	Form   written.Form  `json:"form,omitempty"` // how its numbers or days are written
	Values []Replacement `json:"values,omitempty"`
}

// Override is a person's choice for one column of the file. An empty To drops it.
type Override struct {
	From   string        `json:"from"`
	To     string        `json:"to"`
	Form   written.Form  `json:"form,omitempty"`
	Values []Replacement `json:"values,omitempty"`
}

// Mapping says which column of the table each column of the file goes to. It never guesses: a
// column that fits two, or two that fit one, are dropped, and the mapping says so.
type Mapping struct {
	Pairs    []Pair
	table    *Table
	to       map[string]string     // by the file's name; empty for dropped columns
	taken    map[string]string     // the file's column, by the table's column
	booleans bool                  // read TRUE and FALSE as booleans
	converts map[string]conversion // by the file's name
	zone     *time.Location        // of times without one
}

// ReadBooleans makes boolean columns read TRUE and FALSE, as workbooks print booleans.
func (m *Mapping) ReadBooleans() { m.booleans = true }

// NewMapping maps the file's column names.
func NewMapping(table *Table, names []string, overrides []Override) (*Mapping, error) {
	m := &Mapping{table: table, to: map[string]string{}, taken: map[string]string{}, converts: map[string]conversion{},
		zone: time.Local}
	asked, err := m.readOverrides(names, overrides)
	if err != nil {
		return nil, err
	}
	how, why := map[string]string{}, map[string]reason{}
	settle := func(name, to, by string) {
		m.to[name], m.taken[to], how[name] = to, name, by
	}
	for name, override := range asked {
		if m.to[name] = ""; override.To != "" {
			settle(name, override.To, Named)
		}
		why[name] = reason{words: "as told"}
	}
	open := m.undecided(names, why)
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, sameName} {
		m.matchExactly(&open, same, func(name, to string) { settle(name, to, Exact) }, why)
	}
	m.matchExactly(&open, m.means, func(name, to string) { settle(name, to, Known) }, why)
	m.matchSimilar(open, func(name, to string) { settle(name, to, Similar) }, why)
	m.explainTaken(open, why)
	for _, name := range distinct(names) {
		if name == "" {
			continue
		}
		if to := m.to[name]; to != "" {
			m.Pairs = append(m.Pairs, Pair{From: name, To: to, How: how[name], Form: asked[name].Form, Values: asked[name].Values})
			continue
		}
		m.to[name] = ""
		m.Pairs = append(m.Pairs, Pair{From: name, How: Dropped, Why: why[name].words, Could: why[name].could})
	}
	return m, nil
}

// reason says why a column is dropped, and which columns it may fit.
type reason struct {
	words string
	could []string
}

// readOverrides checks a person's choices against the file and the table.
func (m *Mapping) readOverrides(names []string, overrides []Override) (asked map[string]Override, err error) {
	asked = map[string]Override{}
	by, count := map[string]string{}, counted(names)
	for _, override := range overrides {
		from, to := override.From, override.To
		switch {
		case count[from] == 0:
			return nil, misused("map", "%s=%s: the file has no column %q; it has %s", from, to, from, listed(distinct(names)))
		case count[from] > 1 && to != "":
			return nil, misused("map", "%s=%s: several columns of the file are called %q; name them apart", from, to, from)
		}
		if _, known := m.table.column(to); to != "" && !known {
			return nil, misused("map", "%s=%s: table %s takes no column %q; it takes %s", from, to, m.table.Slug, to, m.Takes())
		}
		if other, twice := by[to]; twice && to != "" {
			return nil, misused("map", "sends both %q and %q to %s", other, from, to)
		}
		asked[from], by[to] = override, from
		if override.Form == "" && len(override.Values) == 0 {
			continue
		}
		if m.converts[from], err = m.chosenConversion(override); err != nil {
			return nil, err
		}
	}
	return asked, nil
}

// undecided returns the names that can still be matched.
func (m *Mapping) undecided(names []string, why map[string]reason) []string {
	var open []string
	count := counted(names)
	for _, name := range distinct(names) {
		_, decided := m.to[name]
		switch {
		case decided, name == "":
		case IsNote(name):
			why[name] = reason{words: "a note on a rejected record"}
		case count[name] > 1:
			why[name] = reason{words: "several columns have this name"}
		default:
			why[name] = reason{words: "the table has no such column"}
			open = append(open, name)
		}
	}
	return open
}

// matchExactly matches names that are equal to a column's. If two names fit one column, a
// person must decide.
func (m *Mapping) matchExactly(open *[]string, same func(a, b string) bool, settle func(name, to string),
	why map[string]reason) {
	for _, column := range m.table.accepted() {
		if m.taken[column.Name] != "" {
			continue
		}
		var fitting []string
		for _, name := range *open {
			if same(name, column.Name) {
				fitting = append(fitting, name)
			}
		}
		switch {
		case len(fitting) == 1:
			settle(fitting[0], column.Name)
		case len(fitting) > 1:
			for _, name := range fitting {
				why[name] = contested(column.Name, fitting)
			}
		}
		*open = slices.DeleteFunc(*open, func(name string) bool { return slices.Contains(fitting, name) })
	}
}

// matchSimilar matches names that are close to exactly one free column.
func (m *Mapping) matchSimilar(open []string, settle func(name, to string), why map[string]reason) {
	suitors := map[string][]string{}
	for _, name := range open {
		best, second := m.closest(name)
		switch {
		case best == "":
		case second != "":
			why[name] = reason{fmt.Sprintf("it could be %s or %s", best, second), []string{best, second}}
		default:
			suitors[best] = append(suitors[best], name)
		}
	}
	for to, names := range suitors {
		if len(names) == 1 {
			settle(names[0], to)
			continue
		}
		for _, name := range names {
			why[name] = contested(to, names)
		}
	}
}

func (m *Mapping) means(name, column string) bool { return means(m.table.Slug, name, column) }

// explainTaken says why names whose column was taken by another are dropped.
func (m *Mapping) explainTaken(open []string, why map[string]reason) {
	for _, column := range m.table.accepted() {
		by := m.taken[column.Name]
		for _, name := range open {
			if by != "" && by != name && m.to[name] == "" && (sameName(name, column.Name) || m.means(name, column.Name)) {
				why[name] = reason{words: fmt.Sprintf("%s comes from %q", column.Name, by)}
			}
		}
	}
}

// closest returns the free column most similar to the name, and another if it is about as
// similar.
func (m *Mapping) closest(name string) (best, second string) {
	var score, runnerUp float64
	for _, column := range m.table.accepted() {
		if m.taken[column.Name] != "" {
			continue
		}
		switch like := likeness(name, column.Name, m.table.Slug); {
		case like < likeEnough:
		case like > score:
			best, second, score, runnerUp = column.Name, best, like, score
		case like > runnerUp:
			second, runnerUp = column.Name, like
		}
	}
	if score-runnerUp > likeMargin {
		second = ""
	}
	return best, second
}

func contested(to string, names []string) reason {
	return reason{fmt.Sprintf("%s could all be %s", listed(names), to), []string{to}}
}

// listed lists some columns of a file, which may have very many.
func listed(names []string) string {
	const most = 20
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Takes lists the columns that the table accepts.
func (m *Mapping) Takes() string {
	var names []string
	for _, column := range m.table.accepted() {
		names = append(names, column.Name)
	}
	return strings.Join(names, ", ")
}

// Missing returns the columns that a new record needs and the file does not have.
func (m *Mapping) Missing() []string {
	var missing []string
	for _, column := range m.table.accepted() {
		if column.Required && m.taken[column.Name] == "" {
			missing = append(missing, column.Name)
		}
	}
	return missing
}

// Empty reports whether no column of the file would be sent.
func (m *Mapping) Empty() bool { return len(m.taken) == 0 }

// Learn maps a name that first appears in the middle of a stream. Only an exact match counts,
// because the mapping has already been shown.
func (m *Mapping) Learn(name string) (pair Pair, isNew bool) {
	if _, known := m.to[name]; known {
		return Pair{}, false
	}
	m.to[name] = ""
	pair = Pair{From: name, How: Dropped, Why: "the table has no such column"}
	for _, column := range m.table.accepted() {
		if !IsNote(name) && m.taken[column.Name] == "" && sameName(name, column.Name) {
			m.to[name], m.taken[column.Name] = column.Name, name
			pair = Pair{From: name, To: column.Name, How: Exact}
			break
		}
	}
	m.Pairs = append(m.Pairs, pair)
	return pair, !IsNote(name)
}

// Apply returns the record's fields under the names of the table's columns, with their values converted and without those
// that are dropped. A record with a field that could not be computed is broken from then on, unless the mapping drops the field or
// says what stands for it.
func (m *Mapping) Apply(record *Record) []Field {
	sent := make([]Field, 0, len(record.Fields))
	for _, field := range record.Fields {
		to := m.to[field.Name]
		if to == "" {
			continue
		}
		value := m.convert(field.Name, field.Value)
		if cell := record.Failed[field.Name]; cell != "" && bytes.Equal(value, field.Value) {
			record.Broken = fmt.Sprintf("cell %s is the error %s; correct its formula, or say what stands for it", cell,
				plainText(field.Value))
			record.Raw, record.Fields = string(Object(record.Fields)), nil
			return nil
		}
		field.Value = value
		field.Name = to
		if m.booleans {
			field.Value = m.boolean(field)
		}
		sent = append(sent, field)
	}
	return sent
}

// boolean reads TRUE and FALSE for a boolean column.
func (m *Mapping) boolean(field Field) []byte {
	if column, _ := m.table.column(field.Name); column.Type == "boolean" {
		switch string(field.Value) {
		case `"TRUE"`:
			return []byte("true")
		case `"FALSE"`:
			return []byte("false")
		}
	}
	return field.Value
}

func distinct(names []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		was := seen[name]
		seen[name] = true
		return was
	})
}

func counted(names []string) map[string]int {
	count := make(map[string]int, len(names))
	for _, name := range names {
		count[name]++
	}
	return count
}
