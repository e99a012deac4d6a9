package push

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
)

// TestSequences sends a column of the file as the sequence of each record, and only if it was asked for.
func TestSequences(t *testing.T) {
	t.Parallel()
	const content = "external_id,note,changed,revision\n1,ok,2026-03-14T09:30:00Z,7\n2,old, 2026-03-13T09:30:00Z ,8\n3,ok,,\n4,ok,gestern früh,9\n"
	for _, tt := range []struct {
		column string
		want   []string
	}{
		{"", []string{"1", "2", "3", "4"}},
		{"changed", []string{"1 2026-03-14T09:30:00Z", "2 2026-03-13T09:30:00Z", "3", `4 "gestern fr\u00fch"`}},
		{"revision", []string{"1 7", "2 8", "3", "4 9"}},
	} {
		s := newService(t)
		s.answer = func(_ int, record map[string]any) (int, map[string]string, string) {
			if record["note"] == "old" {
				return 200, map[string]string{"Ingest-Result": "stale"}, `{"ok":true}`
			}
			return 200, nil, `{"ok":true}`
		}
		job, _ := s.job(t, content)
		job.Sequence = tt.column
		summary, err := Run(t.Context(), job)
		require.NoError(t, err)
		slices.Sort(s.order)
		require.Equal(t, tt.want, s.order)
		require.EqualValues(t, 4, summary.Accepted)
		require.EqualValues(t, 1, summary.Stale)
		var words strings.Builder
		summary.Print(&words)
		require.Contains(t, words.String(), "4 accepted (3 created, 0 updated, 0 unchanged, 1 older than what is stored), 0 rejected")
		require.NotContains(t, s.bodies[0], "2026", "a column that the table does not have is sent as the header only")
	}
}

func TestSequenceOfNoColumn(t *testing.T) {
	t.Parallel()
	s := newService(t)
	job, _ := s.job(t, "external_id,note\n1,ok\n")
	job.Sequence = "changed"
	_, err := Run(t.Context(), job)
	require.True(t, fault.HasCode(err, Misused), "%v", err)
	require.ErrorContains(t, err, `--sequence "changed": the file has no such column`)
	require.Empty(t, s.bodies)
}

// TestRejectsKeepTheirSequence pushes rejects with the sequences of their first push, which rejects of these keep again.
func TestRejectsKeepTheirSequence(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.answer = func(_ int, record map[string]any) (int, map[string]string, string) {
		if note, _ := record["note"].(string); strings.HasPrefix(note, "bad") {
			return 422, nil, `{"ok":false,"error":"note: bad"}`
		}
		return 200, nil, `{"ok":true}`
	}
	job, _ := s.job(t, "external_id,note,changed\n1,bad,2026-03-14T09:30:00Z\n2,ok,2026-03-14T09:31:00Z\n3,bad again,\n")
	job.Sequence = "changed"
	for range 2 {
		_, err := Run(t.Context(), job)
		require.ErrorIs(t, err, ErrRejected)
		job.File += ".rejects.ndjson"
		job.Sequence = "_sequence"
	}
	text, err := os.ReadFile(job.File)
	require.NoError(t, err)
	require.Contains(t, string(text), `"_sequence":"2026-03-14T09:30:00Z"`)
	require.Equal(t, 1, strings.Count(string(text), "_sequence"), "a record without one has none")
	require.NoError(t, os.WriteFile(job.File, []byte(strings.ReplaceAll(string(text), `"note":"bad`, `"note":"good`)), 0o600))
	s.order = nil
	_, err = Run(t.Context(), job)
	require.NoError(t, err)
	slices.Sort(s.order)
	require.Equal(t, []string{"1 2026-03-14T09:30:00Z", "3"}, s.order)
}

// TestResumeKeepsTheSequence refuses to go on with another column than the one with which a push began.
func TestResumeKeepsTheSequence(t *testing.T) {
	t.Parallel()
	s := newService(t)
	stop := make(chan struct{})
	s.answer = func(n int, _ map[string]any) (int, map[string]string, string) {
		if n == 1 {
			close(stop)
		}
		return 503, map[string]string{"Retry-After": "50"}, ""
	}
	job, _ := s.job(t, "external_id,note,changed\n1,ok,2026-03-14T09:30:00Z\n")
	job.Sequence, job.Stop = "changed", stop
	summary, err := Run(t.Context(), job)
	require.ErrorIs(t, err, ErrInterrupted)
	require.True(t, summary.Resumable)
	s.answer = func(int, map[string]any) (int, map[string]string, string) { return 200, nil, `{"ok":true}` }
	job.Resume, job.Stop, job.Sequence = true, nil, ""
	_, err = Run(t.Context(), job)
	require.True(t, fault.HasCode(err, "state"), "%v", err)
	job.Sequence, s.order = "changed", nil
	_, err = Run(t.Context(), job)
	require.NoError(t, err)
	require.Equal(t, []string{"1 2026-03-14T09:30:00Z"}, s.order)
}
