package httpapi

import (
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/sheet"
	"github.com/quayside/quayside/internal/upload"
	"github.com/quayside/quayside/internal/written"
)

type (
	columnReadingJSON struct {
		Kind    written.Kind      `json:"kind" enum:"number,date"`
		Verdict written.Verdict   `json:"verdict" enum:"settled,ambiguous,contradictory" doc:"settled: some value can be read in one form only. ambiguous: every value can be read in two ways. contradictory: some values can be read in one form only, and others only in the other."`
		Form    written.Form      `json:"form,omitempty" enum:"decimal_point,decimal_comma,day_first,month_first" doc:"The form in which the values are read. Absent if a person must say it before the import can start."`
		Either  *seenTextsJSON    `json:"either,omitempty" doc:"Values with another meaning in each form."`
		Forms   []writtenFormJSON `json:"forms" doc:"The two forms."`
		Not     *seenTextsJSON    `json:"not,omitempty" doc:"Values that are written in neither form. They are sent as they are."`
	}
	importValueJSON struct {
		Value string `json:"value" doc:"As JSON."`
		Count int64  `json:"count" doc:"In how many records of the file."`
	}
	seenTextsJSON struct {
		Count int64  `json:"count"`
		Text  string `json:"text" doc:"The first of them."`
		Line  int    `json:"line" doc:"The line of the first of them."`
	}
	writtenFormJSON struct {
		Form written.Form   `json:"form" enum:"decimal_point,decimal_comma,day_first,month_first"`
		Only *seenTextsJSON `json:"only,omitempty" doc:"Values that can be read in this form only."`
		Is   string         `json:"is,omitempty" doc:"The meaning of the first value of either in this form."`
	}
)

// toColumnReadingJSON returns how a column of numbers or days is written, unless it makes no difference.
func toColumnReadingJSON(column upload.Column) *columnReadingJSON {
	kind := sheet.KindOf(string(column.Target.Type))
	evidence := column.Tally.Evidence(kind)
	verdict, _ := evidence.Verdict(kind)
	if kind == "" || verdict == written.Same {
		return nil
	}
	out := &columnReadingJSON{Kind: kind, Verdict: verdict, Form: column.Form, Either: toSeenTextsJSON(evidence.Either),
		Not: toSeenTextsJSON(evidence.Not)}
	for i, form := range written.Rivals[kind] {
		is, _ := kind.Read(form, evidence.Either.Text)
		out.Forms = append(out.Forms, writtenFormJSON{form, toSeenTextsJSON(evidence.Only[i]), is})
	}
	return out
}

func toSeenTextsJSON(seen written.Seen) *seenTextsJSON {
	if seen.Count == 0 {
		return nil
	}
	return &seenTextsJSON{seen.Count, seen.Text, seen.Line}
}

// closedValues returns the values of a column that goes to one with a closed set of values.
func closedValues(column upload.Column) (values []importValueJSON) {
	if column.Target.Choices == nil && column.Target.Type != registry.Boolean {
		return nil
	}
	for _, one := range column.Tally.Values {
		values = append(values, importValueJSON{one.Value, one.Count})
	}
	return values
}
