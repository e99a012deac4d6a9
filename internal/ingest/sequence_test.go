package ingest

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/telemetry"
)

func TestReadSequence(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		"0":                              "0",
		"7":                              "7",
		"007":                            "7",
		"9223372036854775807":            "9223372036854775807",
		"2026-03-14T09:30:00Z":           "2026-03-14T09:30:00Z",
		"2026-03-14t09:30:00z":           "2026-03-14T09:30:00Z",
		"2026-03-14T10:30:00+01:00":      "2026-03-14T09:30:00Z",
		"2026-03-14T09:30:00.123456789Z": "2026-03-14T09:30:00.123456789Z",

		"": "", "-1": "", "+1": "", "1.0": "", "1e3": "", " 1": "", "1 ": "", "0x1": "", "1_000": "", "٣": "",
		"9223372036854775808": "", "00000000000000000001": "", "yesterday": "", "2026-03-14": "", "2026-03-14 09:30:00Z": "",
		"2026-03-14T09:30:00": "", "2026-03-14T09:30:60Z": "", "2026-02-30T09:30:00Z": "", "1, 2": "", "1\n2": "", "\xff": "",
	} {
		sequence, ok := ReadSequence(sent)
		require.Equal(t, want != "", ok, "%q", sent)
		if !ok {
			continue
		}
		require.Equal(t, want, sequence.String())
		again, ok := ReadSequence(string(sequence))
		require.True(t, ok, "the stored form can be sent")
		require.Equal(t, sequence, again)
	}
	require.Empty(t, Sequence("").String())
}

// TestSequencesCompareAsText compares random sequences of each kind as PostgreSQL does, and as what they are.
func TestSequencesCompareAsText(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	read := func(text string) Sequence {
		sequence, ok := ReadSequence(text)
		require.True(t, ok, text)
		return sequence
	}
	for range 2000 {
		a, b := random.Int64()>>random.IntN(63), random.Int64()>>random.IntN(63)
		one, other := read(strconv.FormatInt(a, 10)), read(strconv.FormatInt(b, 10))
		require.True(t, one.sameKind(other))
		require.Equal(t, a < b, one < other, "%d %d", a, b)

		zone := time.FixedZone("", random.IntN(24*60-12*60)*60)
		from := time.Unix(random.Int64N(4e9), random.Int64N(1e9)).In(zone)
		to := from.Add(time.Duration(random.Int64N(3) - 1)).UTC()
		one, other = read(from.Format(time.RFC3339Nano)), read(to.Format(time.RFC3339Nano))
		require.True(t, one.sameKind(other))
		require.Equal(t, from.Before(to), one < other, "%s %s", from, to)
		require.False(t, one.sameKind(read("1")))
	}
}

func TestLaterOf(t *testing.T) {
	t.Parallel()
	five, _ := ReadSequence("5")
	nine, _ := ReadSequence("9")
	day, _ := ReadSequence("2026-03-14T09:30:00Z")
	for _, tt := range []struct{ before, last, want Sequence }{
		{"", "", ""}, {"", five, five}, {five, "", five}, {five, nine, nine}, {nine, five, nine}, {nine, nine, nine},
		{nine, day, day}, {day, five, five},
	} {
		require.Equal(t, tt.want, laterOf(tt.before, tt.last), "%s, then %s", tt.before, tt.last)
	}
}

