package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/sheet"
	"github.com/quayside/quayside/internal/upload"
	"github.com/quayside/quayside/internal/written"
)

type (
	readingJSON struct {
		Delimiter string `json:"delimiter,omitempty" maxLength:"4" doc:"For CSV: one character." example:";"`
		Encoding  string `json:"encoding,omitempty" maxLength:"40" doc:"The text encoding, such as utf-8 or windows-1252."`
		Sheet     string `json:"sheet,omitempty" maxLength:"200" doc:"The sheet of a workbook. By default the first."`
		Empty     string `json:"empty,omitempty" enum:"skip,null" doc:"What an empty cell does: skip leaves the stored value, null clears it."`
	}
	mappedJSON struct {
		From string `json:"from" maxLength:"400" doc:"A column of the file." example:"Order No"`
		To   string `json:"to" maxLength:"200" doc:"A column of the table. Empty leaves the column out." example:"order_number"`

		Form   written.Form   `json:"form,omitempty" enum:"decimal_point,decimal_comma,day_first,month_first" doc:"How the numbers or days in the column are written: 1,234.56, 1.234,56, 31.12.2026 or 12/31/2026. Absent means as the file's values show."`
		Values []replacedJSON `json:"values,omitempty" maxItems:"200" doc:"Values that become others. All others are sent as they are."`
	}
	replacedJSON struct {
		From string `json:"from" maxLength:"1000" doc:"A value as JSON." example:"\"Ja\""`
		To   string `json:"to" maxLength:"1000" doc:"What it becomes, as JSON." example:"true"`
	}
	importJSON struct {
		ID           uuid.UUID      `json:"id" format:"uuid"`
		Slug         string         `json:"slug"`
		Status       upload.Status  `json:"status" enum:"ready,queued,running,cancelled,done,failed" doc:"ready means that it can be previewed and started."`
		Cancelling   bool           `json:"cancelling" doc:"It will stop shortly."`
		File         string         `json:"file_name"`
		Bytes        int64          `json:"bytes"`
		Format       string         `json:"format" enum:"csv,ndjson,json,xlsx"`
		About        string         `json:"about" doc:"The detected format, in a few words."`
		Reading      readingJSON    `json:"reading" doc:"How the file is read, as detected or as chosen."`
		Sheets       []string       `json:"sheets" doc:"The sheets of a workbook."`
		Mapping      []mappedJSON   `json:"mapping" doc:"The chosen mapping of columns."`
		ByType       string         `json:"by_type"`
		ByID         string         `json:"by_id,omitempty" doc:"The person who uploaded it or, once started, who started it."`
		Total        int64          `json:"total" doc:"The number of records in the file."`
		Done         int64          `json:"done"`
		Created      int64          `json:"created"`
		Updated      int64          `json:"updated"`
		Unchanged    int64          `json:"unchanged"`
		Refused      int64          `json:"refused"`
		Unreadable   int64          `json:"unreadable" doc:"How many of the refused could not be read as records and were not sent. The others are failed imports."`
		Warned       []warnedByJSON `json:"warned" doc:"Warnings that stored records got, as the header Ingest-Warning would say them."`
		Message      string         `json:"message,omitempty" doc:"Why it stopped."`
		CreatedAt    time.Time      `json:"created_at"`
		StartedAt    *time.Time     `json:"started_at,omitempty"`
		FinishedAt   *time.Time     `json:"finished_at,omitempty"`
		RejectsUntil *time.Time     `json:"rejects_until,omitempty" doc:"Until when the refused records can be downloaded. Absent if there are none."`
	}
	warnedByJSON struct {
		Code    string `json:"code" example:"sku_unknown"`
		Field   string `json:"field,omitempty" doc:"The field that is meant. Absent means the record as a whole."`
		Meaning string `json:"meaning"`
		Records int64  `json:"records"`
		First   int64  `json:"first_record" doc:"The number of the first such record in the file."`
	}
	importColumnJSON struct {
		From    string   `json:"from"`
		To      string   `json:"to" doc:"Empty if the column is left out."`
		How     string   `json:"how" enum:"named,exact,known,similar,dropped" doc:"How the column was mapped: by a person, by the same name, by a name that people use for it in English, German, French, Spanish, Italian or Dutch, by a similar name, or not at all."`
		Why     string   `json:"why,omitempty" doc:"Why it is left out."`
		Could   []string `json:"could" doc:"Columns of the table that it may match. If there are several, none is chosen."`
		Example string   `json:"example,omitempty" doc:"The first value in the column."`

		Reading *columnReadingJSON `json:"reading,omitempty" doc:"How the column's numbers or days are written. Absent for other columns, and where it makes no difference."`
		Values  []importValueJSON  `json:"values,omitempty" doc:"The different values of a column that goes to one with a closed set of values, the most frequent first. Absent if there are more than 50, or long ones."`
	}
	importSampleJSON struct {
		Number   int64             `json:"number" doc:"From 1, in the order of the file."`
		Line     int               `json:"line,omitempty"`
		Fields   []importFieldJSON `json:"fields" doc:"The fields as they would be sent. Long values are cut."`
		Raw      string            `json:"raw,omitempty" doc:"The text in the file, if it is not a record."`
		Status   int               `json:"status" doc:"The endpoint's answer in a dry run. 200 means that it would be stored."`
		Code     string            `json:"code,omitempty"`
		Message  string            `json:"message,omitempty"`
		Errors   []problemField    `json:"errors"`
		Result   string            `json:"result,omitempty" doc:"created, updated, unchanged or stale."`
		Coerced  []string          `json:"coerced" doc:"Fields that would be converted."`
		Warnings []warningJSON     `json:"warnings" doc:"What the header Ingest-Warning would say."`
	}
	importFieldJSON struct {
		Name  string `json:"name"`
		Value string `json:"value" doc:"The value as JSON."`
	}
	importPreviewJSON struct {
		Import  importJSON         `json:"import"`
		Columns []importColumnJSON `json:"columns" doc:"The columns of the file, and where they go."`
		More    bool               `json:"more_columns" doc:"The file has more columns than can be mapped. The others are left out."`
		Missing []string           `json:"missing" doc:"Columns that a new record needs and that no column of the file is mapped to."`
		Empty   bool               `json:"empty" doc:"Nothing would be sent."`
		Asked   []string           `json:"asked" doc:"Columns of the file whose form must be said before the import can start."`
		Records []importSampleJSON `json:"records" doc:"The first records of the file."`
	}
	importReasonJSON struct {
		Reason  string `json:"reason"`
		Records int64  `json:"records"`
		First   int64  `json:"first_record"`
		Example string `json:"example" doc:"The full message of the first record with this reason."`
	}
	// OneImport names an import.
	OneImport struct {
		InWorkspace
		Import uuid.UUID `path:"import" format:"uuid"`
	}
)

