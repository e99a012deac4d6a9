package written_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quayside/quayside/internal/written"
	"github.com/quayside/quayside/test/property"
)

func weigh(kind written.Kind, texts ...string) (e written.Evidence) {
	for i, text := range texts {
		e.Add(kind, text, i+2)
	}
	return e
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		texts string
		kind  written.Kind
		says  written.Verdict
		form  written.Form
		by    string // the text that settles it, or that is asked about
	}{
		{"12|7|1 240", written.AsNumber, written.Same, written.PointDecimal, ""},
		{"1.240|2.500", written.AsNumber, written.Ambiguous, "", "1.240"},
		{"12|1,240", written.AsNumber, written.Ambiguous, "", "1,240"},
		{"1.240|7|1.240,50|2,5", written.AsNumber, written.Settled, written.CommaDecimal, "1.240,50"},
		{"1,240|1,240.50", written.AsNumber, written.Settled, written.PointDecimal, "1,240.50"},
		{"1.240|0.125", written.AsNumber, written.Settled, written.PointDecimal, "0.125"},
		{"1.234.567", written.AsNumber, written.Settled, written.CommaDecimal, "1.234.567"},
		{"1,5|1.5", written.AsNumber, written.Contradictory, "", ""},
		{"soon|12,50 €", written.AsNumber, written.Same, written.PointDecimal, ""},
		{"", written.AsNumber, written.Same, written.PointDecimal, ""},

		{"2026-12-31|20261231|2026/12/31", written.AsDay, written.Same, written.DayFirst, ""},
		{"03.03.2026", written.AsDay, written.Same, written.DayFirst, ""},
		{"03.04.2026|2026-12-31", written.AsDay, written.Ambiguous, "", "03.04.2026"},
		{"03/04/2026|31/12/2026", written.AsDay, written.Settled, written.DayFirst, "31/12/2026"},
		{"03/04/2026|12/31/2026 9:30", written.AsDay, written.Settled, written.MonthFirst, "12/31/2026 9:30"},
		{"31.12.2026|12/31/2026", written.AsDay, written.Contradictory, "", ""},
		{"2026-12-31T09:30:00Z", written.AsDay, written.Same, written.DayFirst, ""}, // no form reads it, and none must
	} {
		e := weigh(tt.kind, strings.Split(tt.texts, "|")...)
		says, form := e.Verdict(tt.kind)
		require.Equal(t, []any{tt.says, tt.form}, []any{says, form}, tt.texts)
		require.Equal(t, tt.by, map[written.Verdict]string{
			written.Ambiguous: e.Either.Text, written.Settled: e.Only[0].Text + e.Only[1].Text,
		}[says], tt.texts)
	}
}

func TestEvidenceSaysWhere(t *testing.T) {
	t.Parallel()
	e := weigh(written.AsNumber, "1.240", "soon", "3.100", "7", strings.Repeat("1", 100))
	require.Equal(t, written.Seen{Count: 2, Text: "1.240", Line: 2}, e.Either)
	require.Equal(t, written.Seen{Count: 2, Text: "soon", Line: 3}, e.Not, "too long to be a number")
	require.Equal(t, written.Seen{Count: 1, Text: "7", Line: 5}, e.Alike)
}

// TestDetectedFormReadsWhatItWrote writes numbers and days in a form. What is detected from the texts is
// that form, or nothing, and reads back what was written.
func TestDetectedFormReadsWhatItWrote(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		form := rapid.SampledFrom([]written.Form{written.PointDecimal, written.CommaDecimal}).Draw(t, "form")
		var texts, wanted []string
		for range rapid.IntRange(1, 8).Draw(t, "count") {
			whole := rapid.IntRange(0, 9_999_999).Draw(t, "whole")
			cents := rapid.StringMatching(`|[0-9]{1,4}`).Draw(t, "cents")
			texts = append(texts, writeNumber(form, whole, cents, rapid.Bool().Draw(t, "grouped")))
			wanted = append(wanted, strings.TrimSuffix(fmt.Sprintf("%d.%s", whole, cents), "."))
		}
		requireReadBack(t, written.AsNumber, form, texts, wanted)
	})
	property.Check(t, func(t *rapid.T) {
		form := rapid.SampledFrom([]written.Form{written.DayFirst, written.MonthFirst}).Draw(t, "form")
		layout := strings.ReplaceAll("02/01/2006", "/", rapid.SampledFrom([]string{".", "/", "-"}).Draw(t, "separator"))
		if form == written.MonthFirst {
			layout = "01" + layout[2:3] + "02" + layout[5:]
		}
		var texts, wanted []string
		for range rapid.IntRange(1, 8).Draw(t, "count") {
			day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 800).Draw(t, "day"))
			texts, wanted = append(texts, day.Format(layout)), append(wanted, day.Format(time.DateOnly))
		}
		requireReadBack(t, written.AsDay, form, texts, wanted)
	})
}

func requireReadBack(t *rapid.T, kind written.Kind, form written.Form, texts, wanted []string) {
	e := weigh(kind, texts...)
	says, detected := e.Verdict(kind)
	require.NotEqual(t, written.Contradictory, says, texts)
	require.Zero(t, e.Not.Count, texts)
	if says == written.Settled {
		require.Equal(t, form, detected, texts)
	}
	if says == written.Ambiguous {
		return
	}
	for i, text := range texts {
		read, ok := kind.Read(detected, text)
		require.True(t, ok, text)
		require.Equal(t, wanted[i], read, text)
	}
}

func writeNumber(form written.Form, whole int, cents string, grouped bool) string {
	text, point, comma := fmt.Sprint(whole), ".", ","
	if form == written.CommaDecimal {
		point, comma = ",", "."
	}
	if grouped {
		for at := len(text) - 3; at > 0; at -= 3 {
			text = text[:at] + comma + text[at:]
		}
	}
	if cents != "" {
		text += point + cents
	}
	return text
}
