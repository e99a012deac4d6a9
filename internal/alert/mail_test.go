package alert_test

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/alert"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/mail/mailtest"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/source"
	"github.com/quayside/quayside/internal/telemetry"
)

// person adds a member to a tenant and returns their id.
func (k *quay) person(tenant pgtest.Tenant, email string, role auth.Role) uuid.UUID {
	k.t.Helper()
	none, err := mail.New("")
	require.NoError(k.t, err)
	accounts := account.New(k.db.Cells, none, slog.New(slog.DiscardHandler), "")
	member, _, err := accounts.CreateUser(k.t.Context(), auth.Operator(tenant.ID), email, "", "correct horse battery",
		role)
	require.NoError(k.t, err)
	return member.ID
}

// quayWithMail returns a quay whose alerts are mailed.
func quayWithMail(t *testing.T) (*quay, *mailtest.Postbox) {
	t.Helper()
	k, box := newQuay(t), mailtest.New(t)
	k.alerts = k.service(box.URL)
	return k, box
}

func (k *quay) mail(at time.Time) {
	k.t.Helper()
	require.NoError(k.t, k.alerts.Mail(k.t.Context(), at))
}

// receivers empties the postbox and returns the receivers of its mails.
func receivers(box *mailtest.Postbox) (to []string) {
	for len(box.Mails) > 0 {
		to = append(to, (<-box.Mails).To)
	}
	slices.Sort(to)
	return to
}

func TestMailReachesWhoCanHelp(t *testing.T) {
	t.Parallel()
	k, box := quayWithMail(t)
	other := k.join()
	k.person(k.tenant, "admin@example.com", auth.CompanyAdmin)
	k.person(k.tenant, "buyer@example.com", auth.Buyer)
	k.person(k.tenant, "viewer@example.com", auth.Viewer)
	k.person(k.tenant, "approver@example.com", auth.Approver)
	k.person(other, "stranger@example.com", auth.CompanyAdmin)
	quiet := k.person(k.tenant, "quiet@example.com", auth.Buyer)
	off := false
	none, err := mail.New("")
	require.NoError(t, err)
	accounts := account.New(k.db.Cells, none, slog.New(slog.DiscardHandler), "")
	require.NoError(t, accounts.ChangeProfile(t.Context(), auth.Principal{Person: quiet},
		account.ProfileChange{AlertMails: &off}))

	k.exec("UPDATE control.tenants SET name = 'Harbour Goods' WHERE id = $1", k.tenant.ID)
	k.exec("UPDATE control.workspaces SET time_zone = 'Asia/Tokyo' WHERE id = $1", k.tenant.Workspace)
	k.fail(k.tenant, soon(k.now))
	k.look(k.now)
	k.mail(k.now)
	first := box.Next(t)
	require.Equal(t, "admin@example.com", first.To)
	require.Equal(t, "Quayside: New failed imports in Suppliers", first.Subject)
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	require.NoError(t, err)
	place := "https://quay.example/w/" + k.tenant.Workspace.String()
	require.Equal(t, `In the workspace Main of Harbour Goods:

New failed imports in Suppliers.
Why: lead_time_days: expected a number
How many: 1 so far
Since: `+k.now.In(tokyo).Format("2 January 2006, 15:04 MST")+`
Look at it: `+place+`/failures?code=type&field=lead_time_days&table=suppliers

You get this because you are a Company-Admin or a buyer of Harbour Goods.
Switch alerts by mail off here: `+place+`/you
`, first.Text)
	require.Equal(t, []string{"buyer@example.com"}, receivers(box))

	k.mail(k.now.Add(hour))
	require.Empty(t, receivers(box), "once")
}

