package sheet

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/written"
)

// surveyed reads a file of text.
func surveyed(t *testing.T, name, content string) Survey {
	t.Helper()
	file := File{Name: name, Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(content)), nil
	}}
	source, err := Recognise(t.Context(), file, Reading{}, Limits{})
	require.NoError(t, err)
	found, err := source.Survey(t.Context())
	require.NoError(t, err)
	return found
}

func TestTallies(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	rows.WriteString("price;day;active;name\n")
	for i := range 60 {
		rows.WriteString("1.240;03.04.2026;" + map[bool]string{true: "Ja", false: "Nein"}[i%3 > 0] + ";" + strings.Repeat("x", i+1) + "\n")
	}
	rows.WriteString("1.240,50;31.12.2026;;\n")
	found := surveyed(t, "a.csv", rows.String()).Tallies
	require.Equal(t, written.Evidence{Either: written.Seen{Count: 60, Text: "1.240", Line: 2},
		Only: [2]written.Seen{1: {Count: 1, Text: "1.240,50", Line: 62}}}, found["price"].Numbers, "the last row counts")
	require.Equal(t, written.Seen{Count: 1, Text: "31.12.2026", Line: 62}, found["day"].Days.Only[0])
	require.Equal(t, []Counted{{`"Ja"`, 40}, {`"Nein"`, 20}}, found["active"].Values)
	require.Equal(t, Tally{}, found["name"], "a text, and too many of them")

	found = surveyed(t, "a.ndjson", `{"a":1.240,"b":"\u0041"}`+"\n"+`{"a":null,"b":"A"}`+"\n").Tallies
	require.Zero(t, found["a"].Numbers, "a JSON number has one meaning")
	require.Equal(t, []Counted{{"1.240", 1}}, found["a"].Values)
	require.Equal(t, []Counted{{`"A"`, 2}}, found["b"].Values)
}

// TestListedValuesAreLimited keeps the values of the columns with few of them.
func TestListedValuesAreLimited(t *testing.T) {
	t.Parallel()
	values := tallies{}
	for i := range 40 {
		fields := []Field{{"status", quoted([]string{"open", "closed"}[i%2])}}
		for c := range 30 {
			fields = append(fields, Field{"c" + string(rune('A'+c)), quoted(strings.Repeat("v", i+1))})
		}
		values.add(Record{Number: int64(i + 1), Fields: fields})
	}
	done, kept := values.done(), 0
	for _, one := range done {
		kept += len(one.Values)
	}
	require.Len(t, done["status"].Values, 2)
	require.LessOrEqual(t, kept, mostListed)
	require.Greater(t, kept, mostListed/2)
}

func TestConversion(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	for _, tt := range []struct {
		name, to, sent, want string
		form                 written.Form
	}{
		{"a number", "total", `"1.240,50"`, `1240.50`, written.CommaDecimal},
		{"thousands", "total", `"1.240"`, `1240`, written.CommaDecimal},
		{"the same text is a decimal", "total", `"1.240"`, `"1.240"`, written.PointDecimal},
		{"spaces", "total", `" 1 240 "`, `1240`, written.PointDecimal},
		{"a plain number stays as it is", "total", `"12"`, `"12"`, written.CommaDecimal},
		{"not a number", "total", `"12,50 €"`, `"12,50 €"`, written.CommaDecimal},
		{"a JSON number", "total", `1.240`, `1.240`, written.CommaDecimal},
		{"a day", "ordered_at", `"03.04.2026"`, `"2026-04-03"`, written.DayFirst},
		{"a day of an American", "ordered_at", `"03.04.2026"`, `"2026-03-04"`, written.MonthFirst},
		{"a time in winter", "ordered_at", `"31.12.2026 9:30"`, `"2026-12-31T09:30:00+01:00"`, written.DayFirst},
		{"a time in summer", "ordered_at", `"31.7.2026 9:30"`, `"2026-07-31T09:30:00+02:00"`, written.DayFirst},
		{"the year in front, whatever the form", "ordered_at", `"2026/04/03"`, `"2026-04-03"`, written.MonthFirst},
		{"a time with its zone", "ordered_at", `"2026-04-03T09:30:00Z"`, `"2026-04-03T09:30:00Z"`, written.DayFirst},
		{"a text", "note", `"1.240,50"`, `"1.240,50"`, ""},
		{"nobody said how", "total", `"1.240,50"`, `"1.240,50"`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := NewMapping(orders, []string{"x"}, []Override{{From: "x", To: tt.to, Form: tt.form}})
			require.NoError(t, err)
			m.ReadTimesIn(berlin)
			require.Equal(t, tt.want, string(m.Apply(&Record{Fields: []Field{{"x", []byte(tt.sent)}}})[0].Value))
		})
	}
}

func TestReplacements(t *testing.T) {
	t.Parallel()
	m, err := NewMapping(orders, []string{"Test"}, []Override{{From: "Test", To: "is_test",
		Values: []Replacement{{`"Ja"`, "true"}, {`"\u004eein"`, "false"}, {`"?"`, "null"}}}})
	require.NoError(t, err)
	for sent, want := range map[string]string{`"Ja"`: "true", `"J\u0061"`: "true", `"Nein"`: "false", `"?"`: "null", `"ja"`: `"ja"`} {
		require.Equal(t, want, string(m.Apply(&Record{Fields: []Field{{"Test", []byte(sent)}}})[0].Value), sent)
	}
	require.Equal(t, []Replacement{{`"Ja"`, "true"}, {`"\u004eein"`, "false"}, {`"?"`, "null"}}, m.Pairs[0].Values)
}

func TestSettle(t *testing.T) {
	t.Parallel()
	found := surveyed(t, "a.csv", "total;subtotal;tax_total;lead_time_days;ordered_at;note\n"+
		"1.240;1.240;1,5;12;03.04.2026;1.240\n2.000;0,50;1.5;7;04.04.2026;x\n")
	mapped := func(overrides ...Override) (*Mapping, []string) {
		m, err := NewMapping(orders, found.Names, overrides)
		require.NoError(t, err)
		return m, m.Settle(found.Tallies)
	}
	m, asked := mapped()
	require.Equal(t, []string{"total", "tax_total", "ordered_at"}, asked)
	forms := map[string]written.Form{}
	for _, pair := range m.Pairs {
		forms[pair.From] = pair.Form
	}
	require.Equal(t, map[string]written.Form{"total": "", "subtotal": written.CommaDecimal, "tax_total": "",
		"lead_time_days": written.PointDecimal, "ordered_at": "", "note": ""}, forms)
	row := m.Apply(&Record{Fields: []Field{{"total", quoted("1.240")}, {"subtotal", quoted("1.240")}, {"note", quoted("1.240")}}})
	require.Equal(t, `{"total":"1.240","subtotal":1240,"note":"1.240"}`, string(Object(row)), "nothing is guessed")

	_, asked = mapped(Override{From: "total", To: "total", Form: written.CommaDecimal},
		Override{From: "tax_total", To: "tax_total", Form: written.PointDecimal}, Override{From: "ordered_at"})
	require.Empty(t, asked, "said, or left out")
	m, _ = mapped(Override{From: "subtotal", To: "subtotal", Form: written.PointDecimal})
	require.Equal(t, written.PointDecimal, m.Pairs[1].Form, "a person overrules the file")

	m, err := NewMapping(orders, []string{"total"}, nil)
	require.NoError(t, err)
	require.Empty(t, m.Settle(nil))
	require.Empty(t, m.Pairs[0].Form, "the values were not read")
}
