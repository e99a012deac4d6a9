package purchase_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/purchase"
)

var streams = regexp.MustCompile(`(?s)/FlateDecode /Length \d+>>\nstream\n(.*?)\nendstream`)

// read returns the text of a PDF as its pages encode it.
func read(t *testing.T, pdf []byte) string {
	t.Helper()
	var text strings.Builder
	for _, packed := range streams.FindAllSubmatch(pdf, -1) {
		content, err := zlib.NewReader(bytes.NewReader(packed[1]))
		require.NoError(t, err)
		_, err = io.Copy(&text, content)
		require.NoError(t, err)
	}
	return text.String()
}

// onPaper encodes a text as pages do.
func onPaper(text string) string {
	var out strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		out.WriteByte(byte(unit >> 8))
		out.WriteByte(byte(unit))
	}
	return out.String()
}

func (o *office) print(want purchase.Print) (string, error) {
	o.t.Helper()
	sheet, err := o.lines.Sheet(o.t.Context(), o.who[auth.Viewer], want, time.Now())
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	if err := sheet.WritePDF(o.t.Context(), &out); err != nil {
		return "", err
	}
	require.True(o.t, bytes.HasPrefix(out.Bytes(), []byte("%PDF-")))
	return read(o.t, out.Bytes()), nil
}

// line puts a line into the database as an external system could have left it.
func (o *office) line(order, sku, status, supplierID, supplierName, price string) {
	o.t.Helper()
	o.exec(`INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, status, quantity_ordered, price_per_unit, currency,
	        supplier_id, supplier_name, product_name) VALUES ($1, $2, $3 || '/' || $4, $3, $4, $5, 2, $6::text::numeric, 'EUR', nullif($7, ''), nullif($8, ''), 'An article')`,
		o.tenant.ID, o.tenant.Workspace, order, sku, status, price, supplierID, supplierName)
}

func TestSheet(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	lines, err := o.lines.Draft(t.Context(), o.maker, []purchase.NewLine{
		{Changes: purchase.Changes{OrderNo: set("PO/1 a"), ProductID: set("prod-1"), QuantityOrdered: set("3"),
			PricePerUnit: set("1.005"), Currency: set("EUR")}},
	})
	require.NoError(t, err)
	text, err := o.print(purchase.Print{OrderNo: "PO/1 a"})
	require.NoError(t, err)
	for _, want := range []string{"Purchase order PO/1 a", "Not an order yet: 1 of 1 lines are not approved.", "TEA",
		"Green tea", "1.005 EUR", "Total 3.015 EUR"} {
		require.Contains(t, text, onPaper(want), want)
	}

	_, err = o.lines.Cancel(t.Context(), o.maker, []purchase.Ref{{ID: lines[0].ID, Version: lines[0].Version}},
		"not needed")
	require.NoError(t, err)
	_, err = o.print(purchase.Print{OrderNo: "PO/1 a"})
	require.True(t, fault.HasCode(err, "nothing_ordered"), "%v", err)
	_, err = o.print(purchase.Print{OrderNo: "PO-none"})
	require.True(t, fault.HasCode(err, "unknown_order"), "%v", err)
}

// TestSheetIsAddressed prints an order of a workspace and a supplier that say everything of themselves,
// and of ones that say nothing.
func TestSheetIsAddressed(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.line("PO-1", "TEA", "ordered", "sup-1", "Tea House", "1234.5")
	missing := func() (codes []string) {
		sheet, err := o.lines.Sheet(t.Context(), o.who[auth.Viewer], purchase.Print{OrderNo: "PO-1"}, time.Now())
		require.NoError(t, err)
		for _, one := range sheet.Missing() {
			codes = append(codes, one.Code)
		}
		return codes
	}
	_, err := o.print(purchase.Print{OrderNo: "PO-1"})
	require.NoError(t, err, "what is missing prevents nothing")
	require.Equal(t, []string{"our_address", "delivery_address", "our_contact", "supplier_address", "supplier_language",
		"payment_terms"}, missing())

	o.exec(`UPDATE workspace.suppliers SET address = E'Am Kai 1\nHamburg', language = 'de', contact_name = 'Frau Berg', payment_terms_days = 30
		WHERE tenant_id = $1 AND id = 'sup-1'`, o.tenant.ID)
	o.exec("UPDATE workspace.products SET supplier_sku = 'GT/100', supplier_id = 'sup-1' WHERE tenant_id = $1 AND id = 'prod-1'", o.tenant.ID)
	o.exec(`UPDATE workspace.purchase_order_lines SET product_id = 'prod-1', expected_arrival_date = '2026-12-24'
		WHERE tenant_id = $1 AND sku = 'TEA'`, o.tenant.ID)
	o.exec(`UPDATE control.workspaces SET address = 'Dock Road 1', delivery_address = 'Gate 4', order_contact = 'Grace Hopper',
		order_email = 'buy@harbour.example', vat_id = 'GB1' WHERE tenant_id = $1`, o.tenant.ID)
	text, err := o.print(purchase.Print{OrderNo: "PO-1"})
	require.NoError(t, err)
	for _, want := range []string{"Bestellung PO-1", "Dock Road 1", "Grace Hopper", "buy@harbour.example", "GB1", "Tea House",
		"Am Kai 1", "Hamburg", "Frau Berg", "Lieferantennr.", "S1", "30 Tage", "Gate 4", "GT/100", "24.12.2026", "1.234,50 EUR",
		"Summe 2.469,00 EUR"} {
		require.Contains(t, text, onPaper(want), want)
	}
	require.Empty(t, missing())

	// The article now comes from somebody else, and so does its code.
	o.exec("UPDATE workspace.products SET supplier_id = NULL WHERE tenant_id = $1 AND id = 'prod-1'", o.tenant.ID)
	text, err = o.print(purchase.Print{OrderNo: "PO-1"})
	require.NoError(t, err)
	require.NotContains(t, text, onPaper("GT/100"))
}