// TestOrder gives records their sequence: the header's, or the value of the column that the table names.
func TestOrder(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 14, 9, 30, 0, 0, time.UTC)
	table := func(column string, of registry.Type) *registry.Table {
		table := registry.NewTable("decisions", "external_id",
			registry.Column{Name: "external_id", Type: registry.Text, Accepted: true, Required: true},
			registry.Column{Name: column, Type: of, Accepted: true, Nullable: true})
		table.Sequence = column
		table.Columns[1].Minimum, table.Columns[1].Maximum = "", "" // as the registry reads such a column
		return table
	}
	plain := table("at", registry.Datetime)
	plain.Sequence = ""
	const ahead, none = "more than a day ahead", "what programs send for no time"
	const neither, number = "is not an RFC 3339 time such as 2026-03-14T09:30:00Z or a whole number", "is not a whole number from 0 to"
	for _, tt := range []struct {
		name   string
		table  *registry.Table
		header string
		sent   string
		want   string // the sequence
		wrong  string // part of the refusal
	}{
		{"no header", plain, "", `"2026-03-14T09:00:00Z"`, "", ""},
		{"a time", plain, "2026-03-14T09:00:00Z", `null`, "2026-03-14T09:00:00Z", ""},
		{"a day ahead", plain, "2026-03-15T09:30:00Z", `null`, "2026-03-15T09:30:00Z", ""},
		{"more than a day ahead", plain, "2026-03-15T09:30:00.000000001Z", `null`, "", ahead},
		{"a great number", plain, "9223372036854775807", `null`, "9223372036854775807", ""},
		{"a zero time", plain, "0001-01-01T00:00:00Z", `null`, "", none},
		{"the beginning of Unix", plain, "1970-01-01T01:00:00+01:00", `null`, "", none},
		{"words", plain, "yesterday", `null`, "", `Ingest-Sequence: "yesterday" ` + neither},
		{"two headers", plain, "1, 2", `null`, "", neither},
		{"a column", table("at", registry.Datetime), "", `"2026-03-14T10:00:00+01:00"`, "2026-03-14T09:00:00Z", ""},
		{"a column and a header", table("at", registry.Datetime), "5", `"2026-03-14T10:00:00Z"`, "5", ""},
		{"a column that was not sent", table("at", registry.Datetime), "", ``, "", ""},
		{"a column that is null", table("at", registry.Datetime), "", `null`, "", ""},
		{"a column ahead", table("at", registry.Datetime), "", `"2026-03-16T10:00:00Z"`, "", "at: \"2026-03-16T10:00:00Z\" is " + ahead},
		{"a date", table("day", registry.Date), "", `"2026-03-14"`, "2026-03-14T00:00:00Z", ""},
		{"a date ahead", table("day", registry.Date), "", `"2026-03-16"`, "", ahead},
		{"a number", table("n", registry.Number), "", `7`, "7", ""},
		{"a number with zeros", table("n", registry.Number), "", `"+7.00"`, "7", ""},
		{"a number in scientific form", table("n", registry.Number), "", `1.5e3`, "1500", ""},
		{"no whole number", table("n", registry.Number), "", `7.5`, "", `n: "7.5" ` + number},
		{"a negative number", table("n", registry.Number), "", `-1`, "", number},
		{"too great a number", table("n", registry.Number), "", `1e300`, "", number},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := `{"external_id":"1"}`
			if tt.sent != "" {
				body = fmt.Sprintf(`{"external_id":"1",%q:%s}`, tt.table.Columns[1].Name, tt.sent)
			}
			fields, err := decode([]byte(body))
			require.NoError(t, err)
			clean := sanitize(tt.table, fields, time.UTC, false)
			require.Empty(t, clean.refused)
			clean.order(&Record{Terms: Terms{Sequence: tt.header}}, now)
			require.Equal(t, tt.want, clean.sequence.String())
			if tt.wrong == "" {
				require.Empty(t, clean.refused)
				return
			}
			require.Len(t, clean.refused, 1)
			require.Contains(t, clean.refused[0].Message, tt.wrong)
		})
	}
	t.Run("a person's edit has none", func(t *testing.T) {
		t.Parallel()
		fields, err := decode([]byte(`{"external_id":"1","n":7}`))
		require.NoError(t, err)
		clean := sanitize(table("n", registry.Number), fields, time.UTC, true)
		clean.order(&Record{typed: true}, now)
		require.Empty(t, clean.sequence)
	})
}

// newServiceWith returns another service on a database.
func newServiceWith(t *testing.T, db *pgtest.DB, cfg Config) *Service {
	t.Helper()
	s := New(db.Cells, registry.New(db.Cells), slog.New(slog.DiscardHandler), telemetry.NewMetrics(), cfg)
	t.Cleanup(s.Close)
	return s
}

// deliver sends a record with a sequence and returns what became of it.
func (st stand) deliver(s *Service, slug, sequence, body string) string {
	st.t.Helper()
	outcome, err := s.Write(st.t.Context(), Record{By: st.by(), Slug: slug, Body: []byte(body), RequestID: "test",
		Terms: Terms{Sequence: sequence}})
	if err != nil {
		_, public := fault.Public(err)
		return public.Message
	}
	return string(outcome.Result)
}

