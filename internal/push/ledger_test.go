package push

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/sheet"
	"github.com/quayside/quayside/test/property"
	"pgregory.net/rapid"
)

// TestLedger finishes records in any order, with stops and resumes in between. A record counts
// as finished if and only if Finish was called for it, and the saved position stays within the
// window.
func TestLedger(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.push-state")
	property.Check(t, func(t *rapid.T) {
		total := rapid.Int64Range(1, 200).Draw(t, "total")
		ledger, finished := NewLedger(), map[int64]bool{}
		var (
			rejected, created int64
			warned            map[string]int64
		)
		for len(finished) < int(total) {
			mark, _, _ := ledger.position()
			number := rapid.Int64Range(mark+1, min(total, mark+20)).Draw(t, "number")
			if ledger.Has(number) != finished[number] {
				t.Fatalf("record %d: done is %v", number, ledger.Has(number))
			}
			if finished[number] {
				continue
			}
			finished[number] = true
			if rapid.Bool().Draw(t, "rejected") {
				rejected++
				ledger.Finish(number, true, "")
			} else {
				created++
				codes := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"sku_unknown", "sku_padded"}), 0, 2, rapid.ID).Draw(t, "codes")
				for _, code := range codes {
					if warned == nil {
						warned = map[string]int64{}
					}
					warned[code]++
				}
				ledger.Finish(number, false, "created", codes...)
			}
			if rapid.IntRange(0, 9).Draw(t, "stop") == 0 {
				ledger = resumed(t, path, ledger)
			}
		}
		ledger = resumed(t, path, ledger)
		mark, spans, counts := ledger.position()
		if mark != total || spans != nil {
			t.Fatalf("all %d are done, the mark is %d and %v are above it", total, mark, spans)
		}
		want := Counts{Accepted: created, Created: created, Rejected: rejected, Warned: warned}
		if !reflect.DeepEqual(counts, want) {
			t.Fatalf("%+v instead of %+v", counts, want)
		}
	})
}

// resumed saves a position and loads it again.
func resumed(t *rapid.T, path string, ledger *Ledger) *Ledger {
	state := State{Version: stateVersion, Table: "orders"}
	state.Mark, state.Above, state.Counts = ledger.position()
	if err := state.save(path); err != nil {
		t.Fatal(err)
	}
	loaded, found, err := loadState(path, State{Table: "orders"})
	if err != nil || !found {
		t.Fatalf("%v, %v", found, err)
	}
	again := NewLedger()
	again.restore(loaded.Mark, loaded.Above, loaded.Counts)
	return again
}

func TestLedgerKeepsTheWindow(t *testing.T) {
	t.Parallel()
	ledger := NewLedger()
	require.NoError(t, ledger.Room(t.Context(), window))
	stopped, stop := context.WithCancel(t.Context())
	stop()
	require.Error(t, ledger.Room(stopped, window+1))
	waiting := make(chan error)
	go func() { waiting <- ledger.Room(t.Context(), window+1) }()
	ledger.Finish(2, false, "created")
	require.Error(t, ledger.Room(stopped, window+1), "the first is not done")
	ledger.Finish(1, false, "created")
	require.NoError(t, <-waiting)
}

func TestStateBelongsToOnePush(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.push-state")
	mine := State{Version: stateVersion, Size: 5, Hash: "a", URL: "u", Table: "orders", Reading: [5]string{"csv", ","}}
	_, found, err := loadState(path, mine)
	require.NoError(t, err)
	require.False(t, found)
	require.NoError(t, mine.save(path))
	_, found, err = loadState(path, mine)
	require.NoError(t, err)
	require.True(t, found)
	for says, change := range map[string]func(*State){
		"the file has changed":         func(s *State) { s.Hash = "b" },
		"went to table orders at u":    func(s *State) { s.Table = "customers" },
		"read the file in another way": func(s *State) { s.Reading[1] = ";" },
	} {
		other := mine
		change(&other)
		_, _, err := loadState(path, other)
		require.ErrorContains(t, err, says)
	}
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	_, _, err = loadState(path, mine)
	require.ErrorContains(t, err, "Push without --resume")
}

// TestRejectsGoOn continues a rejects file whose last line was cut off. No record is written
// twice.
func TestRejectsGoOn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.rejects.ndjson")
	first, moved, err := startRejects(path)
	require.NoError(t, err)
	require.Empty(t, moved)
	require.Empty(t, first.Close(), "no file without a reject")
	require.NoError(t, first.Write([]byte(`{"id":"1"}`), sheet.Note{Record: 1, Status: 422, Error: "bad"}))
	require.NoError(t, first.Write([]byte(`{}`), sheet.Note{Record: 4, Error: "broken", Raw: "x"}))
	require.Equal(t, path, first.Close())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, `{"id":"1","_record":1,"_status":422,"_error":"bad"}`+"\n"+`{"_record":4,"_error":"broken","_raw":"x"}`+"\n", string(text))
	require.NoError(t, os.WriteFile(path, append(text, `{"id":"9","_rec`...), 0o600))

	var groups Groups
	second, err := resumeRejects(path, func(number int64) bool { return number < 3 }, groups.Add)
	require.NoError(t, err)
	require.NoError(t, second.Write([]byte(`{}`), sheet.Note{Record: 4, Error: "broken", Raw: "x"}))
	require.NoError(t, second.Write([]byte(`{"id":"5"}`), sheet.Note{Record: 5, Error: "bad"}))
	second.Close()
	text, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(string(text), "\n"), string(text))
	require.Equal(t, 1, strings.Count(string(text), `"_record":4`))
	known, _ := groups.List()
	require.Len(t, known, 1, "the one that is done is in the summary")

	_, moved, err = startRejects(path)
	require.NoError(t, err)
	require.FileExists(t, moved)
	require.NoFileExists(t, path)
}

func TestGroups(t *testing.T) {
	t.Parallel()
	var groups Groups
	for number, message := range []string{
		`total: "abc" is not a number`, `total: "x; y" is not a number`, `total: ["a is not b"] is not a number`,
		`total: "` + strings.Repeat("x", 60) + `… is not a number`,
		`ordered_at: 1773480600 is 2026-03-14T09:30:00Z in seconds but 1970-01-21T12:38:00.6Z in milliseconds (send milliseconds)`,
		`status: "opened" is not one of open, completed`, `status: "a\"b; c`,
		`status: "x" is not one of open, completed; total: bad`,
		"lead_time_days: -5 is below 0", "lead_time_days: -7.5 is below 0", "unknown reference: customer_id",
		"line 7 has 3 cells, the header has 8", "line 19 has 9 cells, the header has 8",
	} {
		groups.Add(422, message, int64(number+1))
	}
	list, others := groups.List()
	require.Zero(t, others)
	reasons := map[string]int64{}
	for _, group := range list {
		reasons[group.Reason] = group.Count
	}
	require.Equal(t, map[string]int64{
		"total: … is not a number": 4, "ordered_at: … is a time in seconds or in milliseconds": 1,
		"status: … is not one of open, completed": 2, "status: …": 1, "lead_time_days: is below 0": 2,
		"unknown reference: customer_id": 1, "has other cells, the header has 8": 2,
	}, reasons)
}
