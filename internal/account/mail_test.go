package account_test

import (
	"bufio"
	"log/slog"
	"net"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

const secret = "correct horse battery"

// postbox is an SMTP server that keeps what it is given.
func postbox(t *testing.T) (address string, mails <-chan string) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	got := make(chan string, 10)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go take(conn, got)
		}
	}()
	return "smtp://" + listener.Addr().String() + "?from=quayside@example.com&tls=none", got
}

func take(conn net.Conn, got chan<- string) {
	defer func() { _ = conn.Close() }()
	say := func(line string) { _, _ = conn.Write([]byte(line + "\r\n")) }
	say("220 postbox")
	var data strings.Builder
	reading := false
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		line := lines.Text()
		switch {
		case reading && line == ".":
			reading = false
			got <- data.String()
			say("250 kept")
		case reading:
			data.WriteString(line + "\n")
		case line == "DATA":
			reading = true
			say("354 go on")
		case line == "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

// link finds the token in a mail, whose long lines are folded.
func link(t *testing.T, text, path string) string {
	t.Helper()
	text = strings.ReplaceAll(strings.ReplaceAll(text, "=\n", ""), "=3D", "=")
	found := regexp.MustCompile(regexp.QuoteMeta("https://quay.example"+path) + `#([A-Za-z0-9_-]{43})`).FindStringSubmatch(text)
	require.NotNil(t, found, text)
	return found[1]
}

func TestMails(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	address, mails := postbox(t)
	post, err := mail.New(address)
	require.NoError(t, err)
	accounts := account.New(db.Cells, post, slog.New(slog.DiscardHandler), "https://quay.example")
	t.Cleanup(accounts.Close)
	ctx, device := t.Context(), account.Device{Address: netip.MustParseAddr("192.0.2.1")}

	_, shown, err := accounts.Invite(ctx, auth.Operator(tenant.ID), "Grace@example.com", auth.Buyer)
	require.NoError(t, err)
	require.Empty(t, shown, "a link that was mailed is not shown too")
	_, _, err = accounts.Accept(ctx, link(t, <-mails, "/invitation"), "Grace", secret, device)
	require.NoError(t, err)

	mailed, err := accounts.RequestReset(ctx, "grace@EXAMPLE.com", device.Address)
	require.NoError(t, err)
	require.True(t, mailed)
	token := link(t, <-mails, "/reset-password")
	require.NoError(t, accounts.Reset(ctx, token, "a few other words"))
	_, _, err = accounts.SignIn(ctx, "grace@example.com", "a few other words", device)
	require.NoError(t, err)

	t.Run("nobody gets no mail", func(t *testing.T) {
		_, err := accounts.RequestReset(ctx, "nobody@example.com", device.Address)
		require.NoError(t, err)
		accounts.Close()
		require.Empty(t, mails)
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
	for _, address := range []string{"mail.example.com", "smtp://mail.example.com", "http://x?from=a@b", "smtp://u:hunter2@mail:x?from=a@b"} {
		_, err := mail.New(address)
		require.ErrorContains(t, err, "QUAYSIDE_SMTP_URL", address)
		require.NotContains(t, err.Error(), "hunter2")
	}
	none, err := mail.New("")
	require.NoError(t, err)
	require.False(t, none.Configured())
}
