package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/exchange"
)

// hookBody limits a webhook, which names an object and says nothing else about it.
const hookBody = 64 << 10

// hook takes a webhook of an inventory system. Its signature is all that it proves itself with.
func (s *Server) hook(w http.ResponseWriter, r *http.Request) error {
	id, err := uuid.Parse(r.PathValue("connection"))
	if err != nil {
		id = uuid.Max // no connection has it: the answer is that to a wrong signature
	}
	body, err := readWithin(w, r, hookBody)
	if err != nil {
		return err
	}
	err = s.Hints.Take(r.Context(), s.clientAddr(r), id, exchange.Message{Body: body, Header: r.Header.Get})
	switch {
	case errors.Is(err, exchange.ErrSuspended):
		w.WriteHeader(http.StatusGone) // without a body: the other system is to stop, and needs to know nothing else
		return nil
	case err != nil:
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

type (
	orderReadingJSON struct {
		PolledAt    *time.Time     `json:"polled_at,omitempty" doc:"When a poll last came to its end."`
		Failure     string         `json:"failure,omitempty" doc:"Why the last poll failed, in words. Absent if it did not."`
		ReconcileAt *time.Time     `json:"reconcile_at,omitempty" doc:"When the next reconcile is due. Absent if the connection was never in use."`
		Running     *reconcileJSON `json:"running,omitempty" doc:"The reconcile under way, as far as it came."`
		Last        *reconcileJSON `json:"last,omitempty" doc:"The last reconcile that ended."`
	}
	reconcileJSON struct {
		BeganAt   time.Time            `json:"began_at"`
		EndedAt   *time.Time           `json:"ended_at,omitempty"`
		Orders    int                  `json:"orders" doc:"Orders that exist on one side at least."`
		Equal     int                  `json:"equal"`
		Differ    int                  `json:"differ"`
		OnlyHere  int                  `json:"only_here"`
		OnlyThere int                  `json:"only_there"`
		List      []differentOrderJSON `json:"list" doc:"The first 100 orders that are not the same on both sides."`
	}
	differentOrderJSON struct {
		Number string   `json:"order_no"`
		Kind   string   `json:"kind" enum:"differ,only_here,only_there"`
		State  string   `json:"state,omitempty" doc:"How the order stood with the inventory system. Absent if it was not known here."`
		Fields []string `json:"fields" doc:"What differs, in words."`
	}
)

// readingOperations are about how the orders of a connection are read.
func (s *Server) readingOperations(a *appAPI) {
	const tag, this = "Connections", "workspaces/{workspace}/connections/{connection}"
	const needs = auth.ManageConnections
	register(a, operation{
		id: "setConnectionHook", method: http.MethodPost, path: this + "/hook", tag: tag, needs: needs,
		summary: "Set the secret of a connection's webhooks",
		about: "The other system signs its webhooks with it, and sends them to /hooks/inventory/ and the connection's id. It is " +
			"stored encrypted and never returned.",
	}, func(ctx context.Context, in *struct {
		OneConnection
		Body struct {
			Secret string `json:"secret" example:"6f2c8e4b1a9d4c7e" doc:"At least 16 characters."`
		}
	}) (*versioned[connectionJSON], error) {
		changed, err := s.Connections.SetHookSecret(ctx, by(ctx).Principal, in.Connection, in.Body.Secret)
		return toVersionedConnection(changed), err
	})
	register(a, operation{
		id: "getConnectionReading", method: http.MethodGet, path: this + "/reading", tag: tag, needs: needs,
		summary: "How a connection's orders are read",
		about:   "The last poll, and what the last reconcile found.",
	}, func(ctx context.Context, in *OneConnection) (*body[orderReadingJSON], error) {
		found, err := s.Exchange.ReadingOf(ctx, by(ctx).Principal, in.Connection)
		return toOrderReadingJSON(found), err
	})
	register(a, operation{
		id: "reconcileConnection", method: http.MethodPost, path: this + "/reconcile", tag: tag, needs: needs,
		summary: "Compare all orders of a connection",
		about: "Begins within seconds if the connection is in use, and goes on in the background. Without this call it happens " +
			"every night.",
	}, func(ctx context.Context, in *OneConnection) (*body[orderReadingJSON], error) {
		found, err := s.Exchange.Reconcile(ctx, by(ctx).Principal, in.Connection)
		return toOrderReadingJSON(found), err
	})
}

func toOrderReadingJSON(r exchange.Reading) *body[orderReadingJSON] {
	return &body[orderReadingJSON]{orderReadingJSON{PolledAt: utc(r.PolledAt), Failure: r.Message, ReconcileAt: utc(r.ReconcileAt),
		Running: toReconcileJSON(r.Under), Last: toReconcileJSON(r.Last)}}
}

func toReconcileJSON(s *exchange.Summary) *reconcileJSON {
	if s == nil {
		return nil
	}
	shown := &reconcileJSON{BeganAt: s.BeganAt.UTC(), Orders: s.Orders, Equal: s.Equal, Differ: s.Differ, OnlyHere: s.OnlyHere,
		OnlyThere: s.OnlyThere, List: []differentOrderJSON{}}
	if !s.EndedAt.IsZero() {
		shown.EndedAt = &s.EndedAt
	}
	for _, d := range s.List {
		shown.List = append(shown.List, differentOrderJSON{d.Number, string(d.Kind), string(d.State), d.Fields})
	}
	return shown
}