// TestSheetShowsOneSupplierItsOwnLines checks that no supplier sees another's prices.
func TestSheetShowsOneSupplierItsOwnLines(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.exec("INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name) VALUES ($1, $2, 'sup-2', 'S2', 'Cup Works')", o.tenant.ID, o.tenant.Workspace)
	o.line("PO-MIX", "TEA-1", "ordered", "sup-1", "Tea House", "11")
	o.line("PO-MIX", "TEA-2", "ordered", "", "Tea House", "12") // the same supplier, by its name
	o.line("PO-MIX", "CUP-1", "ordered", "sup-2", "Cup Works", "13")
	o.line("PO-MIX", "BOX-1", "ordered", "", "Box & Sons", "14")
	o.line("PO-MIX", "ANY-1", "draft", "", "", "15")
	o.line("PO-MIX", "OLD-1", "cancelled", "", "Gone Ltd", "16")

	_, err := o.print(purchase.Print{OrderNo: "PO-MIX"})
	require.True(t, fault.HasCode(err, "several_suppliers"), "%v", err)
	require.EqualError(t, err,
		"this order goes to 3 suppliers: Box & Sons, Cup Works, Tea House; print it for one of them at a time")
	_, public := fault.Public(err)
	want := []purchase.OrderSupplier{{Name: "Box & Sons", Lines: 1}, {ID: "sup-2", Name: "Cup Works", Lines: 1},
		{ID: "sup-1", Name: "Tea House", Lines: 2}, {Lines: 1}}
	require.Equal(t, want, public.Details)
	suppliers, err := o.lines.OrderSuppliers(t.Context(), o.who[auth.Viewer], "PO-MIX")
	require.NoError(t, err)
	require.Equal(t, want, suppliers)

	all := []string{"TEA-1", "TEA-2", "CUP-1", "BOX-1", "ANY-1", "OLD-1"}
	for _, tt := range []struct {
		name  string
		want  purchase.Print
		skus  []string
		total string
	}{
		{"by id", purchase.Print{Supplier: "sup-1"}, []string{"TEA-1", "TEA-2"}, "Total 46.00 EUR"},
		{"by name, of a supplier with an id", purchase.Print{Supplier: "Tea House"}, []string{"TEA-1", "TEA-2"},
			"Total 46.00 EUR"},
		{"by name only", purchase.Print{Supplier: "Box & Sons"}, []string{"BOX-1"}, "Total 28.00 EUR"},
		{"without a supplier", purchase.Print{WithoutSupplier: true}, []string{"ANY-1"}, "Total 30.00 EUR"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.OrderNo = "PO-MIX"
			text, err := o.print(tt.want)
			require.NoError(t, err)
			require.Contains(t, text, onPaper(tt.total))
			for _, sku := range all {
				require.Equal(t, strings.Contains(strings.Join(tt.skus, " "), sku), strings.Contains(text, onPaper(sku)), sku)
			}
		})
	}
	for _, stranger := range []string{"sup-3", "Gone Ltd"} {
		_, err = o.print(purchase.Print{OrderNo: "PO-MIX", Supplier: stranger})
		require.True(t, fault.HasCode(err, "unknown_supplier"), "%v", err)
	}

	o.line("PO-ONE", "TEA-1", "ordered", "sup-1", "Tea House", "1")
	o.line("PO-ONE", "ANY-2", "draft", "", "", "2")
	text, err := o.print(purchase.Print{OrderNo: "PO-ONE"})
	require.NoError(t, err)
	require.Contains(t, text, onPaper("ANY-2"), "one supplier: its order is printed as a whole")

	// With two suppliers of one name, nobody knows to which a line with only the name
	// belongs.
	o.exec("INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name) VALUES ($1, $2, 'sup-4', 'S4', 'Tea House')", o.tenant.ID, o.tenant.Workspace)
	o.line("PO-TWINS", "TEA-1", "ordered", "sup-1", "Tea House", "1")
	o.line("PO-TWINS", "TEA-2", "ordered", "sup-4", "Tea House", "2")
	o.line("PO-TWINS", "TEA-3", "ordered", "", "Tea House", "3")
	suppliers, err = o.lines.OrderSuppliers(t.Context(), o.who[auth.Viewer], "PO-TWINS")
	require.NoError(t, err)
	require.Len(t, suppliers, 3)
}

