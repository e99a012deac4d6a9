package document_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/document"
)

// shown is a text as an uncompressed file holds it: in UTF-16, with brackets escaped.
func shown(text string) string {
	var out strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		out.WriteByte(byte(unit >> 8))
		out.WriteByte(byte(unit))
	}
	return strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`, "\r", `\r`).Replace(out.String())
}

func pages(pdf []byte) int { return bytes.Count(pdf, []byte("/Type /Page\n")) }

func order(lines int) document.PurchaseOrder {
	o := document.PurchaseOrder{
		Company: "Harbour Goods", Workspace: "Main", Number: "PO/7 ü", Day: "15 November 2026", Suppliers: []string{"Teehaus Łódź"},
		Warning: "Not approved yet.", Totals: []string{"EUR 1,234.50"}, MadeAt: time.Unix(1_800_000_000, 0),
	}
	for n := range lines {
		o.Lines = append(o.Lines, document.OrderLine{
			SKU: fmt.Sprintf("TEA-%03d", n), Name: "Žlutý čaj", Expected: "2026-12-01", Quantity: "12", Price: "2.50 EUR", Total: "30.00 EUR", Note: "Ask for the green ones",
		})
	}
	return o
}

func TestPurchaseOrderShowsEveryLine(t *testing.T) {
	t.Parallel()
	pdf, err := order(200).PDF(true)
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(pdf, []byte("%PDF-1.")))
	text := string(pdf)
	for _, want := range []string{"Purchase order PO/7 ü", "Teehaus Łódź", "Not approved yet.", "TEA-000", "TEA-199", "Žlutý čaj", "Total EUR 1,234.50", "30.00 EUR"} {
		require.Contains(t, text, shown(want), want)
	}
	require.Equal(t, 200, strings.Count(text, shown("30.00 EUR")))
	// Two rows of text for each line, and its rule: some twenty lines to a page.
	require.GreaterOrEqual(t, pages(pdf), 8)
	require.LessOrEqual(t, pages(pdf), 14)
	require.Equal(t, pages(pdf), strings.Count(text, shown("Expected")), "every page has the headings")
}

func TestPurchaseOrderIsSmallAndTheSameEveryTime(t *testing.T) {
	t.Parallel()
	one, err := order(3).PDF(false)
	require.NoError(t, err)
	two, err := order(3).PDF(false)
	require.NoError(t, err)
	require.Equal(t, 1, pages(one))
	require.Less(t, len(one), 60<<10, "only the letters that are used are in the file")
	require.Equal(t, len(one), len(two))
}

func TestPurchaseOrderTakesAnyText(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"emoji": "tea 🍵", "chinese": "绿茶", "control": "a\x00b\x07", "long word": strings.Repeat("w", 500),
		"a page of a note": strings.Repeat("A long note that goes on and on. ", 300), "broken": "a\xffb",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := order(1)
			o.Company, o.Lines[0].SKU, o.Lines[0].Note, o.Number = text, text, text, text
			pdf, err := o.PDF(false)
			require.NoError(t, err)
			require.GreaterOrEqual(t, pages(pdf), 1)
		})
	}
}
