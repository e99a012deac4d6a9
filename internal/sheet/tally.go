package sheet

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quayside/quayside/internal/written"
)

const (
	// mostValues is how many different values of a column are counted, and longestCounted how long, as
	// JSON, each may be. A column with more or longer ones has no closed set of values.
	mostValues     = 50
	longestCounted = 60
	// mostListed limits the values that are kept of a whole file.
	mostListed = 1000
)

// Tally is what the values of one column of a file are like.
type Tally struct {
	Numbers written.Evidence `json:"numbers,omitzero"`
	Days    written.Evidence `json:"days,omitzero"`
	Values  []Counted        `json:"values,omitempty"` // the most frequent first; none if there are too many
}

// Counted is one value, as JSON, and how often it occurs.
type Counted struct {
	Value string `json:"value"`
	Count int64  `json:"count"`
}

// tallies are the tallies of a file's columns while it is read.
type tallies map[string]*tally

type tally struct {
	Tally
	counts map[string]int64 // nil: there are too many values
}

func (t tallies) add(record Record) {
	for _, field := range record.Fields {
		one := t[field.Name]
		if one == nil {
			if len(t) == mostColumns {
				continue
			}
			one = &tally{counts: map[string]int64{}}
			t[field.Name] = one
		}
		one.add(field.Value, cmp.Or(record.Line, int(record.Number)))
	}
}

func (t *tally) add(value jsontext.Value, line int) {
	kind := value.Kind()
	if kind == jsontext.KindNull {
		return
	}
	if kind == jsontext.KindString {
		if text := plainText(value); strings.TrimSpace(text) != "" {
			t.Numbers.Add(written.AsNumber, text, line)
			t.Days.Add(written.AsDay, text, line)
		}
	}
	if t.counts == nil {
		return
	}
	t.counts[string(canonical(value))]++
	if len(t.counts) > mostValues || len(value) > longestCounted {
		t.counts = nil
	}
}

// done returns the tallies of columns that have one. If all values together are too many, columns with
// few values keep theirs: those have a closed set.
func (t tallies) done() map[string]Tally {
	done := map[string]Tally{}
	left := mostListed
	byCount := func(a, b string) int {
		return cmp.Or(cmp.Compare(len(t[a].counts), len(t[b].counts)), strings.Compare(a, b))
	}
	for _, name := range slices.SortedFunc(maps.Keys(t), byCount) {
		one := t[name]
		for _, evidence := range []*written.Evidence{&one.Numbers, &one.Days} {
			if *evidence == (written.Evidence{Not: evidence.Not}) {
				*evidence = written.Evidence{} // a column of texts
			}
		}
		if left -= len(one.counts); left >= 0 {
			for value, count := range one.counts {
				one.Values = append(one.Values, Counted{value, count})
			}
			slices.SortFunc(one.Values, func(a, b Counted) int {
				return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
			})
		}
		done[name] = one.Tally
	}
	return done
}

// plainText returns the text of a JSON string.
func plainText(value jsontext.Value) string {
	text, err := jsontext.AppendUnquote(nil, value)
	if err != nil {
		return ""
	}
	return string(text)
}

// canonical returns a value in one spelling: "A" is "\u0041". Numbers keep theirs.
func canonical(value jsontext.Value) jsontext.Value {
	if value.Kind() == jsontext.KindString {
		return quoted(plainText(value))
	}
	value = value.Clone()
	_ = value.Compact() // it is valid
	return value
}
