package inventory

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Fault is something that goes wrong with a request.
type Fault string

// The faults.
const (
	None        Fault = ""
	CutBefore   Fault = "cut_before"   // the connection is closed, and the request was not carried out
	CutAfter    Fault = "cut_after"    // the request was carried out, and the connection is closed without an answer
	Broken      Fault = "broken"       // 500, and the request was not carried out
	BrokenAfter Fault = "broken_after" // 500, although the request was carried out
	Limited     Fault = "limited"      // 429 with a Retry-After of two minutes, and the request was not carried out
	Slow        Fault = "slow"         // carried out; the answer never comes
)

// Plan makes requests fail at random. Each number is a probability; the same seed gives the same faults
// for the same requests.
type Plan struct {
	Seed                                           uint64
	CutBefore, CutAfter, Broken, BrokenAfter, Slow float64
}

// chance is the server's only randomness. It is used under the server's lock.
type chance struct{ *rand.Rand }

func newChance(seed uint64) *chance { return &chance{rand.New(rand.NewPCG(seed, 2))} }

// planned is a fault for the next request to a route.
type planned struct {
	route string // the beginning of the method and path; empty: any
	fault Fault
}

// Fail makes the next requests to a route fail, one for each fault. A route is the beginning of method
// and path, such as "POST /v1/purchase_orders"; an empty one means any.
func (s *Server) Fail(route string, faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, fault := range faults {
		s.faults = append(s.faults, planned{route, fault})
	}
}

// SetPlan replaces the plan of random faults.
func (s *Server) SetPlan(plan Plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.options.Faults = plan
}

// trouble returns what goes wrong with a request.
func (s *Server) trouble(r *http.Request) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	route := r.Method + " " + r.URL.Path
	if i := slices.IndexFunc(s.faults, func(p planned) bool { return strings.HasPrefix(route, p.route) }); i >= 0 {
		fault := s.faults[i].fault
		s.faults = slices.Delete(s.faults, i, i+1)
		return fault
	}
	plan, drawn := s.options.Faults, s.chance.Float64()
	for _, p := range []struct {
		share float64
		fault Fault
	}{{plan.CutBefore, CutBefore}, {plan.CutAfter, CutAfter}, {plan.Broken, Broken}, {plan.BrokenAfter, BrokenAfter},
		{plan.Slow, Slow}} {
		if drawn < p.share {
			return p.fault
		}
		drawn -= p.share
	}
	return None
}

// Webhooks says where webhooks go, and how unreliable they are.
type Webhooks struct {
	URL     string
	Secret  string
	Lose    float64 // the share that is never delivered
	Twice   float64 // the share that is delivered twice
	Shuffle bool    // out of order
	Client  interface {
		Do(request *http.Request) (*http.Response, error)
	}
}

// event is a webhook: only what changed, not how.
type event struct {
	Resource string `json:"resource_type"`
	Action   string `json:"action"`
	Webhook  int64  `json:"webhook_id"`
	Object   object `json:"object"`
}

type object struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Href   string `json:"href"`
}

// tell queues a webhook.
func (s *Server) tell(o *Order, action string) {
	if s.options.Webhooks.URL == "" {
		return
	}
	id := strconv.FormatInt(o.ID, 10)
	s.queue = append(s.queue, event{Resource: "purchase_order", Action: "purchase_order." + action, Webhook: 1,
		Object: object{ID: id, Status: o.Status, Href: "/v1/purchase_orders/" + id}})
}

// SetWebhooks sets where webhooks go.
func (s *Server) SetWebhooks(webhooks Webhooks) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.options.Webhooks = webhooks
}

// Deliver sends the webhooks that wait: some not at all, some twice, and in another order, as configured.
// It returns how many were sent. A receiver's refusal is ignored.
func (s *Server) Deliver(ctx context.Context) (sent int, err error) {
	s.mu.Lock()
	webhooks, deliveries := s.options.Webhooks, []event{}
	for _, e := range s.queue {
		if s.chance.Float64() < webhooks.Lose {
			continue
		}
		deliveries = append(deliveries, e)
		if s.chance.Float64() < webhooks.Twice {
			deliveries = append(deliveries, e)
		}
	}
	s.queue = nil
	if webhooks.Shuffle {
		s.chance.Shuffle(len(deliveries), func(i, j int) { deliveries[i], deliveries[j] = deliveries[j], deliveries[i] })
	}
	s.mu.Unlock()
	for _, e := range deliveries {
		if err := webhooks.send(ctx, e); err != nil {
			return sent, err
		}
		sent++
	}
	return sent, nil
}

func (w Webhooks) send(ctx context.Context, e event) error {
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, []byte(w.Secret))
	mac.Write(body)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Sha2-Signature", hex.EncodeToString(mac.Sum(nil)))
	client := w.Client
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// Run delivers webhooks as they come, until ctx ends. A delivery that fails is told to failed.
func (s *Server) Run(ctx context.Context, failed func(error)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
			if _, err := s.Deliver(ctx); err != nil && ctx.Err() == nil {
				failed(err)
			}
		}
	}
}
