// Package mailtest is an SMTP server for tests, which delivers the mails that it receives
// to a channel.
package mailtest

import (
	"bufio"
	"io"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const waitForMail = 2 * time.Minute

// Mail is a mail that the server received.
type Mail struct {
	To, Subject, Text string
}

// Postbox is the server.
type Postbox struct {
	URL   string      // a value for QUAYSIDE_SMTP_URL
	Mails <-chan Mail // in the order in which they came

	got    chan Mail
	refuse atomic.Pointer[func(to string) bool]
}

// New starts a server that accepts every mail, and stops it when the test ends.
func New(t testing.TB) *Postbox {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	got := make(chan Mail, 100)
	box := &Postbox{URL: "smtp://" + listener.Addr().String() + "?from=quayside@example.com&tls=none", Mails: got,
		got: got}
	box.Refuse(func(string) bool { return false })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go box.talk(conn)
		}
	}()
	return box
}

// Next waits for the next mail.
func (p *Postbox) Next(t testing.TB) Mail {
	t.Helper()
	select {
	case got := <-p.Mails:
		return got
	case <-time.After(waitForMail):
		require.FailNow(t, "no mail came")
		return Mail{}
	}
}

// Refuse makes the server refuse the receivers for which refused returns true.
func (p *Postbox) Refuse(refused func(to string) bool) { p.refuse.Store(&refused) }

func (p *Postbox) talk(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	say := func(line string) { _, _ = conn.Write([]byte(line + "\r\n")) }
	say("220 postbox")
	var (
		data    strings.Builder
		to      string
		reading bool
	)
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		line := lines.Text()
		switch {
		case reading && line == ".":
			reading = false
			p.got <- parse(to, data.String())
			say("250 kept")
		case reading:
			data.WriteString(line + "\r\n")
		case strings.HasPrefix(line, "RCPT TO:"):
			to = strings.Trim(strings.TrimPrefix(line, "RCPT TO:"), "<>")
			if (*p.refuse.Load())(to) {
				say("550 5.1.1 <" + to + "> is not known here")
				continue
			}
			say("250 ok")
		case line == "DATA":
			reading = true
			data.Reset()
			say("354 go on")
		case line == "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

// parse decodes a mail. If that fails, Text holds the raw mail.
func parse(to, raw string) Mail {
	read, err := mail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		return Mail{To: to, Text: raw}
	}
	text, err := io.ReadAll(quotedprintable.NewReader(read.Body))
	if err != nil {
		return Mail{To: to, Text: raw}
	}
	return Mail{To: to, Subject: read.Header.Get("Subject"), Text: strings.ReplaceAll(string(text), "\r\n", "\n")}
}
