// Package inventory is a stand-in for the inventory system Katana: an HTTP server that keeps orders in
// memory, follows the documented protocol, and has the traps of the real one.
//
// Tests drive the client against it, and 'quayside dev inventory' runs it for people. It knows nothing of
// Quayside: it is written from the protocol alone, so that a mistake of the client is not repeated here.
package inventory

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options configure a Server.
type Options struct {
	Token       string
	Limit       int           // requests in each period; 0: no limit
	Per         time.Duration // the period
	RefuseDraft bool          // as an older deployment does
	Faults      Plan
	Webhooks    Webhooks
	Now         func() time.Time // time.Now
}

// Server is the stand-in. Its methods may be called at any time.
type Server struct {
	options Options
	routes  *http.ServeMux
	chance  *chance

	mu        sync.Mutex
	orders    []*Order
	suppliers []Supplier
	variants  []Variant
	locations []Location
	nextID    int64
	clock     time.Time // of the latest change
	faults    []planned // for the next requests
	queue     []event   // webhooks that are not delivered
	window    time.Time
	used      int
	taken     int // writes that were carried out
	wake      chan struct{}
}

// New returns a server with the given articles.
func New(options Options, stock Stock) *Server {
	if options.Now == nil {
		options.Now = time.Now
	}
	s := &Server{options: options, chance: newChance(options.Faults.Seed), nextID: 1, wake: make(chan struct{}, 1)}
	s.fill(stock)
	s.routes = http.NewServeMux()
	for pattern, handle := range map[string]handler{
		"GET /v1/purchase_orders":             s.listOrders,
		"POST /v1/purchase_orders":            s.createOrder,
		"GET /v1/purchase_orders/{id}":        s.getOrder,
		"PATCH /v1/purchase_orders/{id}":      s.changeOrder,
		"DELETE /v1/purchase_orders/{id}":     s.deleteOrder,
		"GET /v1/purchase_order_rows":         s.listRows,
		"POST /v1/purchase_order_rows":        s.createRow,
		"GET /v1/purchase_order_rows/{id}":    s.getRow,
		"PATCH /v1/purchase_order_rows/{id}":  s.changeRow,
		"DELETE /v1/purchase_order_rows/{id}": s.deleteRow,
		"POST /v1/purchase_order_receive":     s.receive,
		"GET /v1/suppliers":                   s.listSuppliers,
		"GET /v1/variants":                    s.listVariants,
		"GET /v1/variants/{id}":               s.getVariant,
		"GET /v1/locations":                   s.listLocations,
	} {
		s.routes.HandleFunc(pattern, s.answer(handle))
	}
	s.control()
	return s
}

// ServeHTTP implements http.Handler: the token, the rate limit and the faults come before the route.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+s.options.Token {
		fail(w, &refusal{http.StatusUnauthorized, "UnauthorizedError", "Unauthorized", nil})
		return
	}
	if strings.HasPrefix(r.URL.Path, "/control/") {
		s.routes.ServeHTTP(w, r)
		return
	}
	if !s.admit(w) {
		return
	}
	switch fault := s.trouble(r); fault {
	case CutBefore:
		panic(http.ErrAbortHandler) // closes the connection
	case CutAfter:
		s.routes.ServeHTTP(unheard{}, r)
		panic(http.ErrAbortHandler)
	case Broken:
		fail(w, &refusal{http.StatusInternalServerError, "InternalServerError", "Internal Server Error", nil})
	case BrokenAfter:
		s.routes.ServeHTTP(unheard{}, r)
		fail(w, &refusal{http.StatusInternalServerError, "InternalServerError", "Internal Server Error", nil})
	case Limited:
		w.Header().Set("Retry-After", "120")
		fail(w, &refusal{http.StatusTooManyRequests, "TooManyRequests", "Too Many Requests", nil})
	case Slow: // carried out, but the answer comes too late
		s.routes.ServeHTTP(unheard{}, r)
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	case None:
		s.routes.ServeHTTP(w, r)
	}
}

// unheard takes an answer that nobody gets.
type unheard struct{}

