package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

type alertAnswer struct {
	ID         uuid.UUID  `json:"id"`
	Rule       string     `json:"rule"`
	Title      string     `json:"title"`
	Reason     string     `json:"reason"`
	Path       string     `json:"path"`
	Open       int64      `json:"open_failures"`
	RaisedAt   time.Time  `json:"raised_at"`
	ResolvedAt *time.Time `json:"resolved_at"`
	Read       bool       `json:"read"`
}

// TestAlerts checks that refused records raise an alert, that each person has read it or not,
// and that it is resolved when the failures are.
func TestAlerts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	viewer, buyer := w.join(w.tenant, auth.Viewer).enter(), w.join(w.tenant, auth.Buyer).enter()
	alerts := "/api/app/workspaces/" + w.tenant.Workspace.String() + "/alerts"
	list := func(p *person) []alertAnswer {
		return decode[page[alertAnswer]](t, p.call(http.MethodGet, alerts, nil), http.StatusOK).Items
	}
	unread := func(p *person) int {
		return decode[struct{ Unread int }](t, p.call(http.MethodGet, alerts+"/unread", nil), http.StatusOK).Unread
	}
	look := func() {
		require.NoError(t, w.app.Meter.Flush(t.Context()))
		require.NoError(t, w.app.Alerts.Look(t.Context(), time.Now()))
	}
	require.Empty(t, list(viewer))

	for _, lead := range []string{"soon", "later"} {
		require.Equal(t, http.StatusUnprocessableEntity,
			w.post("suppliers", `{"external_id":"S1","name":"One","lead_time_days":"`+lead+`"}`).status)
	}
	look()
	require.Equal(t, http.StatusUnprocessableEntity, w.post("suppliers", `{"external_id":"S2"}`).status)
	look()
	got := list(viewer)
	require.Len(t, got, 2)
	require.Equal(t, "missing required field: name", got[0].Reason)
	require.Equal(t, "lead_time_days: not a number", got[1].Reason)
	require.Equal(t, "Suppliers", got[1].Title)
	require.Equal(t, int64(2), got[1].Open)
	require.Equal(t, 2, unread(viewer))

	mark := func(p *person, body map[string]any) {
		require.Equal(t, http.StatusNoContent, p.call(http.MethodPost, alerts+"/read", body).status)
	}
	mark(viewer, map[string]any{"ids": []uuid.UUID{got[0].ID}})
	require.Equal(t, 1, unread(viewer))
	require.Equal(t, []bool{true, false}, []bool{list(viewer)[0].Read, list(viewer)[1].Read})
	mark(buyer, map[string]any{"up_to": got[0].ID})
	require.Zero(t, unread(buyer))
	require.Equal(t, 1, unread(viewer))
	mark(viewer, map[string]any{})
	require.Equal(t, 1, unread(viewer), "nothing was named")

	d := w.desk(auth.Buyer)
	for _, one := range d.list("code=type") {
		require.Equal(t, http.StatusNoContent,
			d.call(http.MethodPost, d.path+"/"+one.ID.String()+"/dismiss", map[string]any{"reason": "a test"}).status)
	}
	look()
	got = list(viewer)
	require.Nil(t, got[0].ResolvedAt)
	require.NotNil(t, got[1].ResolvedAt)
	require.Zero(t, got[1].Open)
}

// TestAlertMailsSwitch checks that name and mail setting of a profile can be changed
// separately.
func TestAlertMailsSwitch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.join(w.tenant, auth.Buyer).enter()
	type profile struct {
		Name  string
		Mails bool `json:"alert_mails"`
	}
	change := func(body map[string]any) profile {
		answered := decode[profile](t, ada.call(http.MethodPatch, "/api/app/profile", body), http.StatusOK)
		require.Equal(t, answered, decode[profile](t, ada.call(http.MethodGet, "/api/app/session", nil), http.StatusOK))
		return answered
	}
	require.Equal(t, profile{"Ada", true}, change(map[string]any{"name": " Ada "}))
	require.Equal(t, profile{"Ada", false}, change(map[string]any{"alert_mails": false}))
	require.Equal(t, profile{"Ada L", false}, change(map[string]any{"name": "Ada L"}))
	require.Equal(t, profile{"Ada L", true}, change(map[string]any{"alert_mails": true}))
	require.Equal(t, profile{"Ada L", true}, change(map[string]any{}))
	requireProblem(t, ada.call(http.MethodPatch, "/api/app/profile", map[string]any{"name": " "}),
		http.StatusUnprocessableEntity, "name")
}
