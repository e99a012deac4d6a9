package account_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/netip"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/mail/mailtest"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

const secret = "correct horse battery"

// link returns the token of the link in a mail.
func link(t *testing.T, got mailtest.Mail, path string) string {
	t.Helper()
	pattern := regexp.MustCompile(regexp.QuoteMeta("https://quay.example"+path) + `#([A-Za-z0-9_-]{43})`)
	found := pattern.FindStringSubmatch(got.Text)
	require.NotNil(t, found, got.Text)
	return found[1]
}

//race:detect
func TestMails(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	box := mailtest.New(t)
	post, err := mail.New(box.URL)
	require.NoError(t, err)
	accounts := account.New(db.Cells, post, slog.New(slog.DiscardHandler), "https://quay.example")
	t.Cleanup(accounts.Close)
	ctx, device := t.Context(), account.Device{Address: netip.MustParseAddr("192.0.2.1")}

	_, shown, err := accounts.Invite(ctx, auth.Operator(tenant.ID), "Grace@example.com", auth.Buyer)
	require.NoError(t, err)
	require.Empty(t, shown, "a link that was mailed is not shown too")
	_, err = accounts.Accept(ctx, link(t, box.Next(t), "/invitation"), "Grace", secret, device)
	require.NoError(t, err)

	mailed, err := accounts.RequestReset(ctx, "grace@EXAMPLE.com", device.Address)
	require.NoError(t, err)
	require.True(t, mailed)
	token := link(t, box.Next(t), "/reset-password")
	_, err = accounts.Reset(ctx, token, "a few other words", true, device)
	require.NoError(t, err)
	_, err = accounts.SignIn(ctx, "grace@example.com", "a few other words", device)
	require.NoError(t, err)

	t.Run("an unknown address gets no mail", func(t *testing.T) {
		_, err := accounts.RequestReset(ctx, "nobody@example.com", device.Address)
		require.NoError(t, err)
		accounts.Close()
		require.Empty(t, box.Mails)
	})
	t.Run("a server that repeats the address", func(t *testing.T) {
		var said bytes.Buffer
		refused := account.New(db.Cells, post, slog.New(slog.NewTextHandler(&said, nil)), "https://quay.example")
		box.Refuse(func(string) bool { return true })
		_, err := refused.RequestReset(ctx, "grace@example.com", netip.MustParseAddr("192.0.2.2"))
		require.NoError(t, err)
		refused.Close()
		require.Contains(t, said.String(), "background work failed")
		require.NotContains(t, said.String(), "@", "no address is in the log")
		_, _, err = refused.Invite(ctx, auth.Operator(tenant.ID), "alan@example.com", auth.Viewer)
		require.True(t, fault.HasCode(err, "mail_failed"))
		require.NotContains(t, errors.Unwrap(err).Error(), "@", "which is logged")
	})
	t.Run("a server that is away", func(t *testing.T) {
		away, err := mail.New("smtp://127.0.0.1:1?from=quayside@example.com&tls=none")
		require.NoError(t, err)
		unmailed := account.New(db.Cells, away, slog.New(slog.DiscardHandler), "https://quay.example")
		_, shown, err := unmailed.Invite(ctx, auth.Operator(tenant.ID), "alan@example.com", auth.Viewer)
		require.True(t, fault.HasCode(err, "mail_failed"))
		require.Empty(t, shown, "a link proves that its receiver has the address")
	})
}

func TestMailAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"mail.example.com", "smtp://mail.example.com", "http://x?from=a@b",
		"smtp://u:hunter2@mail:x?from=a@b"} {
		_, err := mail.New(address)
		require.ErrorContains(t, err, "QUAYSIDE_SMTP_URL", address)
		require.NotContains(t, err.Error(), "hunter2")
	}
	none, err := mail.New("")
	require.NoError(t, err)
	require.False(t, none.Configured())
}
