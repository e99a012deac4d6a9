// Package mail sends mail: to people invitations, links to choose a new password, alerts and what is new
// in their inbox, and to suppliers orders. Without a configured server it sends nothing, and callers
// hand links and orders over in another way.
package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"

	"github.com/quayside/quayside/internal/fault"
)

const (
	sendTimeout     = 10 * time.Second
	sendFileTimeout = 30 * time.Second // with an attachment
)

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
	tell    func(Result)
}

// Result is what became of a mail.
type Result string

// The results.
const (
	Accepted Result = "sent"
	Refused  Result = "refused" // for good, such as an unknown receiver: the server works
	Failed   Result = "failed"  // the server cannot be reached, or does not take mails now
)

// Message is one mail in plain text. It goes to all receivers or to none.
type Message struct {
	To, Cc        []string // plain addresses, as IsAddress knows them
	ReplyTo       string   // empty: the sender
	Subject, Text string
	Attached      *Attachment
}

// Attachment is a file that comes with a mail.
type Attachment struct {
	Name, Type string
	Content    []byte
}

// SendError says why a server did not accept a mail, or that nobody knows whether it did.
type SendError struct {
	Perhaps   bool   // the server had all of the mail, and did not say whether it accepts it
	Temporary bool   // a later try may succeed
	Reply     string // the server's own words; empty if it said nothing
	cause     error
}

// ErrNoServer is returned if no server is configured.
var ErrNoServer = errors.New("no mail server is configured")

// addresses matches mail addresses.
var addresses = regexp.MustCompile(`[^\s<>"':]+@[^\s<>"':]+`)

// Error gives the cause without mail addresses: servers repeat them, and logs must not hold them.
func (f *SendError) Error() string { return addresses.ReplaceAllString(f.cause.Error(), "…") }

// Unwrap returns the cause.
func (f *SendError) Unwrap() error { return f.cause }

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

// Configured reports whether there is a server to send mail.
func (s *Sender) Configured() bool { return s.host != "" }

// Observe lets tell know what becomes of each mail. It must be called before the first mail.
func (s *Sender) Observe(tell func(Result)) { s.tell = tell }

// Send hands a mail to the server. The server has accepted the mail when Send returns nil. What a
// server answers is a *SendError.
func (s *Sender) Send(ctx context.Context, message Message) error {
	if !s.Configured() {
		return ErrNoServer
	}
	mail, err := s.compose(message)
	if err != nil {
		return err
	}
	err = s.transfer(ctx, message, mail)
	if s.tell != nil {
		s.tell(resultOf(err))
	}
	return err
}

func resultOf(err error) Result {
	var failed *SendError
	switch {
	case err == nil:
		return Accepted
	case errors.As(err, &failed) && !failed.Temporary && !failed.Perhaps:
		return Refused
	}
	return Failed
}

// transfer hands a composed mail to the server.
func (s *Sender) transfer(ctx context.Context, message Message, mail *gomail.Msg) error {
	timeout := sendTimeout
	if message.Attached != nil {
		timeout = sendFileTimeout
	}
	client, err := gomail.NewClient(s.host, append(slices.Clone(s.options), gomail.WithTimeout(timeout))...)
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := client.DialWithContext(ctx); err != nil {
		return &SendError{Temporary: true, Reply: reply(err), cause: fmt.Errorf("reach the mail server: %w", err)}
	}
	defer func() { _ = client.Close() }() // the server has accepted the mail even if QUIT fails
	if err := client.Send(mail); err != nil && !mail.IsDelivered() {
		return failure(err)
	}
	return nil
}

// compose refuses what could become another header or another receiver.
func (s *Sender) compose(message Message) (*gomail.Msg, error) {
	mail := gomail.NewMsg()
	if err := mail.From(s.from); err != nil {
		return nil, fmt.Errorf("mail from: %w", err)
	}
	answers := []string{}
	if message.ReplyTo != "" {
		answers = append(answers, message.ReplyTo)
	}
	for _, address := range slices.Concat(message.To, message.Cc, answers) {
		if !IsAddress(address) {
			return nil, errors.New("mail: a receiver is not a plain address")
		}
	}
	if err := mail.To(message.To...); err != nil {
		return nil, fmt.Errorf("mail to: %w", err)
	}
	if len(message.Cc) > 0 {
		if err := mail.Cc(message.Cc...); err != nil {
			return nil, fmt.Errorf("mail cc: %w", err)
		}
	}
	if message.ReplyTo != "" {
		if err := mail.ReplyTo(message.ReplyTo); err != nil {
			return nil, fmt.Errorf("mail reply to: %w", err)
		}
	}
	mail.Subject(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, message.Subject))
	mail.SetBodyString(gomail.TypeTextPlain, message.Text)
	if file := message.Attached; file != nil {
		mail.AttachReadSeeker(file.Name, bytes.NewReader(file.Content),
			gomail.WithFileContentType(gomail.ContentType(file.Type)))
	}
	return mail, nil
}

// failure says what an error of a transfer means. Before the end of its content, a server cannot have
// accepted a mail.
func failure(err error) *SendError {
	failed := &SendError{Temporary: true, Reply: reply(err), cause: fmt.Errorf("send mail: %w", err)}
	var sent *gomail.SendError
	if !errors.As(err, &sent) {
		return failed
	}
	if sent.ErrorCode() != 0 {
		failed.Temporary = sent.IsTemp()
	} else {
		failed.Perhaps = sent.Reason == gomail.ErrSMTPDataClose
	}
	return failed
}

const longestReply = 300

// replyForm matches a server's refusal in the text of an error.
var replyForm = regexp.MustCompile(`\b[45][0-9]{2} [^\n]*`)

// reply returns what the server said.
func reply(err error) string {
	said, _, _ := strings.Cut(replyForm.FindString(err.Error()), ", affected ") // what follows is go-mail's, as are the quotes
	words := []rune(strings.ToValidUTF8(strings.ReplaceAll(said, `"`, ""), ""))
	return string(words[:min(len(words), longestReply)])
}
