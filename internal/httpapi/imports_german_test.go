package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/sheet"
)

// TestImportOfAGermanFile imports a file as a German spreadsheet writes it: names, numbers, days, words.
func TestImportOfAGermanFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.work()
	q := w.quay(auth.Buyer)
	file, err := charmap.Windows1252.NewEncoder().String(
		"Artikelnummer;Bezeichnung;Einkaufspreis;Währung;Lagerbestand;Bestandsdatum;Auslaufartikel;Status\n" +
			"TEE-1;Grüner Tee;1.240,50;EUR;1.240;31.12.2025 14:30;Nein;active\n" +
			"TEE-2;Früchtetee;0,75;EUR;12;03.04.2026;Ja;aktiv\n" +
			"TEE-3;Öltuch;12;EUR;3.100;;vielleicht;active\n")
	require.NoError(t, err)
	one := decode[fileImport](t, q.upload("products", "artikel.csv", file), http.StatusCreated)
	require.Equal(t, "CSV, semicolon, windows-1252", one.About)

	type seen struct {
		Count int64
		Text  string
		Line  int
	}
	type column struct {
		From, To, How string
		Reading       *struct {
			Kind, Verdict, Form string
			Either              *seen
			Forms               []struct {
				Form, Is string
				Only     *seen
			}
		}
		Values []struct {
			Value string
			Count int64
		}
	}
	type preview struct {
		Asked   []string
		Columns []column
		Records []struct {
			Status  int
			Message string
			Fields  []struct{ Name, Value string }
		}
	}
	look := func(choice any) (p preview, by map[string]column) {
		p = decode[preview](t, q.call(http.MethodPost, q.at(one.ID, "/preview"), choice), http.StatusOK)
		by = map[string]column{}
		for _, c := range p.Columns {
			by[c.From] = c
		}
		return p, by
	}
	p, by := look(map[string]any{})
	to := map[string]string{}
	for name, c := range by {
		to[name] = c.To + "/" + c.How
	}
	require.Equal(t, map[string]string{"Artikelnummer": "sku/known", "Bezeichnung": "name/known", "Einkaufspreis": "unit_cost/known",
		"Währung": "currency/known", "Lagerbestand": "stock_on_hand/known", "Bestandsdatum": "stock_updated_at/known",
		"Auslaufartikel": "do_not_reorder/known", "Status": "status/exact"}, to)
	require.Equal(t, []string{"Lagerbestand"}, p.Asked)
	price := by["Einkaufspreis"].Reading
	require.Equal(t, []any{"number", "settled", "decimal_comma", &seen{2, "1.240,50", 2}},
		[]any{price.Kind, price.Verdict, price.Form, price.Forms[1].Only})
	require.Nil(t, price.Forms[0].Only)
	require.Equal(t, []any{"date", "settled", "day_first"}, []any{by["Bestandsdatum"].Reading.Kind, by["Bestandsdatum"].Reading.Verdict,
		by["Bestandsdatum"].Reading.Form})
	asked := by["Lagerbestand"].Reading
	require.Equal(t, []any{"ambiguous", "", &seen{2, "1.240", 2}, "1.240", "1240"}, []any{asked.Verdict, asked.Form, asked.Either,
		asked.Forms[0].Is, asked.Forms[1].Is})
	require.Len(t, by["Auslaufartikel"].Values, 3)
	require.Equal(t, `"active"`, by["Status"].Values[0].Value)
	require.Empty(t, by["Bezeichnung"].Values, "no closed set")
	require.Nil(t, by["Bezeichnung"].Reading)

	got := requireProblem(t, q.call(http.MethodPost, q.at(one.ID, "/start"), map[string]any{}), http.StatusUnprocessableEntity, "unanswered")
	require.Contains(t, got.Detail, "Lagerbestand")

	chosen := []map[string]any{
		{"from": "Lagerbestand", "to": "stock_on_hand", "form": "decimal_comma"},
		{"from": "Auslaufartikel", "to": "do_not_reorder", "values": []map[string]string{
			{"from": `"Ja"`, "to": "true"}, {"from": `"Nein"`, "to": "false"}}},
		{"from": "Status", "to": "status", "values": []map[string]string{{"from": `"aktiv"`, "to": `"active"`}}},
	}
	p, _ = look(map[string]any{"mapping": chosen})
	require.Empty(t, p.Asked)
	sent := map[string]string{}
	for _, field := range p.Records[0].Fields {
		sent[field.Name] = field.Value
	}
	require.Equal(t, map[string]string{"sku": `"TEE-1"`, "name": `"Grüner Tee"`, "unit_cost": "1240.50", "currency": `"EUR"`,
		"stock_on_hand": "1240", "stock_updated_at": `"2025-12-31T14:30:00Z"`, "do_not_reorder": "false", "status": `"active"`}, sent)
	require.Contains(t, p.Records[2].Message, `"vielleicht" is not true or false`, "left to fail")
	p, by = look(map[string]any{})
	require.Empty(t, p.Asked, "a reload keeps the answers")
	require.Equal(t, "decimal_comma", by["Lagerbestand"].Reading.Form)

	q.start(one.ID)
	require.Equal(t, []string{"true"}, w.read("workspace.imports", "NOT found ? 'tallies'", "1"))
	ended := q.ended(one.ID)
	require.Equal(t, "done", ended.Status, ended.Message)
	require.Equal(t, [6]int64{3, 2, 0, 0, 1, 0}, ended.counts())
	require.Equal(t, []string{"TEE-1 | Grüner Tee | 1240.50 | 1240 | 2025-12-31 14:30:00 | false | active",
		"TEE-2 | Früchtetee | 0.75 | 12 | 2026-04-03 00:00:00 | true | active"},
		w.read("workspace.products", "sku, name, unit_cost, stock_on_hand, stock_updated_at AT TIME ZONE 'UTC', do_not_reorder, status", "1"))
}

// TestSynonymsAreOfColumns checks the synonyms against the tables: each is of a column that records may
// carry, and none is the name of another one.
func TestSynonymsAreOfColumns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tables := map[string][]string{}
	for _, slug := range w.read("workspace.registry_tables WHERE tenant_id = '00000000-0000-0000-0000-000000000000'", "slug", "1") {
		tables[slug] = w.read("workspace.registry_columns WHERE accepted AND tenant_id = '00000000-0000-0000-0000-000000000000' AND slug = '"+slug+"'",
			"name", "1")
	}
	require.Len(t, tables, 7)
	for _, one := range sheet.Synonyms() {
		known := 0
		for slug, columns := range tables {
			if one.Table != "*" && one.Table != slug {
				continue
			}
			table := &sheet.Table{Slug: slug}
			for _, name := range columns {
				table.Columns = append(table.Columns, sheet.Column{Name: name, Accepted: true})
				if name == one.Column {
					known++
				}
			}
			// With all of the table's own names in the file, a synonym takes none of them.
			m, err := sheet.NewMapping(table, append([]string{one.Name}, columns...), nil)
			require.NoError(t, err)
			for _, pair := range m.Pairs {
				if pair.To != "" {
					require.Equal(t, pair.From, pair.To, slug)
				}
			}
			if m.Pairs[0].From == one.Name && known > 0 {
				require.Empty(t, m.Pairs[0].To, "%s: %s is the name of a column", slug, one.Name)
			}
		}
		require.Positive(t, known, "%s has no column %s", one.Table, one.Column)
	}
}
