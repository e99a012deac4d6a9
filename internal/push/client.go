package push

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/internal/fault"
)

const (
	requestTimeout = 60 * time.Second // the service gives a body 30 s, and answers sooner
	answerLimit    = 256 << 10        // enough for the description of a wide table; other answers are small
	firstTries     = 3                // if nothing answers at all, the address is probably wrong
)

// Client sends records to one table's endpoint.
type Client struct {
	endpoint string
	key      string
	http     *http.Client
}

// NewClient returns a client that opens at most this many connections.
func NewClient(base, key, slug string, connections int) (*Client, error) {
	address, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return nil, fault.New(fault.BadRequest, Misused,
			"%q is not an address; QUAYSIDE_URL is one such as https://quayside.example", base)
	}
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	return &Client{
		endpoint: address.String() + "/api/ingest/" + url.PathEscape(slug), key: key,
		http: &http.Client{
			Timeout: requestTimeout,
			Transport: &http.Transport{
				Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
				MaxConnsPerHost: connections, MaxIdleConnsPerHost: connections, IdleConnTimeout: 90 * time.Second,
				TLSHandshakeTimeout: 10 * time.Second,
			},
			// Following a redirect could send the key to another server.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// exposed reports whether the key would cross a network unencrypted.
func (c *Client) exposed() bool {
	address, err := url.Parse(c.endpoint)
	if err != nil || address.Scheme != "http" {
		return false
	}
	ip := net.ParseIP(address.Hostname())
	return address.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())
}

// answer is the outcome of one request.
type answer struct {
	status     int // 0: no answer
	body       []byte
	message    string   // from the service, or from the system if there was no answer
	result     string   // created, updated, unchanged or stale
	warned     []string // codes of warnings, each once
	requestID  string
	retryAfter time.Duration
	location   string
}

// verdict is what an answer means for the record.
type verdict int

const (
	accepted  verdict = iota
	refused           // the record must be corrected
	retryable         // the same request may succeed later
	fatal             // no record can succeed
)

func (a answer) verdict() verdict {
	switch a.status {
	case http.StatusOK:
		return accepted
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return refused
	case 0, http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return retryable
	}
	return fatal
}

// congested reports whether the answer asks for fewer requests: too many, unavailable, or no
// answer at all.
func (a answer) congested() bool {
	return a.verdict() == retryable && a.status != http.StatusInternalServerError
}

// words describes the answer in one line.
func (a answer) words() string {
	if a.status == 0 {
		return a.message
	}
	return strconv.Itoa(a.status) + " " + a.message
}

// Send sends one record, with its sequence if it has one. A dry run stores nothing.
func (c *Client) Send(ctx context.Context, body []byte, sequence string, dryRun bool) answer {
	endpoint := c.endpoint
	if dryRun {
		endpoint += "?dry_run=true"
	}
	return c.call(ctx, http.MethodPost, endpoint, body, sequence)
}

func (c *Client) call(ctx context.Context, method, endpoint string, body []byte, sequence string) answer {
	request, err := http.NewRequestWithContext(ctx, method, endpoint, bytes.NewReader(body))
	if err != nil {
		return answer{message: err.Error()}
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "quayside-push")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if sequence != "" {
		request.Header.Set("Ingest-Sequence", sequence)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return answer{message: withoutURL(err)}
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, answerLimit))
	if err != nil {
		return answer{message: withoutURL(err)}
	}
	got := answer{
		status: response.StatusCode, body: text, result: response.Header.Get("Ingest-Result"),
		warned: warnedOf(response.Header.Get("Ingest-Warning")), requestID: response.Header.Get("X-Request-Id"),
		location: response.Header.Get("Location"),
	}
	got.message = message(text, response.StatusCode)
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		got.retryAfter = time.Duration(seconds) * time.Second
	}
	return got
}

// warnedOf returns the codes of a header Ingest-Warning, which is a list of "code" and "code;field".
func warnedOf(header string) (codes []string) {
	for warning := range strings.SplitSeq(header, ",") {
		code, _, _ := strings.Cut(strings.TrimSpace(warning), ";")
		if code != "" && !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	return codes
}

// withoutURL removes method and address from an error, since the caller knows them.
func withoutURL(err error) string {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		if wrapped.Timeout() {
			return "no answer in time"
		}
		err = wrapped.Err
	}
	return err.Error()
}

// message returns the error in an answer's body or, if a proxy answered instead, the status
// text.
func message(body []byte, status int) string {
	var told struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(body, &told) == nil && told.Error != "" {
		return told.Error
	}
	return http.StatusText(status)
}

// Discover asks for the table's description. It waits up to patience for a service that is
// busy, but gives up early if nothing answers at the address.
func (c *Client) Discover(ctx context.Context, patience time.Duration, say func(string)) (*Table, error) {
	started := time.Now()
	for attempt := 1; ; attempt++ {
		got := c.call(ctx, http.MethodGet, c.endpoint, nil, "")
		switch {
		case ctx.Err() != nil:
			return nil, ErrInterrupted
		case got.verdict() == accepted:
			return readTable(c.endpoint, got)
		case got.verdict() != retryable:
			return nil, c.explain(got)
		case got.status == 0 && attempt >= firstTries, time.Since(started) > patience:
			return nil, fault.New(fault.Unavailable, "unreachable",
				"%s does not answer: %s. Check QUAYSIDE_URL, and that the service runs", c.endpoint, got.words())
		}
		wait := max(backoff(attempt), got.retryAfter)
		if got.status != 0 {
			say(fmt.Sprintf("the service answers %s; asking again in %s", got.words(), wait.Round(time.Second/10)))
		}
		if pause(ctx, wait) != nil {
			return nil, ErrInterrupted
		}
	}
}

func readTable(endpoint string, got answer) (*Table, error) {
	var table Table
	if err := json.Unmarshal(got.body, &table); err != nil || len(table.Columns) == 0 {
		return nil, fault.New(fault.BadRequest, "address", "what answers at %s is not Quayside. Check QUAYSIDE_URL", endpoint)
	}
	return &table, nil
}

// explain says why a push cannot go on, and what to do.
func (c *Client) explain(got answer) error {
	id := ""
	if got.requestID != "" {
		id = " (request " + got.requestID + ")"
	}
	switch got.status {
	case http.StatusUnauthorized:
		return fault.New(fault.Unauthenticated, "key",
			"the key is refused: %s%s. Check QUAYSIDE_KEY or the key file; "+
				"keys are made under Data Sources, or with 'quayside key create'", got.message, id)
	case http.StatusForbidden:
		return fault.New(fault.Forbidden, "scope",
			"the key may not write this table: %s%s. Use a key whose scope is the table, or a Master Import Key", got.message,
			id)
	case http.StatusNotFound:
		return fault.New(fault.NotFound, "table", "%s%s. Check --table, and that QUAYSIDE_URL is the service's address",
			got.message, id)
	}
	if got.location != "" {
		return fault.New(fault.BadRequest, "address", "the service redirects to %s. Set QUAYSIDE_URL to where it is",
			got.location)
	}
	return fault.New(fault.Internal, "answer", "the service answered %s%s, which push does not understand", got.words(),
		id)
}
