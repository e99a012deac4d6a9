//race:detect documents share the parsed fonts
package document_test

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/document"
)

// shown returns a text as an uncompressed file contains it: in UTF-16, with brackets escaped.
func shown(text string) string {
	var out strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		out.WriteByte(byte(unit >> 8))
		out.WriteByte(byte(unit))
	}
	return strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`, "\r", `\r`).Replace(out.String())
}

func pages(pdf []byte) int { return bytes.Count(pdf, []byte("/Type /Page\n")) }

var head = document.PurchaseOrder{
	Words: document.In("en"), Number: "PO/7 ü", Day: "15 November 2026", Buyer: document.Party{Name: "Harbour Goods"},
	Supplier: document.Party{Name: "Teehaus Łódź"}, Warning: "Not approved yet.", MadeAt: time.Unix(1_800_000_000, 0),
}

func line(n int) document.OrderLine {
	return document.OrderLine{
		SKU: fmt.Sprintf("TEA-%03d", n), Name: "Žlutý čaj", Expected: "2026-12-01", Quantity: "12", Price: "2.50 EUR",
		Total: "30.00 EUR", Note: "Ask for the green ones",
	}
}

// written returns the file of an order with these lines.
func written(t *testing.T, order document.PurchaseOrder, lines ...document.OrderLine) []byte {
	t.Helper()
	var out bytes.Buffer
	paper := order.Begin(&out)
	for _, one := range lines {
		require.NoError(t, paper.Line(one))
	}
	require.NoError(t, paper.Close([]string{"EUR 1,234.50"}))
	return out.Bytes()
}

// texts returns what an uncompressed file shows, in the order in which it is drawn.
func texts(pdf []byte) (shown []string) {
	for _, found := range showing.FindAllSubmatch(pdf, -1) {
		codes := escaped.ReplaceAll(found[1], []byte("$1"))
		var units []uint16
		for at := 0; at+1 < len(codes); at += 2 {
			units = append(units, uint16(codes[at])<<8|uint16(codes[at+1]))
		}
		shown = append(shown, string(utf16.Decode(units)))
	}
	return shown
}

var (
	showing = regexp.MustCompile(`(?s) Td \((.*?)\) Tj ET`)
	escaped = regexp.MustCompile(`(?s)\\(.)`)
)

func TestPurchaseOrderSaysEverythingInOneLanguage(t *testing.T) {
	t.Parallel()
	german := document.In("de-AT")
	order := document.PurchaseOrder{
		Words: german, Number: "PO-7", Day: german.Day(time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC)), Plain: true,
		Buyer: document.Party{Name: "Harbour Goods", Address: "Harbour Goods GmbH\nAm Kai 1\n20457 Hamburg",
			Contact: "Grace Hopper", Email: "einkauf@harbour.example", Number: "DE123456789"},
		Supplier: document.Party{Name: "Teehaus (Łódź)", Address: "Ulica 7\nŁódź", Contact: "Frau Berg", Number: "SUP-7"},
		Payment:  "30 Tage", DeliverTo: "Lager 2\nTor 4",
	}
	one := document.OrderLine{SKU: "TEA-1", SupplierSKU: "GT/100", Name: "Grüner Tee", Expected: "24.12.2026", Note: "lose",
		Quantity: "1.200", Price: "2,50 EUR", Total: "3.000,00 EUR"}
	require.Equal(t, []string{
		"Harbour Goods GmbH", "Ansprechpartner", "Grace Hopper", "Am Kai 1", "Antwort an", "einkauf@harbour.example",
		"20457 Hamburg", "USt-IdNr.", "DE123456789",
		"Bestellung PO-7",
		"Teehaus (Łódź)", "Datum", "5. März 2026", "Ulica 7", "Lieferantennr.", "SUP-7", "Łódź", "Zahlungsziel", "30 Tage",
		"Frau Berg",
		"Lieferanschrift", "Lager 2", "Tor 4",
		"Unsere Art.-Nr.", "Ihre Art.-Nr.", "Artikel", "Liefertermin", "Menge", "Preis", "Summe",
		"TEA-1", "GT/100", "Grüner Tee", "24.12.2026", "1.200", "2,50 EUR", "3.000,00 EUR", "lose",
		"Summe EUR 1,234.50",
		"Bestellung PO-7", "1 / ",
	}, texts(written(t, order, one)))
}

// TestPurchaseOrderLeavesOutWhatIsNotSaid checks that nothing stands without its value.
func TestPurchaseOrderLeavesOutWhatIsNotSaid(t *testing.T) {
	t.Parallel()
	bare := document.PurchaseOrder{Words: document.In("xx"), Number: "PO-7", Plain: true}
	require.Equal(t, []string{"Purchase order PO-7", "Our SKU", "Your SKU", "Article", "Expected", "Quantity", "Price", "Total",
		"Total EUR 1,234.50", "Purchase order PO-7", "1 / "}, texts(written(t, bare)))
}

func some(count int) (lines []document.OrderLine) {
	for n := range count {
		lines = append(lines, line(n))
	}
	return lines
}

func TestPurchaseOrderShowsEveryLine(t *testing.T) {
	t.Parallel()
	plain := head
	plain.Plain = true
	pdf := written(t, plain, some(200)...)
	require.True(t, bytes.HasPrefix(pdf, []byte("%PDF-1.")))
	text := string(pdf)
	for _, want := range []string{"Purchase order PO/7 ü", "Teehaus Łódź", "Not approved yet.", "TEA-000", "TEA-199",
		"Žlutý čaj", "Total EUR 1,234.50", "30.00 EUR"} {
		require.Contains(t, text, shown(want), want)
	}
	require.Equal(t, 200, strings.Count(text, shown("30.00 EUR")))
	// A line takes two rows of text and a rule, so a page holds about twenty lines.
	require.GreaterOrEqual(t, pages(pdf), 8)
	require.LessOrEqual(t, pages(pdf), 14)
	require.Equal(t, pages(pdf), strings.Count(text, shown("Expected")), "every page has the headings")
	require.Equal(t, pages(pdf), strings.Count(text, "/Pages Do"), "every page shows how many there are")
	require.Contains(t, text, "("+shown(fmt.Sprint(pages(pdf)))+") Tj", "and that is written once, at the end")
}

// TestPurchaseOrderCanBeFoundByItsObjects reads the file as PDF readers do: from its end to the
// table of objects, and from there to each object.
func TestPurchaseOrderCanBeFoundByItsObjects(t *testing.T) {
	t.Parallel()
	pdf := written(t, head, some(100)...)
	var start, count int
	tail := string(pdf[bytes.LastIndex(pdf, []byte("startxref")):])
	_, err := fmt.Sscanf(tail, "startxref\n%d\n%%%%EOF", &start)
	require.NoError(t, err)
	_, err = fmt.Sscanf(string(pdf[start:start+40]), "xref\n0 %d\n", &count)
	require.NoError(t, err)
	entries := strings.Split(string(pdf[start:]), "\n")[3 : 2+count]
	require.Len(t, entries, count-1)
	for i, entry := range entries {
		var offset int
		_, err := fmt.Sscanf(entry, "%010d 00000 n", &offset)
		require.NoError(t, err)
		require.True(t, bytes.HasPrefix(pdf[offset:], fmt.Appendf(nil, "%d 0 obj\n", i+1)), "object %d", i+1)
	}
}

func TestPurchaseOrderIsSmallAndTheSameEveryTime(t *testing.T) {
	t.Parallel()
	one := written(t, head, some(3)...)
	require.Equal(t, 1, pages(one))
	require.Less(t, len(one), 60<<10, "only the letters that are used are in the file")
	require.Equal(t, one, written(t, head, some(3)...))
}

func TestPurchaseOrderTakesAnyText(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"emoji": "tea 🍵", "chinese": "绿茶", "control": "a\x00b\x07", "long word": strings.Repeat("w", 500),
		"lines":            "\n\na\n\nb\n",
		"a page of a note": strings.Repeat("A long note that goes on and on. ", 300), "broken": "a\xffb", "empty": "",
		"all of it": everyCharacter(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			order, one := head, line(1)
			order.Buyer = document.Party{Name: text, Address: text, Contact: text, Email: text, Number: text}
			order.Supplier, order.DeliverTo, order.Payment = order.Buyer, text, text
			order.Number = text[:min(len(text), 300)] // every page shows the number
			one.SKU, one.SupplierSKU, one.Note, one.Name = text, text, text, text
			require.GreaterOrEqual(t, pages(written(t, order, one)), 1)
		})
	}
}

func everyCharacter() string {
	var out strings.Builder
	for char := range rune(0x11000) {
		out.WriteRune(char)
	}
	return out.String()
}

// brokenPipe accepts a few bytes and then fails.
type brokenPipe struct{ left int }

func (p *brokenPipe) Write(piece []byte) (int, error) {
	if p.left -= len(piece); p.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(piece), nil
}

func TestPurchaseOrderEndsWhenNobodyReads(t *testing.T) {
	t.Parallel()
	paper := head.Begin(&brokenPipe{left: 100 << 10})
	taken := 0
	for ; taken < 100_000; taken++ {
		if err := paper.Line(line(taken)); err != nil {
			require.ErrorIs(t, err, io.ErrClosedPipe)
			break
		}
	}
	require.Less(t, taken, 100_000)
	require.ErrorIs(t, paper.Close(nil), io.ErrClosedPipe)
}