// reader discards a PDF and keeps the largest heap size.
type reader struct {
	bytes  int64
	peak   uint64
	begins func()
}

func (r *reader) Write(piece []byte) (int, error) {
	if r.begins != nil {
		r.begins()
		r.begins = nil
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	r.peak = max(r.peak, memory.HeapAlloc)
	r.bytes += int64(len(piece))
	return len(piece), nil
}

const manyLines = 20_000

func (o *office) manyLines(order string) {
	o.exec(`INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, status, quantity_ordered, price_per_unit, currency,
	        supplier_id, supplier_name, product_name, note)
	        SELECT $1, $2, $3 || '/' || n, $3, 'SKU-' || n, 'ordered', 2, 1.25, 'EUR', 'sup-1', 'Tea House', 'Article number ' || n, md5(n::text) || ' ' || md5(n::text)
	        FROM generate_series(1, $4::int) n`, o.tenant.ID, o.tenant.Workspace, order, manyLines)
	o.exec("ANALYZE workspace.purchase_order_lines")
}

// TestSheetTakesConstantMemory prints 20,000 lines: the heap does not grow with them. It is
// not parallel: it measures the process.
func TestSheetTakesConstantMemory(t *testing.T) { //nolint:paralleltest // it measures the process
	o := newOffice(t)
	o.manyLines("PO-MANY")
	runtime.GC()
	runtime.GC() // pools are emptied by the second collection
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	start, out := time.Now(), &reader{}
	sheet, err := o.lines.Sheet(t.Context(), o.who[auth.Viewer], purchase.Print{OrderNo: "PO-MANY"}, start)
	require.NoError(t, err)
	require.NoError(t, sheet.WritePDF(t.Context(), out))
	grown := int64(out.peak) - int64(before.HeapAlloc)
	t.Logf("%d lines, %.1f MB, in %s; the heap grew by %.1f MB", manyLines, float64(out.bytes)/1e6,
		time.Since(start).Round(time.Millisecond), float64(grown)/1e6)
	require.Greater(t, out.bytes, int64(1_000_000))
	require.Less(t, grown, int64(32<<20), "the paper was collected in memory")
}

// TestSheetIsOfOneSupplier: an order that is printed is sent only if its supplier's record still says what it says.
func TestSheetIsOfOneSupplier(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.exec("UPDATE workspace.suppliers SET email = 'x@example.com' WHERE tenant_id = $1 AND id = 'sup-1'", o.tenant.ID)
	o.line("PO-1", "TEA", "ordered", "sup-1", "Tea House", "2")
	sheet, err := o.lines.Sheet(t.Context(), o.who[auth.Buyer], purchase.Print{OrderNo: "PO-1"}, time.Now())
	require.NoError(t, err)
	unchanged := func() error {
		return o.db.InTenant(t.Context(), o.tenant.ID, func(tx pgx.Tx) error { return sheet.Unchanged(t.Context(), tx) })
	}
	require.NoError(t, unchanged())
	o.exec("UPDATE workspace.suppliers SET email = 'orders@example.com' WHERE tenant_id = $1 AND id = 'sup-1'", o.tenant.ID)
	require.True(t, fault.HasCode(unchanged(), "order_changed"))
}

// TestSheetBreaksOffWhenTheOrderChanges changes a line while the paper is on its way.
func TestSheetBreaksOffWhenTheOrderChanges(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.manyLines("PO-MANY")
	sheet, err := o.lines.Sheet(t.Context(), o.who[auth.Viewer], purchase.Print{OrderNo: "PO-MANY"}, time.Now())
	require.NoError(t, err)
	err = sheet.WritePDF(t.Context(), &reader{begins: func() {
		o.exec("UPDATE workspace.purchase_order_lines SET price_per_unit = 9 WHERE tenant_id = $1 AND sku = $2", o.tenant.ID,
			"SKU-20000")
	}})
	require.True(t, fault.HasCode(err, "order_changed"), "%v", err)

	// A reader that goes away ends the printing.
	gone := errors.New("gone")
	pipe, broken := io.Pipe()
	require.NoError(t, pipe.CloseWithError(gone))
	sheet, err = o.lines.Sheet(t.Context(), o.who[auth.Viewer], purchase.Print{OrderNo: "PO-MANY"}, time.Now())
	require.NoError(t, err)
	require.ErrorIs(t, sheet.WritePDF(t.Context(), broken), gone)
}
