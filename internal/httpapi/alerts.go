package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/alert"
	"github.com/quayside/quayside/internal/auth"
)

type (
	alertJSON struct {
		ID         uuid.UUID  `json:"id" format:"uuid"`
		Rule       alert.Rule `json:"rule" enum:"new_failures,failure_rate,silent_source,not_computed"`
		Slug       string     `json:"slug" example:"orders" doc:"The table that the alert is about, or the computed view: product_demand or procurement_queue."`
		Title      string     `json:"title" example:"Orders"`
		Code       string     `json:"code" doc:"For new_failures: why the imports failed."`
		Field      string     `json:"field" doc:"For new_failures: the wrong field. Empty if the reason names no field."`
		Summary    string     `json:"summary" doc:"What happened."`
		Reason     string     `json:"reason" doc:"Why the alert was raised."`
		Path       string     `json:"path" doc:"The path of the app's page for it, relative to the service's address."`
		Open       int64      `json:"open_failures" doc:"For new_failures: how many failed imports of this kind are open now."`
		Since      time.Time  `json:"since" doc:"When it began: the first failure, the last record, or the time since when nothing was computed."`
		RaisedAt   time.Time  `json:"raised_at"`
		ResolvedAt *time.Time `json:"resolved_at,omitempty" doc:"When the cause ended. Absent while it lasts."`
		Read       bool       `json:"read" doc:"Whether you have read it."`
	}
	unreadJSON struct {
		Unread int64 `json:"unread"`
	}
)

// alertOperations are about alerts.
func (s *Server) alertOperations(a *appAPI) {
	const tag, path = "Alerts", "workspaces/{workspace}/alerts"
	register(a, operation{
		id: "listAlerts", method: http.MethodGet, path: path, tag: tag, needs: auth.Read, summary: "Alerts, the newest first",
		about: "Alerts report a new kind of failed imports, a source with too many failures, a source that stopped sending, or figures that are not computed any more.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Paged
	}) (*body[list[alertJSON]], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		alerts, more, err := s.Alerts.List(ctx, by(ctx).Principal, want)
		var items []alertJSON
		for _, one := range alerts {
			items = append(items, toAlertJSON(one))
		}
		return listed(items, more, func(one alertJSON) uuid.UUID { return one.ID }), err
	})
	register(a, operation{
		id: "countUnreadAlerts", method: http.MethodGet, path: path + "/unread", tag: tag, needs: auth.Read,
		summary: "Count my unread alerts",
	}, func(ctx context.Context, _ *InWorkspace) (*body[unreadJSON], error) {
		unread, err := s.Alerts.Unread(ctx, by(ctx).Principal, time.Now())
		return &body[unreadJSON]{unreadJSON{unread}}, err
	})
	register(a, operation{
		id: "markAlertsRead", method: http.MethodPost, path: path + "/read", tag: tag, needs: auth.Read,
		status:  http.StatusNoContent,
		summary: "Mark alerts as read by me", about: "This does not change what other people have read.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Body struct {
			IDs  []uuid.UUID `json:"ids,omitempty" maxItems:"200" example:"[\"0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e\"]" doc:"These alerts."`
			UpTo uuid.UUID   `json:"up_to,omitempty" format:"uuid" example:"0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e" doc:"This alert and all older ones. Send the newest one that you saw to mark all."`
		}
	}) (*nothing, error) {
		return nil, s.Alerts.MarkRead(ctx, by(ctx).Principal, in.Body.IDs, in.Body.UpTo)
	})
}

func toAlertJSON(a alert.Alert) alertJSON {
	return alertJSON{
		ID: a.ID, Rule: a.Rule, Slug: a.Slug, Title: a.Title, Code: a.Code, Field: a.Field, Summary: a.Summary(),
		Reason: a.Reason(), Path: a.Path,
		Open: a.Open, Since: a.Since.UTC(), RaisedAt: a.RaisedAt.UTC(), ResolvedAt: utc(a.ResolvedAt), Read: a.Read,
	}
}
