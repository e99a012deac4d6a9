package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/charmap"

	"github.com/quayside/quayside/internal/auth"
)

type fileImport struct {
	ID                                               uuid.UUID
	Slug, Status, Message, About, Format             string
	Cancelling                                       bool
	FileName                                         string `json:"file_name"`
	Bytes                                            int64
	Reading                                          struct{ Delimiter, Encoding, Sheet string }
	Sheets                                           []string
	Mapping                                          []mapped
	ByID                                             string `json:"by_id"`
	Total, Done                                      int64
	Created, Updated, Unchanged, Refused, Unreadable int64
	RejectsUntil                                     *time.Time `json:"rejects_until"`
	Warned                                           []warnedOf
}

// warnedOf is what stored records were warned of.
type warnedOf struct {
	Code, Field, Meaning string
	Records              int64
	First                int64 `json:"first_record"`
}

// counts returns the numbers of an import's records by result.
func (i fileImport) counts() [6]int64 {
	return [6]int64{i.Done, i.Created, i.Updated, i.Unchanged, i.Refused, i.Unreadable}
}

type mapped struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type importPreview struct {
	Import  fileImport
	Columns []struct {
		From, To, How, Why, Example string
		Could                       []string
	}
	Missing []string
	Empty   bool
	Records []struct {
		Number  int64
		Line    int
		Fields  []struct{ Name, Value string }
		Raw     string
		Status  int
		Message string
		Result  string
		Errors  []struct{ Pointer, Detail string }
		Coerced []string

		Warnings []struct{ Code, Field string }
	}
}

// quay is a person who imports files.
type quay struct {
	*person
	path string
}

func (w *world) quay(role auth.Role) quay {
	return quay{w.join(w.tenant, role).enter(), "/api/app/workspaces/" + w.tenant.Workspace.String()}
}

func (q quay) upload(slug, name, content string) answer {
	q.w.t.Helper()
	return q.call(http.MethodPost, q.path+"/sources/"+slug+"/imports?name="+url.QueryEscape(name), content,
		"Content-Type: application/octet-stream")
}

// receive uploads suppliers.
func (q quay) receive(name, content string) fileImport {
	q.w.t.Helper()
	return decode[fileImport](q.w.t, q.upload("suppliers", name, content), http.StatusCreated)
}

func (q quay) at(id uuid.UUID, rest string) string { return q.path + "/imports/" + id.String() + rest }

func (q quay) preview(id uuid.UUID, choice any) importPreview {
	q.w.t.Helper()
	return decode[importPreview](q.w.t, q.call(http.MethodPost, q.at(id, "/preview"), choice), http.StatusOK)
}

func (q quay) start(id uuid.UUID, mapping ...mapped) fileImport {
	q.w.t.Helper()
	body := map[string]any{}
	if mapping != nil {
		body["mapping"] = mapping
	}
	return decode[fileImport](q.w.t, q.call(http.MethodPost, q.at(id, "/start"), body), http.StatusOK)
}

func (q quay) get(id uuid.UUID) fileImport {
	q.w.t.Helper()
	return decode[fileImport](q.w.t, q.call(http.MethodGet, q.at(id, ""), nil), http.StatusOK)
}

// ended waits for an import to end.
func (q quay) ended(id uuid.UUID) (one fileImport) {
	q.w.t.Helper()
	require.Eventually(q.w.t, func() bool {
		one = q.get(id)
		return one.Status != "queued" && one.Status != "running"
	}, 3*time.Minute, 20*time.Millisecond, "the import never ends")
	return one
}

func (q quay) rejects(id uuid.UUID) []string {
	q.w.t.Helper()
	got := q.call(http.MethodGet, q.at(id, "/rejects.ndjson"), nil)
	require.Equal(q.w.t, http.StatusOK, got.status)
	require.Contains(q.w.t, got.header.Get("Content-Disposition"), "attachment")
	return strings.FieldsFunc(got.body, func(r rune) bool { return r == '\n' })
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, err := writer.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	return packed.String()
}

