package app

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/mail/mailtest"
)

// TestOperatorIsMailedWithoutDatabase lets nothing answer at PostgreSQL's address: the operator gets a mail.
func TestOperatorIsMailedWithoutDatabase(t *testing.T) {
	t.Parallel()
	box := mailtest.New(t)
	a, err := New(t.Context(), Config{
		DatabaseURL: "postgres://quayside@127.0.0.1:1/quayside", SMTPURL: box.URL, OperatorEmail: "ops@tea.example", Lanes: 1,
		MaxQueued: 1, MaxQueuedBytes: 1, MaxWait: time.Second, MaxBodyBytes: 1, SpoolMaxBytes: 1 << 20,
	}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(a.Cells.Close)
	require.Empty(t, a.databaseTrouble(time.Now()))
	require.Eventually(t, func() bool { return a.Cells.Pulse(t.Context()) != nil && a.Cells.Down() != "" }, time.Minute, 100*time.Millisecond)
	now := time.Now()
	for _, after := range []time.Duration{0, 30 * time.Second, time.Minute, 2 * time.Minute} {
		a.troubles.Look(t.Context(), now.Add(after))
	}
	got := box.Next(t)
	require.Equal(t, "ops@tea.example", got.To)
	require.Contains(t, got.Subject, "PostgreSQL cannot be used")
	require.NotContains(t, got.Text, "127.0.0.1")
	require.Empty(t, box.Mails, "one mail")
}

// TestSpoolTrouble fills the spool up to 80 % of what it may hold, and lets records wait in it although nothing says that
// PostgreSQL is away.
func TestSpoolTrouble(t *testing.T) {
	t.Parallel()
	const limit, frame = 100_000, 12 // what an entry takes beside itself
	a, err := New(t.Context(), Config{
		DatabaseURL: "postgres://quayside@127.0.0.1:1/quayside", Lanes: 1, MaxQueued: 1, MaxQueuedBytes: 1, MaxWait: time.Second,
		MaxBodyBytes: 1, SpoolDir: t.TempDir(), SpoolMaxBytes: limit,
	}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(a.Cells.Close)
	require.NoError(t, a.Spool.Open())
	t.Cleanup(func() { require.NoError(t, a.Spool.Close()) })
	require.Empty(t, a.spoolTrouble(time.Now().Add(time.Hour)), "nothing waits")

	require.NoError(t, a.Spool.Append(t.Context(), make([]byte, limit*79/100-frame)))
	since := a.Spool.Since()
	require.Empty(t, a.spoolTrouble(since.Add(9*time.Minute)), "79 %, for 9 minutes")
	require.Contains(t, a.spoolTrouble(since.Add(11*time.Minute)), "1 records wait in the spool, although PostgreSQL works")
	require.NoError(t, a.Spool.Append(t.Context(), make([]byte, limit/100-frame)))
	require.Contains(t, a.spoolTrouble(since), "has room for only 20000 bytes more")
}

// TestLateChores checks that a chore is late if it has not succeeded for three of its intervals and some minutes, and
// that time does not count while PostgreSQL is away.
func TestLateChores(t *testing.T) {
	t.Parallel()
	var d done
	start := time.Now()
	d.note(chore{name: "often", every: time.Second}, start)
	d.note(chore{name: "hourly", every: time.Hour}, start)
	require.Empty(t, d.late(start.Add(15*time.Minute)))
	require.Equal(t, []string{"often"}, d.late(start.Add(16*time.Minute)))
	require.Equal(t, []string{"hourly", "often"}, d.late(start.Add(4*time.Hour)))
	d.note(chore{name: "often", every: time.Second}, start.Add(4*time.Hour))
	require.Equal(t, []string{"hourly"}, d.late(start.Add(4*time.Hour)))
	d.pause(start.Add(5 * time.Hour))
	require.Empty(t, d.late(start.Add(5*time.Hour+10*time.Minute)))
}

// TestMailTrouble checks that mails fail only if several in a row did, lately; a receiver who is refused is no trouble.
func TestMailTrouble(t *testing.T) {
	t.Parallel()
	var p posted
	now := time.Now()
	for i, result := range []mail.Result{mail.Failed, mail.Failed, mail.Refused, mail.Failed, mail.Failed} {
		p.note(result, now)
		require.Empty(t, p.trouble(now), "mail %d", i)
	}
	p.note(mail.Failed, now)
	require.NotEmpty(t, p.trouble(now))
	require.Empty(t, p.trouble(now.Add(time.Hour)), "nobody has tried since")
	p.note(mail.Accepted, now)
	require.Empty(t, p.trouble(now))
}