// TestMailsAreFew checks that one cause makes one mail, however many instances send and
// however often the cause comes and goes within the hour. Several causes at once share a mail.
func TestMailsAreFew(t *testing.T) {
	t.Parallel()
	k, box := quayWithMail(t)
	k.person(k.tenant, "admin@example.com", auth.CompanyAdmin)
	k.person(k.tenant, "buyer@example.com", auth.Buyer)
	all := func(at time.Time) {
		var together sync.WaitGroup
		for range 8 {
			one := k.service(box.URL)
			together.Go(func() {
				ctx := context.WithoutCancel(t.Context())
				_ = one.Look(ctx, at)
				_ = one.Mail(ctx, at)
			})
		}
		together.Wait()
	}
	both := []string{"admin@example.com", "buyer@example.com"}
	for i, want := range [][]string{both, nil, nil, both} {
		at := k.now.Add(time.Duration(i) * 20 * minute)
		k.fail(k.tenant, soon(at))
		all(at)
		require.Equal(t, want, receivers(box), "round %d", i)
		k.close()
		all(at.Add(minute))
	}
	at := k.now.Add(3 * hour)
	k.fail(k.tenant, soon(at))
	k.send(k.tenant, "orders", source.Failed, 100, at)
	k.flush()
	k.look(at)
	k.mail(at)
	digest := box.Next(t)
	require.Equal(t, "Quayside: 2 alerts in Main", digest.Subject)
	require.Contains(t, digest.Text,
		"Too many records for Orders fail.\nWhy: 100 of 100 records failed within 15 minutes, more than 5 %\n")
	require.Contains(t, digest.Text, "New failed imports in Suppliers.\n")
	require.Equal(t, []string{"buyer@example.com"}, receivers(box))
}

// TestMailIsTriedAgain checks that a refused mail is sent again, only to the receivers that
// it did not reach, and not for ever.
func TestMailIsTriedAgain(t *testing.T) {
	t.Parallel()
	k, box := newQuay(t), mailtest.New(t)
	var logged bytes.Buffer
	post, err := mail.New(box.URL)
	require.NoError(t, err)
	k.alerts = alert.New(k.db.Cells, registry.New(k.db.Cells), post, telemetry.NewLogger(&logged, slog.LevelDebug),
		telemetry.NewMetrics(), "https://quay.example")
	k.person(k.tenant, "admin@example.com", auth.CompanyAdmin)
	k.person(k.tenant, "buyer@example.com", auth.Buyer)
	box.Refuse(func(to string) bool { return to == "buyer@example.com" })

	k.fail(k.tenant, soon(k.now))
	k.look(k.now)
	at := k.now
	k.mail(at)
	require.Equal(t, []string{"admin@example.com"}, receivers(box))
	k.mail(at.Add(minute - time.Second))
	require.Equal(t, 1, strings.Count(logged.String(), "an alert was not mailed"), "not before its time")
	box.Refuse(func(string) bool { return false })
	k.mail(at.Add(minute))
	require.Equal(t, []string{"buyer@example.com"}, receivers(box))
	k.mail(at.Add(day - hour))
	require.Empty(t, receivers(box))

	box.Refuse(func(string) bool { return true })
	logged.Reset()
	at = k.now.Add(2 * hour)
	other := soon(at)
	other.field = "active"
	k.fail(k.tenant, other)
	k.look(at)
	for range 10 {
		k.mail(at)
		at = at.Add(hour)
	}
	require.Equal(t, 2*5, strings.Count(logged.String(), "an alert was not mailed"), "five tries for each of two")
	require.NotContains(t, logged.String(), "@", "no address in the log")
	require.Contains(t, logged.String(), "is not known here")
}

func TestMailIsNotSent(t *testing.T) {
	t.Parallel()
	t.Run("of what is over", func(t *testing.T) {
		t.Parallel()
		k, box := quayWithMail(t)
		k.person(k.tenant, "admin@example.com", auth.CompanyAdmin)
		k.fail(k.tenant, soon(k.now))
		k.look(k.now)
		k.close()
		k.look(k.now)
		k.mail(k.now)
		require.Empty(t, box.Mails)
		k.fail(k.tenant, soon(k.now.Add(minute)))
		k.look(k.now.Add(minute))
		k.mail(k.now.Add(minute))
		require.Len(t, box.Mails, 1, "but when it is back")
	})
	t.Run("of what was raised before mail was configured", func(t *testing.T) {
		t.Parallel()
		k, box := newQuay(t), mailtest.New(t)
		k.person(k.tenant, "admin@example.com", auth.CompanyAdmin)
		k.fail(k.tenant, soon(k.now))
		k.look(k.now)
		k.mail(k.now)
		k.alerts = k.service(box.URL)
		k.look(k.now)
		k.mail(k.now)
		require.Empty(t, box.Mails)
	})
}
