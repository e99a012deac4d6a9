//race:detect everything reports to it
package trouble

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/mail/mailtest"
	"github.com/quayside/quayside/internal/telemetry"
)

// TestLetters checks which mails are due, minute by minute after something may have begun.
func TestLetters(t *testing.T) {
	t.Parallel()
	type step struct {
		minute int
		wrong  bool
		refuse bool // the mail server takes nothing
		want   letter
	}
	for name, steps := range map[string][]step{
		"one when it begins, one when it is over": {
			{0, true, false, nothing}, {1, true, false, begun}, {2, true, false, nothing}, {300, true, false, nothing},
			{301, false, false, over}, {302, false, false, nothing},
		},
		"what is over soon is not told": {{0, true, false, nothing}, {1, false, false, nothing}, {2, true, false, nothing}},
		"back within the hour": {
			{0, true, false, nothing}, {1, true, false, begun}, {2, false, false, over}, {3, true, false, nothing},
			{59, true, false, nothing}, {61, true, false, begun}, {62, false, false, over},
		},
		"back within the hour, and over": {
			{0, true, false, nothing}, {1, true, false, begun}, {2, false, false, over}, {3, true, false, nothing},
			{10, true, false, nothing}, {11, false, false, nothing}, {12, false, false, nothing},
		},
		"the mail server is away": {
			{0, true, true, nothing}, {1, true, true, begun}, {2, true, true, begun}, {3, true, false, begun},
			{4, true, false, nothing}, {5, false, true, over}, {6, false, false, over}, {7, false, false, nothing},
		},
		"the mail server is away until it is over": {
			{0, true, true, nothing}, {1, true, true, begun}, {2, false, false, over}, {3, false, false, nothing},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s state
			start := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
			for _, step := range steps {
				now, text := start.Add(time.Duration(step.minute)*time.Minute), ""
				if step.wrong {
					text = "Something is wrong."
				}
				got := s.look(text, time.Minute, now)
				require.Equal(t, step.want, got, "minute %d", step.minute)
				s.sent(got, !step.refuse, now)
			}
		})
	}
}

// TestMails reads the two mails about a trouble.
func TestMails(t *testing.T) {
	t.Parallel()
	box := mailtest.New(t)
	post, err := mail.New(box.URL)
	require.NoError(t, err)
	wrong := "PostgreSQL does not answer."
	w := New(post, "ops@tea.example", "quay-1", slog.New(slog.DiscardHandler), telemetry.NewMetrics(),
		Cause{Name: "database", Headline: "PostgreSQL cannot be used", Look: func(time.Time) string { return wrong }})
	now := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	for range 3 {
		w.Look(t.Context(), now)
	}
	got := box.Next(t)
	require.Equal(t, "ops@tea.example", got.To)
	require.Equal(t, "Quayside on quay-1: PostgreSQL cannot be used", got.Subject)
	require.Contains(t, got.Text, "PostgreSQL does not answer.")
	require.Contains(t, got.Text, "2 November 2026, 10:00 UTC")
	wrong = ""
	w.Look(t.Context(), now.Add(time.Hour))
	got = box.Next(t)
	require.Equal(t, "Quayside on quay-1: over: PostgreSQL cannot be used", got.Subject)
	require.Contains(t, got.Text, "It is over since 2 November 2026, 11:00 UTC")
	require.Empty(t, box.Mails)

	silent := New(post, "", "quay-1", slog.New(slog.DiscardHandler), telemetry.NewMetrics(),
		Cause{Name: "database", Look: func(time.Time) string { return "Something." }})
	silent.Look(t.Context(), now)
	require.Empty(t, box.Mails, "nobody is configured")
}

// TestGauge checks that a cause's metric is 1 from when the trouble has lasted long enough until it is over, whether
// somebody gets mails or not.
func TestGauge(t *testing.T) {
	t.Parallel()
	post, err := mail.New("")
	require.NoError(t, err)
	metrics, wrong := telemetry.NewMetrics(), ""
	w := New(post, "", "quay-1", slog.New(slog.DiscardHandler), metrics,
		Cause{Name: "database", After: time.Minute, Look: func(time.Time) string { return wrong }},
		Cause{Name: "mail", Look: func(time.Time) string { return "" }})
	start := time.Now()
	for minute, want := range []struct {
		wrong, gauge string
	}{{"", "0"}, {"It is away.", "0"}, {"It is away.", "1"}, {"It is away.", "1"}, {"", "0"}, {"It is away.", "0"}} {
		wrong = want.wrong
		w.Look(t.Context(), start.Add(time.Duration(minute)*time.Minute))
		answer := httptest.NewRecorder()
		metrics.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
		require.Contains(t, answer.Body.String(), "\nquayside_trouble{cause=\"database\"} "+want.gauge+"\n", "minute %d", minute)
		require.Contains(t, answer.Body.String(), "\nquayside_trouble{cause=\"mail\"} 0\n", "minute %d", minute)
	}
}