// importOperations bring files into tables.
func (s *Server) importOperations(a *appAPI) {
	const tag, path = "Imports", "workspaces/{workspace}/imports"
	register(a, operation{
		id: "uploadImport", method: http.MethodPost, path: "workspaces/{workspace}/sources/{slug}/imports", tag: tag,
		needs:  auth.ImportRecords,
		status: http.StatusCreated, file: true, summary: "Upload a file to import into a table",
		about: fmt.Sprintf("CSV, NDJSON, JSON or XLSX, gzipped or not, of at most %d MiB. Nothing is stored in the table yet. A file that is not started within a day is deleted.", upload.MaxBytes>>20),
	}, func(ctx context.Context, in *struct {
		InWorkspace
		FileBody
		Slug string `path:"slug" example:"orders"`
		Name string `query:"name" maxLength:"1000" doc:"The file's name. Its extension helps to detect the format."`
	}) (*body[importJSON], error) {
		one, err := s.Uploads.Receive(ctx, by(ctx).Principal, in.Slug, in.Name, in.content)
		return &body[importJSON]{toImportJSON(one)}, err
	})
	register(a, operation{
		id: "previewImport", method: http.MethodPost, path: path + "/{import}/preview", tag: tag, needs: auth.ImportRecords,
		summary: "Preview an import",
		about:   "Maps the file's columns and tries its first 20 records in a dry run. Only the chosen settings are stored.",
	}, func(ctx context.Context, in *struct {
		OneImport
		Body struct {
			Reading *readingJSON `json:"reading,omitempty" doc:"How to read the file. Empty fields are detected. Absent keeps the current settings. Other settings reset the mapping."`
			Mapping []mappedJSON `json:"mapping,omitempty" maxItems:"4000" doc:"Where columns go. Other columns are mapped by name. Absent keeps the current mapping." example:"[]"`
		}
	}) (*body[importPreviewJSON], error) {
		choice := upload.Choice{Mapping: overrides(in.Body.Mapping)}
		if asked := in.Body.Reading; asked != nil {
			choice.Reading = &sheet.Reading{Delimiter: asked.Delimiter, Encoding: asked.Encoding, Sheet: asked.Sheet,
				Empty: asked.Empty}
		}
		preview, err := s.Uploads.Preview(ctx, by(ctx).Principal, in.Import, choice)
		return &body[importPreviewJSON]{toImportPreviewJSON(preview)}, err
	})
	register(a, operation{
		id: "startImport", method: http.MethodPost, path: path + "/{import}/start", tag: tag, needs: auth.ImportRecords,
		summary: "Store the records of a file",
		about:   "The import runs in the background, survives restarts, and can be cancelled. Records are stored as if they had been sent to the endpoint, in the order of the file.",
	}, func(ctx context.Context, in *struct {
		OneImport
		Body struct {
			Mapping []mappedJSON `json:"mapping,omitempty" maxItems:"4000" doc:"Where columns go. Absent uses the mapping of the last preview." example:"[]"`
		}
	}) (*body[importJSON], error) {
		one, err := s.Uploads.Start(ctx, by(ctx).Principal, in.Import, overrides(in.Body.Mapping))
		return &body[importJSON]{toImportJSON(one)}, err
	})
	register(a, operation{
		id: "cancelImport", method: http.MethodPost, path: path + "/{import}/cancel", tag: tag, needs: auth.ImportRecords,
		summary: "Stop an import, or discard its file",
		about:   "Records that are already stored stay stored. An import that has ended is not changed.",
	}, func(ctx context.Context, in *OneImport) (*body[importJSON], error) {
		one, err := s.Uploads.Cancel(ctx, by(ctx).Principal, in.Import)
		return &body[importJSON]{toImportJSON(one)}, err
	})
	s.importReads(a, tag, path)
}

