// Package katana speaks to Katana, or to whatever follows its documented protocol.
//
// A call is a few HTTP requests and no more: nothing is retried and nothing waits. The token is sent in
// one header and appears in no error. Answers are bounded in size and may have unknown fields; what is
// sent has only documented ones, since Katana refuses others.
package katana

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/outbound"
)

// Name is what lines store as external_system.
const Name = "katana"

const (
	answerLimit = 16 << 20 // a page of orders with many rows
	pageSize    = 100
	mostPages   = 1000
	defaultWait = time.Minute // the documented window of the rate limit
	longestWait = time.Hour
)

// Doer sends a request. It must not follow redirects, which would carry the token to another server.
type Doer interface {
	Do(request *http.Request) (*http.Response, error)
}

// Client is one account of Katana.
type Client struct {
	base  string
	token string
	http  Doer
	now   func() time.Time

	mu    sync.Mutex
	until time.Time // no requests before: the last answer said that none is left
}

var _ inventory.System = (*Client)(nil)

// New returns a client. The base address ends in the version, such as https://api.katanamrp.com/v1.
func New(base, token string, client Doer) *Client {
	return &Client{base: strings.TrimRight(base, "/"), token: token, http: client, now: time.Now}
}

// Name implements inventory.System.
func (c *Client) Name() string { return Name }

// call sends one request and decodes the answer into result, unless result is nil.
func (c *Client) call(ctx context.Context, method, path string, body, result any) (http.Header, error) {
	if wait := c.exhausted(); wait > 0 {
		return nil, inventory.Limited(wait)
	}
	// A read changes nothing, so its outcome is never uncertain.
	lost := inventory.Uncertain
	if method == http.MethodGet {
		lost = inventory.Unreachable
	}
	request, sent, err := c.request(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	response, err := c.http.Do(request)
	var refused *fault.Error
	switch {
	case errors.As(err, &refused) && refused.Kind == fault.RateLimited && outbound.Unsent(err): // our own budget
		return nil, inventory.Limited(refused.Wait)
	case err != nil && (!sent.Load() || neverDialled(err) || outbound.Unsent(err)):
		return nil, inventory.Unreachable(withoutURL(err))
	case err != nil:
		return nil, lost(withoutURL(err))
	}
	defer func() { _ = response.Body.Close() }()
	c.spend(response.Header)
	text, err := io.ReadAll(io.LimitReader(response.Body, answerLimit+1))
	switch {
	case response.StatusCode >= 300:
		return nil, c.explain(response, text, path, lost)
	case err != nil:
		return nil, lost(err)
	case len(text) > answerLimit:
		return nil, lost(inventory.BadAnswer("more than %d bytes", answerLimit))
	case result == nil:
		return response.Header, nil
	}
	if err := json.Unmarshal(text, result); err != nil {
		if method != http.MethodGet {
			return nil, lost(err)
		}
		return nil, inventory.BadAnswer("%s", fault.Shorten(err.Error()))
	}
	return response.Header, nil
}

// request builds a request. sent tells afterwards whether anything may have left this machine. It is true
// unless the transport reports that it looked for a connection and got none.
func (c *Client) request(ctx context.Context, method, path string, body any) (*http.Request, *atomic.Bool, error) {
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, nil, err
		}
		reader = bytes.NewReader(text)
	}
	sent := &atomic.Bool{}
	sent.Store(true)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { sent.Store(false) },
		GotConn: func(httptrace.GotConnInfo) { sent.Store(true) },
	})
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, reader)
	if err != nil {
		return nil, nil, fault.New(fault.BadRequest, "inventory_address", "the inventory system's address is not valid")
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "quayside")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return request, sent, nil
}

// neverDialled reports whether an error says that there was no connection.
func neverDialled(err error) bool {
	var dns *net.DNSError
	var op *net.OpError
	return errors.As(err, &dns) || errors.As(err, &op) && op.Op == "dial"
}

// withoutURL removes method and address from an error.
func withoutURL(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// explain turns an answer that is no success into an error.
func (c *Client) explain(response *http.Response, text []byte, path string, lost func(error) *fault.Error) error {
	var told failure
	_ = json.Unmarshal(text, &told) // a proxy's answer is not JSON; then only the status counts
	switch status := response.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return inventory.TokenRefused()
	case status == http.StatusNotFound:
		return inventory.NotFound("%s does not exist in the inventory system", path)
	case status == http.StatusTooManyRequests:
		wait := retryAfter(response.Header, c.now())
		c.pause(wait)
		return inventory.Limited(wait)
	case status == http.StatusBadRequest, status == http.StatusConflict, status == http.StatusUnprocessableEntity:
		return inventory.Refused(fault.Shorten(told.Message), told.fields())
	case status >= 500, status == http.StatusRequestTimeout:
		return lost(errors.New(response.Status))
	default:
		return inventory.BadAnswer("%s", response.Status)
	}
}

// retryAfter reads how long to wait: seconds or a moment.
func retryAfter(header http.Header, now time.Time) time.Duration {
	wait, text := defaultWait, header.Get("Retry-After")
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, time.Second), longestWait)
}

// spend notes when an answer says that no request is left. The reset is a moment of the other clock, so
// it is compared with the other side's date.
func (c *Client) spend(header http.Header) {
	if header.Get("X-Ratelimit-Remaining") != "0" {
		return
	}
	reset, err := strconv.ParseInt(header.Get("X-Ratelimit-Reset"), 10, 64)
	if err != nil {
		return
	}
	there, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		there = c.now()
	}
	c.pause(min(time.UnixMilli(reset).Sub(there), defaultWait))
}

func (c *Client) pause(wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if until := c.now().Add(wait); until.After(c.until) {
		c.until = until
	}
}

// exhausted returns how long there are no requests left.
func (c *Client) exhausted() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.until.Sub(c.now())
}

// list reads all pages of a list that is known to be short, or one page of it.
func list[T any](ctx context.Context, c *Client, path string, query url.Values, page int) (items []T, last bool, err error) {
	query.Set("limit", strconv.Itoa(pageSize))
	query.Set("page", strconv.Itoa(page))
	var answer struct {
		Data []T `json:"data"`
	}
	header, err := c.call(ctx, http.MethodGet, path+"?"+query.Encode(), nil, &answer)
	if err != nil {
		return nil, false, err
	}
	var pages struct {
		Last flag `json:"last_page"`
	}
	if json.Unmarshal([]byte(header.Get("X-Pagination")), &pages) != nil {
		return nil, false, inventory.BadAnswer("a list without X-Pagination")
	}
	return answer.Data, bool(pages.Last) || len(answer.Data) == 0, nil
}

// flag is a boolean that is sent as one or as a text.
type flag bool

func (f *flag) UnmarshalJSON(text []byte) error {
	*f = strings.Trim(string(text), `"`) == "true"
	return nil
}

func all[T any](ctx context.Context, c *Client, path string, query url.Values) (items []T, err error) {
	for page := 1; page <= mostPages; page++ {
		some, last, err := list[T](ctx, c, path, query, page)
		if err != nil {
			return nil, err
		}
		items = append(items, some...)
		if last {
			return items, nil
		}
	}
	return nil, inventory.BadAnswer("a list of more than %d pages", mostPages)
}
