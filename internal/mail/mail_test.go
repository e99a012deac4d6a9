//race:detect the stand-in of a mail server has a goroutine for each connection
package mail_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/mail/mailtest"
)

func sender(t *testing.T) (*mail.Sender, *mailtest.Postbox) {
	t.Helper()
	box := mailtest.New(t)
	post, err := mail.New(box.URL)
	require.NoError(t, err)
	return post, box
}

func TestSendCarriesAFile(t *testing.T) {
	t.Parallel()
	post, box := sender(t)
	pdf := "%PDF-1.5\n" + strings.Repeat("\x00\xff.\r\n", 5000)
	require.NoError(t, post.Send(t.Context(), mail.Message{
		To: []string{"orders@tea.example", "two@tea.example"}, Cc: []string{"boss@harbour.example"}, ReplyTo: "buy@harbour.example",
		Subject: "Bestellung für Łódź", Text: "Guten Tag,\n\n.anbei\n",
		Attached: &mail.Attachment{Name: "PO-1.pdf", Type: "application/pdf", Content: []byte(pdf)},
	}))
	got := box.Next(t)
	require.Equal(t, []string{"orders@tea.example", "two@tea.example", "boss@harbour.example"}, got.All)
	require.Equal(t, "Bestellung für Łódź", got.Subject)
	require.Equal(t, "<buy@harbour.example>", got.Header.Get("Reply-To"))
	require.Equal(t, "<boss@harbour.example>", got.Header.Get("Cc"))
	require.Contains(t, got.Text, "Guten Tag,")
	require.Equal(t, map[string]string{"PO-1.pdf": pdf}, got.Attached)
}

// TestSendAddsNoHeader gives texts that would add a header or a receiver if they were written as they are.
func TestSendAddsNoHeader(t *testing.T) {
	t.Parallel()
	post, box := sender(t)
	for _, address := range []string{
		"a@tea.example\r\nBcc: eve@evil.example", "a@tea.example\n", "a@tea.example, eve@evil.example", "Eve <eve@evil.example>",
		"\"a\r\nBcc: eve@evil.example\" <a@tea.example>", "a@tea.example> SIZE=1\r\nDATA", "", "a", "@tea.example", "a@", "a b@tea.example",
		strings.Repeat("a", 65) + "@tea.example", "a@" + strings.Repeat("a.", 130) + "example", "ä@tea.example",
	} {
		require.False(t, mail.IsAddress(address), address)
		require.Error(t, post.Send(t.Context(), mail.Message{To: []string{address}, Subject: "Hi", Text: "Hi"}), address)
		require.Error(t, post.Send(t.Context(), mail.Message{To: []string{"a@tea.example"}, Cc: []string{address}, Text: "Hi"}), address)
	}
	require.NoError(t, post.Send(t.Context(), mail.Message{To: []string{"a@tea.example"},
		Subject: "Order\r\nBcc: eve@evil.example\r\n\r\nBuy", Text: "\r\n.\r\nRCPT TO:<eve@evil.example>\r\n"}))
	got := box.Next(t)
	require.Equal(t, []string{"a@tea.example"}, got.All)
	require.Empty(t, got.Header.Get("Bcc"))
	require.Equal(t, "Order  Bcc: eve@evil.example    Buy", got.Subject)
	require.Empty(t, box.Mails)
}

// TestFailures tells a refusal, a server that is away and a server that broke off after it had all of the
// mail apart.
func TestFailures(t *testing.T) {
	t.Parallel()
	post, box := sender(t)
	var results []mail.Result
	tell := func(result mail.Result) { results = append(results, result) }
	post.Observe(tell)
	send := func(post *mail.Sender) *mail.SendError {
		var failure *mail.SendError
		err := post.Send(t.Context(), mail.Message{To: []string{"a@tea.example"}, Subject: "Hi", Text: "Hi"})
		require.True(t, errors.As(err, &failure), "%v", err)
		return failure
	}
	box.Refuse(func(string) bool { return true })
	refused := send(post)
	require.False(t, refused.Perhaps)
	require.False(t, refused.Temporary)
	require.Equal(t, "550 5.1.1 <a@tea.example> is not known here", refused.Reply)

	box.Refuse(func(string) bool { return false })
	box.Mute(true)
	require.True(t, send(post).Perhaps)
	require.NotEmpty(t, box.Next(t).Text, "the server has it")

	away, err := mail.New("smtp://127.0.0.1:1?from=quayside@example.com&tls=none")
	require.NoError(t, err)
	away.Observe(tell)
	unreached := send(away)
	require.True(t, unreached.Temporary)
	require.False(t, unreached.Perhaps)
	require.Empty(t, unreached.Reply)

	box.Mute(false)
	require.NoError(t, post.Send(t.Context(), mail.Message{To: []string{"a@tea.example"}, Subject: "Hi", Text: "Hi"}))
	require.Equal(t, []mail.Result{mail.Refused, mail.Failed, mail.Failed, mail.Accepted}, results)
}