// importReads show the progress and the results of imports.
func (s *Server) importReads(a *appAPI, tag, path string) {
	register(a, operation{
		id: "listImports", method: http.MethodGet, path: path, tag: tag, needs: auth.Read,
		summary: "List imports, the newest first",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Paged
		Slug string `query:"table" maxLength:"200" doc:"The slug of a table. Absent means any table."`
	}) (*body[list[importJSON]], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		imports, more, err := s.Uploads.List(ctx, by(ctx).Principal, in.Slug, want)
		var items []importJSON
		for _, one := range imports {
			items = append(items, toImportJSON(one))
		}
		return listed(items, more, func(one importJSON) uuid.UUID { return one.ID }), err
	})
	register(a, operation{
		id: "getImport", method: http.MethodGet, path: path + "/{import}", tag: tag, needs: auth.Read,
		summary: "Get the progress of an import",
	}, func(ctx context.Context, in *OneImport) (*body[importJSON], error) {
		one, err := s.Uploads.Get(ctx, by(ctx).Principal, in.Import)
		return &body[importJSON]{toImportJSON(one)}, err
	})
	register(a, operation{
		id: "listImportReasons", method: http.MethodGet, path: path + "/{import}/reasons", tag: tag, needs: auth.Read,
		summary: "List why records of an import were refused", about: "The most frequent reasons first.",
	}, func(ctx context.Context, in *OneImport) (*body[list[importReasonJSON]], error) {
		reasons, err := s.Uploads.Reasons(ctx, by(ctx).Principal, in.Import)
		var items []importReasonJSON
		for _, reason := range reasons {
			items = append(items, importReasonJSON{reason.Words, reason.Records, reason.First, reason.Example})
		}
		return listed(items, false, func(importReasonJSON) uuid.UUID { return uuid.Nil }), err
	})
	register(a, operation{
		id: "downloadImportRejects", method: http.MethodGet, path: path + "/{import}/rejects.ndjson", tag: tag,
		needs:   auth.Read,
		summary: "Download the refused records of an import",
		about:   "One record on each line, as it was sent, with notes whose names start with '_'. The corrected file can be imported or pushed as it is; the notes are ignored.",
	}, func(ctx context.Context, in *OneImport) (*huma.StreamResponse, error) {
		caller := by(ctx).Principal
		one, err := s.Uploads.Get(ctx, caller, in.Import)
		if err != nil {
			return nil, err
		}
		return s.ndjson(ctx, "downloadImportRejects", one.File+".rejects.ndjson", func(line func([]byte) error) error {
			return s.Uploads.Rejects(ctx, caller, in.Import, line)
		}), nil
	})
	a.answersFile(path+"/{import}/rejects.ndjson", ndjsonKind)
}