func (unheard) Header() http.Header            { return http.Header{} }
func (unheard) Write(text []byte) (int, error) { return len(text), nil }
func (unheard) WriteHeader(int)                {}

// admit counts a request against the rate limit, and answers 429 if there are too many.
func (s *Server) admit(w http.ResponseWriter) bool {
	if s.options.Limit == 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.options.Now()
	if now.Sub(s.window) >= s.options.Per {
		s.window, s.used = now, 0
	}
	reset := s.window.Add(s.options.Per)
	w.Header().Set("X-Ratelimit-Limit", strconv.Itoa(s.options.Limit))
	w.Header().Set("X-Ratelimit-Remaining", strconv.Itoa(max(s.options.Limit-s.used-1, 0)))
	w.Header().Set("X-Ratelimit-Reset", strconv.FormatInt(reset.UnixMilli(), 10))
	if s.used++; s.used <= s.options.Limit {
		return true
	}
	wait := (reset.Sub(now) + time.Second - 1) / time.Second
	w.Header().Set("Retry-After", strconv.Itoa(int(wait)))
	fail(w, &refusal{http.StatusTooManyRequests, "TooManyRequests", "Too Many Requests", nil})
	return false
}

// handler answers a request under the lock. A nil answer is 204.
type handler func(r *http.Request, header http.Header) (answer any, err error)

func (s *Server) answer(handle handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		answer, err := handle(r, w.Header())
		s.mu.Unlock()
		var refused *refusal
		switch {
		case errors.As(err, &refused):
			fail(w, refused)
			return
		case err != nil:
			fail(w, &refusal{http.StatusInternalServerError, "InternalServerError", err.Error(), nil})
			return
		}
		if r.Method != http.MethodGet {
			s.note()
		}
		if answer == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}
}

// note counts a write that was carried out, and wakes the delivery of webhooks.
func (s *Server) note() {
	s.mu.Lock()
	s.taken++
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// refusal is an error as it is answered.
type refusal struct {
	Status  int      `json:"statusCode"`
	Name    string   `json:"name"`
	Message string   `json:"message"`
	Details []detail `json:"details,omitempty"`
}

type detail struct {
	Path    string `json:"path"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (r *refusal) Error() string { return r.Message }

func fail(w http.ResponseWriter, r *refusal) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(r.Status)
	_ = json.NewEncoder(w).Encode(r)
}

func notFound() error { return &refusal{http.StatusNotFound, "NotFoundError", "Not found", nil} }

// invalid refuses one field.
func invalid(path, code, message string) error {
	return &refusal{http.StatusUnprocessableEntity, "UnprocessableEntityError",
		"The request body is invalid. See error object `details` property for more info.",
		[]detail{{path, code, message}}}
}

const bodyLimit = 1 << 20

// read decodes a body strictly: unknown properties are refused.
func read(r *http.Request, body any) error {
	text, err := io.ReadAll(io.LimitReader(r.Body, bodyLimit))
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(body)
	if err == nil {
		return nil
	}
	if field, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		return invalid("."+strings.Trim(field, `"`), "additionalProperties", "should NOT have additional properties")
	}
	return invalid("", "type", err.Error())
}

// page cuts one page out of a list, and describes it in X-Pagination. Its values are texts, as Katana's.
func page[T any](r *http.Request, header http.Header, items []T) any {
	limit := positive(r.URL.Query().Get("limit"), 50)
	limit = min(limit, 250)
	number := positive(r.URL.Query().Get("page"), 1)
	pages := max((len(items)+limit-1)/limit, 1)
	from := min((number-1)*limit, len(items))
	to := min(from+limit, len(items))
	described, _ := json.Marshal(map[string]string{
		"total_records": strconv.Itoa(len(items)), "total_pages": strconv.Itoa(pages), "offset": strconv.Itoa(from),
		"page": strconv.Itoa(number), "first_page": strconv.FormatBool(number == 1),
		"last_page": strconv.FormatBool(number >= pages),
	})
	header.Set("X-Pagination", string(described))
	return map[string][]T{"data": append([]T{}, items[from:to]...)}
}

func positive(text string, otherwise int) int {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return n
	}
	return otherwise
}