// workbook returns an XLSX file of two sheets; the second has the rows.
func workbook(t *testing.T, rows ...[]any) string {
	t.Helper()
	book := excelize.NewFile()
	_, err := book.NewSheet("Suppliers")
	require.NoError(t, err)
	require.NoError(t, book.SetSheetRow("Sheet1", "A1", &[]any{"Read me"}))
	require.NoError(t, book.SetSheetRow("Sheet1", "A2", &[]any{"Not this one"}))
	for i, row := range rows {
		require.NoError(t, book.SetSheetRow("Suppliers", fmt.Sprintf("A%d", i+1), &row))
	}
	var content bytes.Buffer
	require.NoError(t, book.Write(&content))
	return content.String()
}

func TestImportFormats(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.work()
	q := w.quay(auth.Buyer)
	ansi, err := charmap.Windows1252.NewEncoder().String("External ID;Supplier Name;Lead time (days);Active\nS1;Müller;7;true\nS2;Café;;false\n")
	require.NoError(t, err)
	lines := `{"external_id":"S1","name":"Müller","lead_time_days":7,"active":true}` + "\n" + `{"external_id":"S2","name":"Café","active":false}` + "\n"
	for _, tt := range []struct {
		name, file, content, about string
		reading                    any
	}{
		{name: "CSV as spreadsheets write it", file: "suppliers.csv", content: ansi, about: "CSV, semicolon, windows-1252"},
		{name: "CSV gzipped", file: "suppliers.csv.gz", content: zipped(t,
			"external_id,name,lead_time_days,active\nS1,Müller,7,true\nS2,Café,,false\n"), about: "CSV, comma, gzip"},
		{name: "NDJSON", file: "suppliers.ndjson", content: lines, about: "NDJSON"},
		{name: "a JSON array", file: "suppliers.json",
			content: "[" + strings.ReplaceAll(strings.TrimSpace(lines), "\n", ",") + "]", about: "JSON"},
		{
			name: "a sheet of a workbook", file: "suppliers.xlsx", about: "XLSX",
			reading: map[string]any{"reading": map[string]string{"sheet": "Suppliers"}},
			content: workbook(t, []any{"External ID", "Name", "Lead Time Days", "Active"}, []any{"S1", "Müller", 7, true},
				[]any{"S2", "Café", nil, false}),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.exec("DELETE FROM workspace.suppliers")
			one := q.receive(`C:\files\`+tt.file, tt.content)
			require.Equal(t, []any{"ready", tt.about, tt.file, int64(len(tt.content))},
				[]any{one.Status, one.About, one.FileName, one.Bytes})
			require.Empty(t, w.read("workspace.suppliers", "name", "1"), "an upload stores nothing")
			if tt.reading != nil {
				require.Equal(t, []string{"Sheet1", "Suppliers"}, one.Sheets)
				require.True(t, q.preview(one.ID, map[string]any{}).Empty, "the first sheet has no column of the table")
				require.Equal(t, "Suppliers", q.preview(one.ID, tt.reading).Import.Reading.Sheet)
			}
			seen := q.preview(one.ID, map[string]any{})
			require.Equal(t, int64(2), seen.Import.Total)
			require.Equal(t, []string{"created", "created"}, []string{seen.Records[0].Result, seen.Records[1].Result})
			require.Empty(t, w.read("workspace.suppliers", "name", "1"), "a preview keeps nothing")
			require.Contains(t, []string{"queued", "running", "done"}, q.start(one.ID).Status)
			ended := q.ended(one.ID)
			require.Equal(t, "done", ended.Status, ended.Message)
			require.Equal(t, [6]int64{2, 2, 0, 0, 0, 0}, ended.counts())
			require.Equal(t, []string{"S1 | Müller | 7 | true", "S2 | Café | - | false"},
				w.read("workspace.suppliers", "external_id, name, lead_time_days, active", "1"))
			require.Empty(t, w.read("workspace.import_chunks", "n", "1"), "the file is deleted")
		})
	}
	require.Equal(t, []string{"user | " + q.id.String()},
		w.read("workspace.events GROUP BY actor", "actor->>'type', actor->>'id'", "1"))
}

func TestImportPreview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := w.quay(auth.CompanyAdmin)
	require.Equal(t, http.StatusOK, w.post("suppliers", `{"external_id":"S2","name":"Two","lead_time_days":9}`).status)
	one := q.receive("list.csv", "Number,Supplier Name,Days,Days 2,Lead times days\n"+
		"S1,One,soon,,\nS2,Two,9,1,\nS3\nS4,"+strings.Repeat("x", 500)+",7,,8\n")
	require.Equal(t, int64(4), one.Total)
	require.Equal(t, ",", one.Reading.Delimiter)

	seen := q.preview(one.ID, map[string]any{})
	require.Equal(t, []string{"external_id"}, seen.Missing)
	to := map[string]string{}
	for _, column := range seen.Columns {
		to[column.From] = column.To + "/" + column.How
	}
	require.Equal(t, map[string]string{"Number": "/dropped", "Supplier Name": "name/similar", "Days": "/dropped",
		"Days 2": "/dropped", "Lead times days": "lead_time_days/similar"}, to)
	require.Equal(t, "S1", seen.Columns[0].Example)
	require.Equal(t, "missing required field: external_id", seen.Records[0].Message)

	chosen := []mapped{{"Number", "external_id"}, {"Supplier Name", "name"}, {"Days", "lead_time_days"},
		{"Lead times days", ""}}
	seen = q.preview(one.ID, map[string]any{"mapping": chosen})
	require.Empty(t, seen.Missing)
	require.Len(t, seen.Records, 4)
	refused := seen.Records[0]
	require.Equal(t, http.StatusUnprocessableEntity, refused.Status)
	require.Equal(t, "#/lead_time_days", refused.Errors[0].Pointer)
	require.Contains(t, refused.Errors[0].Detail, `"soon" is not a number`)
	require.Equal(t, "unchanged", seen.Records[1].Result)
	require.Equal(t, []string{"lead_time_days"}, seen.Records[1].Coerced)
	require.Equal(t, "line 4 has 1 cells, the header has 5", seen.Records[2].Message)
	require.Equal(t, "S3", seen.Records[2].Raw)
	require.Len(t, []rune(seen.Records[3].Fields[1].Value), 303, "long values are cut")

	require.Equal(t, chosen, q.get(one.ID).Mapping, "a reload keeps the choice")
	require.Empty(t, q.preview(one.ID, map[string]any{}).Missing)

	for name, tt := range map[string]struct {
		choice any
		says   string
	}{
		"an unknown column of the file": {map[string]any{"mapping": []mapped{{"Nope", "name"}}},
			`the file has no column "Nope"`},
		"an unknown column of the table": {map[string]any{"mapping": []mapped{{"Days", "nope"}}}, `takes no column "nope"`},
		"one that may not be sent":       {map[string]any{"mapping": []mapped{{"Days", "created_at"}}}, "takes no column"},
		"two for one": {map[string]any{"mapping": []mapped{{"Days", "name"}, {"Days 2", "name"}}},
			"sends both"},
		"a delimiter of three characters": {map[string]any{"reading": map[string]string{"delimiter": ":::"}},
			"the delimiter is one character"},
		"an encoding nobody knows": {map[string]any{"reading": map[string]string{"encoding": "klingon"}},
			`the encoding "klingon" is not known`},
	} {
		got := decode[problem](t, q.call(http.MethodPost, q.at(one.ID, "/preview"), tt.choice),
			http.StatusUnprocessableEntity)
		require.Contains(t, got.Detail, tt.says, name)
	}
	again := q.preview(one.ID, map[string]any{"reading": map[string]string{"delimiter": ";"}})
	require.Len(t, again.Columns, 1, "read in another way it has other columns")
	require.True(t, again.Empty)
	got := requireProblem(t, q.call(http.MethodPost, q.at(one.ID, "/start"), map[string]any{}),
		http.StatusUnprocessableEntity, "no_columns")
	require.Contains(t, got.Detail, "which takes external_id, name")
	require.Equal(t, []string{"S2"}, w.read("workspace.suppliers", "external_id", "1"))
}

// TestWarningsOfAnImport says of the rows of a file what the endpoint would say in its header: of each row before the start,
// and in sum afterwards, over several batches. Refused rows are warned of nothing.
func TestWarningsOfAnImport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.work()
	q := w.quay(auth.CompanyAdmin)
	var file strings.Builder
	file.WriteString("external_id,order_id,sku,name,quantity,unit_price\n")
	for n := range 450 {
		sku, quantity := "", "1"
		switch {
		case n == 0:
			sku = " T1"
		case n%3 == 1:
			sku = "T1"
		case n == 2:
			sku, quantity = "T1", "many"
		}
		fmt.Fprintf(&file, "L%d,O1,%s,Tea,%s,1\n", n, sku, quantity)
	}
	upload := decode[fileImport](t, q.upload("order_line_items", "lines.csv", file.String()), http.StatusCreated)
	seen := q.preview(upload.ID, map[string]any{})
	require.Equal(t, "[{sku_padded sku} {sku_unknown sku}]", fmt.Sprint(seen.Records[0].Warnings))
	require.Equal(t, "[{sku_unknown sku}]", fmt.Sprint(seen.Records[1].Warnings))
	require.Equal(t, http.StatusUnprocessableEntity, seen.Records[2].Status)
	require.Empty(t, seen.Records[2].Warnings)
	require.Empty(t, seen.Records[3].Warnings)
	require.Empty(t, seen.Import.Warned)
	q.start(upload.ID)
	ended := q.ended(upload.ID)
	require.Equal(t, "done", ended.Status, ended.Message)
	for i := range ended.Warned {
		require.NotEmpty(t, ended.Warned[i].Meaning)
		ended.Warned[i].Meaning = ""
	}
	require.Equal(t, []warnedOf{{"sku_padded", "sku", "", 1, 1}, {"sku_unknown", "sku", "", 151, 1}}, ended.Warned)
	require.NoError(t, w.app.Meter.Flush(t.Context()))
	require.Equal(t, []string{"sku_padded | 1", "sku_unknown | 151"},
		w.read("workspace.source_hours, jsonb_each_text(warned) AS one(code, records) GROUP BY code", "code, sum(records::bigint)", "1"))
}

// TestImportOfAThousand imports a realistic file: most of its records are valid.
func TestImportOfAThousand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.work()
	q := w.quay(auth.Buyer)
	require.Equal(t, http.StatusOK, w.post("suppliers", `{"external_id":"S10","name":"Supplier 10"}`).status)
	require.Equal(t, http.StatusOK, w.post("suppliers", `{"external_id":"S20","name":"Another"}`).status)
	var file strings.Builder
	file.WriteString("Supplier No,Supplier Name,Lead time (days)\n")
	for i := range 1000 {
		switch {
		case i%25 == 1: // 40
			fmt.Fprintf(&file, "S%d,Supplier %d,soon\n", i, i)
		case i%100 == 2: // 10: the same payload as the record before
			fmt.Fprintf(&file, "S%d,Supplier %d,soon\n", i-1, i-1)
		case i%100 == 3: // 10
			fmt.Fprintf(&file, "S%d\n", i)
		default:
			fmt.Fprintf(&file, "S%d,Supplier %d,\n", i, i)
		}
	}
	one := q.receive("thousand.csv", file.String())
	started := q.start(one.ID, mapped{"Supplier No", "external_id"}, mapped{"Lead time (days)", "lead_time_days"})
	require.Equal(t, []mapped{{"Supplier No", "external_id"}, {"Supplier Name", "name"},
		{"Lead time (days)", "lead_time_days"}}, started.Mapping, "it is settled")
	requireProblem(t, q.call(http.MethodPost, q.at(one.ID, "/start"), map[string]any{}), http.StatusConflict, "started")
	requireProblem(t, q.call(http.MethodPost, q.at(one.ID, "/preview"), map[string]any{}), http.StatusConflict, "started")
	ended := q.ended(one.ID)
	require.Equal(t, "done", ended.Status, ended.Message)
	require.Equal(t, [6]int64{1000, 938, 1, 1, 60, 10}, ended.counts())
	require.Equal(t, []string{"940"}, w.read("workspace.suppliers", "count(*)", "1"))

	d := desk{q.person, q.path + "/failures"}
	require.Len(t, d.list("limit=200"), 40)
	require.Equal(t, []string{"user | " + q.id.String() + " | 00000000-0000-0000-0000-000000000000 | 1 | 30",
		"user | " + q.id.String() + " | 00000000-0000-0000-0000-000000000000 | 2 | 10"},
		w.read("workspace.failed_imports GROUP BY actor, key_id, seen",
			"actor->>'type', actor->>'id', key_id, seen, count(*)", "1"), "a payload that fails again is counted")
	type sent struct {
		ByType string `json:"by_type"`
		ByID   string `json:"by_id"`
	}
	require.Equal(t, sent{"user", q.id.String()},
		decode[page[sent]](t, q.call(http.MethodGet, d.path, nil), http.StatusOK).Items[0])

	rejects := q.rejects(one.ID)
	require.Len(t, rejects, 60)
	require.Equal(t, "attachment; filename=thousand.csv.rejects.ndjson",
		q.call(http.MethodGet, q.at(one.ID, "/rejects.ndjson"), nil).header.Get("Content-Disposition"))
	require.JSONEq(t, fmt.Sprintf(`{"external_id":"S1","name":"Supplier 1","lead_time_days":"soon","_record":2,"_line":3,"_status":422,"_request_id":%q,"_error":%q}`,
		w.read("workspace.imports", "request_id", "1")[0], `lead_time_days: "soon" is not a number`), rejects[0])
	require.JSONEq(t, `{"_record":4,"_line":5,"_error":"line 5 has 1 cells, the header has 3","_raw":"S3"}`, rejects[2])
	require.WithinDuration(t, time.Now().AddDate(0, 0, 30), *ended.RejectsUntil, time.Hour)
	type reason struct {
		Reason  string
		Records int64
		First   int64 `json:"first_record"`
	}
	require.Equal(t, []reason{{"lead_time_days: … is not a number", 50, 2}, {"has other cells, the header has 3", 10, 4}},
		decode[page[reason]](t, q.call(http.MethodGet, q.at(one.ID, "/reasons"), nil), http.StatusOK).Items)

	require.NoError(t, w.app.Meter.Flush(t.Context()))
	require.Equal(t, []string{"942 | 50"}, w.read("workspace.source_hours", "sum(accepted), sum(failed)", "1"),
		"figures count them as live records")
	require.Equal(t, []string{
		"import.rejects_exported | thousand.csv | -", "import.rejects_exported | thousand.csv | -",
		"import.started | thousand.csv | 1000",
	}, w.read("workspace.audit WHERE action LIKE 'import.%'", "action, data->>'file', data->>'records'", "1"))

	// The rejects, corrected, can be imported: the notes are left out.
	corrected := strings.ReplaceAll(strings.Join(rejects[:2], "\n"), `"soon"`, "7")
	second := q.receive("rejects.ndjson", corrected)
	q.start(second.ID)
	require.Equal(t, [6]int64{2, 1, 0, 1, 0, 0}, q.ended(second.ID).counts())
	require.Len(t, decode[page[fileImport]](t, q.call(http.MethodGet, q.path+"/imports?table=suppliers", nil),
		http.StatusOK).Items, 2)
	require.Empty(t, decode[page[fileImport]](t, q.call(http.MethodGet, q.path+"/imports?table=orders", nil),
		http.StatusOK).Items)
}

// TestImportKeepsTheOrder checks that records with the same key are stored in order: the last
// one wins.
func TestImportKeepsTheOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.work()
	q := w.quay(auth.Buyer)
	var file strings.Builder
	for i := range 450 {
		fmt.Fprintf(&file, "{\"external_id\":\"S%d\",\"name\":\"Name %d\"}\n", i%3, i)
	}
	one := q.receive("a.ndjson", file.String())
	q.start(one.ID)
	require.Equal(t, [6]int64{450, 3, 447, 0, 0, 0}, q.ended(one.ID).counts())
	require.Equal(t, []string{"Name 447", "Name 448", "Name 449"}, w.read("workspace.suppliers", "name", "1"))
}