// overrides keeps no mapping (nil) apart from an empty one.
func overrides(mapping []mappedJSON) []sheet.Override {
	if mapping == nil {
		return nil
	}
	asked := make([]sheet.Override, 0, len(mapping))
	for _, one := range mapping {
		override := sheet.Override{From: one.From, To: one.To, Form: one.Form}
		for _, value := range one.Values {
			override.Values = append(override.Values, sheet.Replacement(value))
		}
		asked = append(asked, override)
	}
	return asked
}

func toImportJSON(one upload.Import) importJSON {
	out := importJSON{
		ID: one.ID, Slug: one.Slug, Status: one.Status, Cancelling: one.Cancelling, File: one.File, Bytes: one.Bytes,
		Format: one.Reading.Format, About: one.Found.About, Sheets: append([]string{}, one.Found.Sheets...),
		Mapping: []mappedJSON{},
		Reading: readingJSON{one.Reading.Delimiter, one.Reading.Encoding, one.Reading.Sheet, one.Reading.Empty},
		ByType:  string(one.By.Type), ByID: one.By.ID, Total: one.Total,
		Done:    one.Created + one.Updated + one.Unchanged + one.Refused,
		Created: one.Created, Updated: one.Updated, Unchanged: one.Unchanged, Refused: one.Refused,
		Unreadable: one.Unreadable,
		Message:    one.Message, CreatedAt: one.CreatedAt.UTC(), StartedAt: utc(one.StartedAt),
		FinishedAt:   utc(one.FinishedAt),
		RejectsUntil: utc(one.Rejects), Warned: []warnedByJSON{},
	}
	for _, warned := range one.Warned {
		out.Warned = append(out.Warned,
			warnedByJSON{warned.Code, warned.Field, ingest.MeaningOf(warned.Code), warned.Records, warned.First})
	}
	for _, pair := range one.Mapping {
		mapped := mappedJSON{From: pair.From, To: pair.To, Form: pair.Form}
		for _, value := range pair.Values {
			mapped.Values = append(mapped.Values, replacedJSON(value))
		}
		out.Mapping = append(out.Mapping, mapped)
	}
	return out
}

func toImportPreviewJSON(preview upload.Preview) importPreviewJSON {
	out := importPreviewJSON{
		Import: toImportJSON(preview.Import), More: preview.Import.Found.More,
		Missing: append([]string{}, preview.Missing...), Empty: preview.Empty, Asked: append([]string{}, preview.Asked...),
		Columns: []importColumnJSON{}, Records: []importSampleJSON{},
	}
	for _, column := range preview.Columns {
		out.Columns = append(out.Columns, importColumnJSON{
			From: column.From, To: column.To, How: column.How, Why: column.Why,
			Could: append([]string{}, column.Could...), Example: column.Example,
			Reading: toColumnReadingJSON(column), Values: closedValues(column),
		})
	}
	for _, sample := range preview.Samples {
		out.Records = append(out.Records, toImportSampleJSON(sample))
	}
	return out
}

func toImportSampleJSON(sample upload.Sample) importSampleJSON {
	out := importSampleJSON{
		Number: sample.Number, Line: sample.Line, Raw: sample.Raw, Status: http.StatusOK,
		Result: string(sample.Outcome.Result),
		Fields: []importFieldJSON{}, Errors: []problemField{}, Coerced: append([]string{}, sample.Outcome.Coerced...),
		Warnings: toWarnings(sample.Outcome.Warnings),
	}
	for _, field := range sample.Fields {
		out.Fields = append(out.Fields, importFieldJSON{field.Name, string(field.Value)})
	}
	if sample.Refusal != nil {
		status, public := fault.Public(sample.Refusal)
		out.Status, out.Code, out.Message = status, public.Code, public.Message
		for _, field := range public.Fields {
			out.Errors = append(out.Errors, problemField{"#/" + field.Field, field.Code, field.Message})
		}
	}
	return out
}
