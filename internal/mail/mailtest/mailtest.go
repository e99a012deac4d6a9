// Package mailtest is an SMTP server for tests, which delivers the mails that it receives
// to a channel.
package mailtest

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
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
	All               []string // every receiver; To is the last of them
	Header            mail.Header
	Attached          map[string]string // the content of files, by their names
}

// Postbox is the server.
type Postbox struct {
	URL   string      // a value for QUAYSIDE_SMTP_URL
	Mails <-chan Mail // in the order in which they came

	got    chan Mail
	refuse atomic.Pointer[func(to string) bool]
	mute   atomic.Bool
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

// Mute makes the server keep mails and break the connection without a word, as if it died after it
// accepted them.
func (p *Postbox) Mute(on bool) { p.mute.Store(on) }

func (p *Postbox) talk(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	say := func(line string) { _, _ = conn.Write([]byte(line + "\r\n")) }
	say("220 postbox")
	var (
		data    strings.Builder
		to      []string
		reading bool
	)
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		line := lines.Text()
		switch {
		case reading && line == ".":
			reading = false
			p.got <- parse(to, data.String())
			if p.mute.Load() {
				return
			}
			say("250 kept")
		case reading:
			data.WriteString(line + "\r\n")
		case strings.HasPrefix(line, "RCPT TO:"):
			one := strings.Trim(strings.TrimPrefix(line, "RCPT TO:"), "<>")
			if (*p.refuse.Load())(one) {
				say("550 5.1.1 <" + one + "> is not known here")
				continue
			}
			to = append(to, one)
			say("250 ok")
		case strings.HasPrefix(line, "MAIL FROM:"):
			to = nil
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
func parse(to []string, raw string) Mail {
	got := Mail{To: to[len(to)-1], All: to, Text: raw, Attached: map[string]string{}}
	read, err := mail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		return got
	}
	got.Header = read.Header
	words := mime.WordDecoder{}
	if got.Subject, err = words.DecodeHeader(read.Header.Get("Subject")); err != nil {
		return got
	}
	kind, params, _ := mime.ParseMediaType(read.Header.Get("Content-Type"))
	if !strings.HasPrefix(kind, "multipart/") {
		if text, err := io.ReadAll(quotedprintable.NewReader(read.Body)); err == nil {
			got.Text = strings.ReplaceAll(string(text), "\r\n", "\n")
		}
		return got
	}
	parts := multipart.NewReader(read.Body, params["boundary"])
	for part, err := parts.NextPart(); err == nil; part, err = parts.NextPart() {
		content, _ := io.ReadAll(part) // NextPart decodes quoted-printable
		if name := part.FileName(); name != "" {
			file, _ := io.ReadAll(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(content)))
			got.Attached[name] = string(file)
			continue
		}
		got.Text = strings.ReplaceAll(string(content), "\r\n", "\n")
	}
	return got
}