// TestStaleChangesNothing delivers an older record after a newer one, and looks at everything that an accepted record could
// have changed.
func TestStaleChangesNothing(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	told := 0
	s := newServiceWith(t, db, Config{Lanes: 2, Queued: 1000, Unknown: func(Unknown) { told++ }})
	st := newStand(t, s, db)
	require.NoError(t, s.Sweep(t.Context()))
	const line = `"external_id":"L","order_no":"1","sku":"TEA","status":"ordered","quantity_ordered":10`
	require.Equal(t, "created", st.deliver(s, "purchase_order_lines", "1", "{"+line+`,"quantity_received":2}`))
	require.Equal(t, "updated", st.deliver(s, "purchase_order_lines", "3", "{"+line+`,"quantity_received":5}`))
	require.NoError(t, s.Sweep(t.Context()))
	told = 0
	everything := func() (text string) {
		require.NoError(t, db.Admin(t).QueryRow(t.Context(), `SELECT concat_ws(E'\n',
			(SELECT string_agg(concat_ws(' ', l.ctid, l.xmin, l.xmax, l), E'\n' ORDER BY id) FROM workspace.purchase_order_lines l),
			(SELECT string_agg(r::text, E'\n' ORDER BY id) FROM workspace.receipts r),
			(SELECT string_agg(concat_ws(' ', q.ctid, q.xmin, q.xmax, q), E'\n') FROM workspace.record_sequences q),
			(SELECT string_agg(f::text, E'\n') FROM workspace.failed_imports f),
			(SELECT count(*) FROM workspace.events WHERE data ->> 'result' <> 'stale'))`).Scan(&text))
		return text
	}
	// A failed import of the same record, which no stale delivery may close.
	require.Contains(t, st.deliver(s, "purchase_order_lines", "", `{"external_id":"L","quantity_received":"x"}`), "is not a number")
	before := everything()
	for _, body := range []string{"{" + line + `,"quantity_received":4}`, `{"external_id":"L","status":"cancelled","shoe_size":43}`,
		"{" + line + `,"quantity_received":5}`} {
		require.Equal(t, "stale", st.deliver(s, "purchase_order_lines", "2", body))
		require.NoError(t, s.Sweep(t.Context()))
		require.NoError(t, s.PassNow(t.Context()))
		require.Equal(t, before, everything(), body)
	}
	require.Zero(t, told, "a stale delivery tells of no unknown fields")
	require.Equal(t, strings.TrimSuffix(strings.Repeat("5 partially_received 10 true, ", 3), ", "), st.ask(`
		SELECT string_agg(concat_ws(' ', e.data->'record'->>'quantity_received', e.data->'record'->>'status',
			e.data->'record'->>'quantity_ordered', (e.version = l.version AND e.xid IS NULL)::text), ', ')
		FROM workspace.events e JOIN workspace.purchase_order_lines l ON l.id = e.subject WHERE e.data ->> 'result' = 'stale'`),
		"the events have the row as it is stored")
	require.Equal(t, "3", st.ask("SELECT ltrim(sequence, '0') FROM workspace.record_sequences"))

	require.Equal(t, "updated", st.deliver(s, "purchase_order_lines", "", `{"external_id":"L","quantity_received":6}`),
		"without a sequence the last one wins")
	require.Equal(t, "3", st.ask("SELECT ltrim(sequence, '0') FROM workspace.record_sequences"))
	require.NoError(t, s.PassNow(t.Context()))
	require.Equal(t, "resolved", st.ask("SELECT status FROM workspace.failed_imports"))
}

// TestSequencesOfUnchangedRecords raises the sequence of a row that stays as it is.
func TestSequencesOfUnchangedRecords(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := newStand(t, s, db)
	for _, tt := range []struct{ sequence, name, want string }{
		{"5", "Acme", "unchanged"}, // the row was made without a sequence
		{"9", "Acme", "unchanged"},
		{"7", "Older", "stale"},
		{"9", "Acme Ltd", "updated"}, // an equal one is not stale
		{"9", "Acme Ltd", "unchanged"},
		{"2026-03-14T09:30:00Z", "By time", "updated"}, // another kind
		{"2026-03-14T09:29:59.999999999Z", "Older", "stale"},
		{"1", "By number", "updated"},
		{"0", "Older", "stale"},
		{"", "Without", "updated"},
		{"0", "Older", "stale"},
	} {
		require.Equal(t, tt.want, st.deliver(s, "suppliers", tt.sequence, fmt.Sprintf(`{"external_id":"S1","name":%q}`, tt.name)),
			"%s %s", tt.sequence, tt.name)
	}
	require.Equal(t, "Without 0000000000000000001", st.ask(`SELECT concat_ws(' ', s.name, q.sequence)
		FROM workspace.suppliers s JOIN workspace.record_sequences q ON q.tenant_id = s.tenant_id AND q.record_id = s.id`))
}

