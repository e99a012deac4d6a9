// Package mail sends mail to people: invitations, links to choose a new password, alerts, and
// what is new in their inbox. Without a configured server it sends nothing, and callers hand links over in
// another way.
package mail

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"

	"github.com/quayside/quayside/internal/fault"
)

const sendTimeout = 10 * time.Second

// addressForm matches an address alone. Names, comments, quotes and line ends are not allowed, so an
// address can never become a header or a second receiver.
var addressForm = regexp.MustCompile(`^[A-Za-z0-9.!#$%&'*+/=?^_{|}~-]{1,64}@([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)*[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$`)

// IsAddress reports whether a text is one plain mail address, such as orders@example.com.
func IsAddress(text string) bool { return len(text) <= 254 && addressForm.MatchString(text) }

// Sender sends mails through one SMTP server.
type Sender struct {
	from    string
	host    string
	options []gomail.Option
}

// Message is one mail in plain text.
type Message struct {
	To, Subject, Text string
}

// New parses the server's address: smtp://user:password@host:587?from=quayside@example.com
// requires STARTTLS, smtps:// uses TLS from the start, and ?tls=none disables TLS, for a
// relay on the same machine. With an empty address no mail is sent.
func New(address string) (*Sender, error) {
	if address == "" {
		return &Sender{}, nil
	}
	wrong := fault.New(fault.BadRequest, "smtp_url", "QUAYSIDE_SMTP_URL cannot be parsed; "+
		"an example is smtp://user:password@mail.example.com:587?from=quayside@example.com")
	parsed, err := url.Parse(address)
	if err != nil || parsed.Hostname() == "" || parsed.Query().Get("from") == "" {
		return nil, wrong // without the cause, which would quote the password
	}
	s := &Sender{from: parsed.Query().Get("from"), host: parsed.Hostname(),
		options: []gomail.Option{gomail.WithTimeout(sendTimeout)}}
	switch {
	case parsed.Scheme == "smtps":
		s.options = append(s.options, gomail.WithSSLPort(false))
	case parsed.Scheme == "smtp" && parsed.Query().Get("tls") == "none":
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.NoTLS))
	case parsed.Scheme == "smtp":
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	default:
		return nil, wrong
	}
	if parsed.Port() != "" {
		port, err := strconv.Atoi(parsed.Port())
		if err != nil {
			return nil, wrong
		}
		s.options = append(s.options, gomail.WithPort(port))
	}
	if password, ok := parsed.User.Password(); ok {
		s.options = append(s.options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover),
			gomail.WithUsername(parsed.User.Username()), gomail.WithPassword(password))
	}
	if _, err := gomail.NewClient(s.host, s.options...); err != nil {
		return nil, wrong
	}
	return s, nil
}

// addresses matches mail addresses.
var addresses = regexp.MustCompile(`[^\s<>"':]+@[^\s<>"':]+`)

// WithoutAddresses returns an error's text for a log. Servers repeat addresses in errors, and logs must
// not hold them.
func WithoutAddresses(err error) string { return addresses.ReplaceAllString(err.Error(), "…") }

// Configured reports whether there is a server to send mail.
func (s *Sender) Configured() bool { return s.host != "" }

// Send hands a mail to the server. The server has accepted the mail when Send returns nil.
func (s *Sender) Send(ctx context.Context, message Message) error {
	mail := gomail.NewMsg()
	if err := mail.From(s.from); err != nil {
		return fmt.Errorf("mail from: %w", err)
	}
	if err := mail.To(message.To); err != nil {
		return fmt.Errorf("mail to: %w", err)
	}
	mail.Subject(message.Subject)
	mail.SetBodyString(gomail.TypeTextPlain, message.Text)
	client, err := gomail.NewClient(s.host, s.options...)
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	if err := client.DialWithContext(ctx); err != nil {
		return fmt.Errorf("reach the mail server: %w", err)
	}
	defer func() { _ = client.Close() }() // the server has accepted the mail even if QUIT fails
	if err := client.Send(mail); err != nil {
		return fmt.Errorf("send mail: %w", err)
	}
	return nil
}