// TestRecordsWithoutSequences checks that they run the statement that they always ran.
func TestRecordsWithoutSequences(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := newStand(t, s, db)
	without := st.tickets([]string{`{"external_id":"L","order_no":"1"}`})[0]
	require.NotContains(t, s.statements.get(without).sql, "sequence")
	with := *without
	with.clean.sequence, _ = ReadSequence("1")
	require.Contains(t, s.statements.get(&with).sql, "record_sequences")
	with.mode = check
	require.NotContains(t, s.statements.get(&with).sql, "sequence")
}

// TestDeadLettersKeepTheGreatestSequence refuses one payload several times.
func TestDeadLettersKeepTheGreatestSequence(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := stand{t, s, db, pgtest.NewTenant(t, db)}
	kept := func() string { return st.ask("SELECT coalesce(sequence, '-') FROM workspace.failed_imports") }
	for _, tt := range []struct{ sent, want string }{
		{"", "-"}, {"5", "0000000000000000005"}, {"9", "0000000000000000009"}, {"7", "0000000000000000009"}, {"", "0000000000000000009"},
		{"2999-01-01T00:00:00Z", "0000000000000000009"}, {"soon", "0000000000000000009"},
		{"2026-03-14T09:30:00Z", "2026-03-14T09:30:00.000000000Z"}, {"3", "0000000000000000003"},
	} {
		require.Contains(t, st.deliver(s, "suppliers", tt.sent, `{"external_id":"S1"}`), "missing required field: name")
		require.Equal(t, tt.want, kept(), tt.sent)
	}
	require.Equal(t, "9", st.ask("SELECT seen::text FROM workspace.failed_imports"))
}

// TestSpooledSequences counts repeats of a payload in the spool.
func TestSpooledSequences(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 14, 9, 30, 0, 0, time.UTC)
	letter := func(minute int, sequence Sequence) deadLetter {
		return deadLetter{Payload: []byte("{}"), At: at.Add(time.Duration(minute) * time.Minute), Sequence: sequence,
			RequestID: strconv.Itoa(minute)}
	}
	five, _ := ReadSequence("5")
	nine, _ := ReadSequence("9")
	for _, letters := range [][]deadLetter{
		{letter(1, nine), letter(2, five)}, {letter(2, five), letter(1, nine)}, {letter(1, nine), letter(2, "")},
		{letter(2, ""), letter(1, nine)}, {letter(1, ""), letter(2, nine)}, {letter(2, nine), letter(1, "")},
	} {
		tallies := tallyRepeats(letters)
		require.Len(t, tallies, 1)
		require.EqualValues(t, 2, tallies[0].seen)
		require.Equal(t, "2", tallies[0].latest.RequestID, "the last one describes them")
		require.Equal(t, nine, tallies[0].latest.Sequence)
	}
	var read deadLetter
	entry, err := json.Marshal(letter(1, nine))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(entry, &read))
	require.Equal(t, nine, read.Sequence)
	require.NoError(t, json.Unmarshal([]byte(`{"slug":"orders"}`), &read), "an entry of an earlier release")
}

// TestOvertakenSequence lets another instance store a greater sequence, and no new row, while a delivery waits. The delivery
// was judged by the sequence before, and must not be stored.
func TestOvertakenSequence(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{"of a row that has one": "3", "of a row that has none": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, db := newService(t)
			st := newStand(t, s, db)
			if first != "" {
				require.Equal(t, "updated", st.deliver(s, "suppliers", first, `{"external_id":"S1","name":"Newer"}`))
			} else {
				require.Equal(t, "updated", st.deliver(s, "suppliers", "", `{"external_id":"S1","name":"Newer"}`))
			}
			tx, err := db.Admin(t).Begin(t.Context())
			require.NoError(t, err)
			_, err = tx.Exec(t.Context(), `INSERT INTO workspace.record_sequences (tenant_id, record_id, sequence, version)
				SELECT tenant_id, id, '0000000000000000009', 1 FROM workspace.suppliers WHERE tenant_id = $1
				ON CONFLICT (tenant_id, record_id) DO UPDATE SET sequence = excluded.sequence, version = record_sequences.version + 1`,
				st.tenant.ID)
			require.NoError(t, err)
			answer := make(chan string, 1)
			go func() { answer <- st.deliver(s, "suppliers", "5", `{"external_id":"S1","name":"Older"}`) }()
			pgtest.AwaitWaiting(t, db.Admin(t), 1)
			require.NoError(t, tx.Commit(t.Context()))
			require.Equal(t, "stale", <-answer)
			require.Equal(t, "Newer 9", st.ask(`SELECT concat_ws(' ', s.name, ltrim(q.sequence, '0'))
				FROM workspace.suppliers s JOIN workspace.record_sequences q ON q.record_id = s.id`))
		})
	}
}
