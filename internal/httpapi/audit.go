package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
)

type (
	auditEntryJSON struct {
		ID        uuid.UUID      `json:"id" format:"uuid"`
		At        time.Time      `json:"at"`
		Workspace *uuid.UUID     `json:"workspace_id,omitempty" format:"uuid" doc:"Absent if the action concerned the whole company."`
		ByType    auth.ActorType `json:"by_type" enum:"operator,user,key,agent,sync,system" doc:"operator is a person at the command line; sync is a connection to another system; system is the service itself."`
		ByID      string         `json:"by_id,omitempty"`
		ByName    string         `json:"by_name,omitempty" doc:"The agent's name, or the person's: the current one, or the one that they had when they left."`
		Action    string         `json:"action" doc:"The kind of object and what was done, such as key.issued." example:"key.issued"`
		Subject   string         `json:"subject" doc:"The id of the object."`
		About     string         `json:"subject_name,omitempty" doc:"The name of the person or article that is the subject, where data does not have it."`
		Data      map[string]any `json:"data" doc:"Details. The fields depend on the action."`
		RequestID string         `json:"request_id" doc:"Empty for actions at the command line."`
	}
	// AuditFilter selects entries.
	AuditFilter struct {
		Actor   string    `query:"actor" maxLength:"100" doc:"A person's id, or operator, user, key, agent or system."`
		Action  string    `query:"action" maxLength:"100" doc:"Such as key.issued."`
		Subject string    `query:"subject" maxLength:"200" doc:"The id of the object."`
		Since   time.Time `query:"since" doc:"At this time or later."`
		Until   time.Time `query:"until" doc:"Before this time."`
	}
)

// auditOperations are about the audit.
func (s *Server) auditOperations(a *appAPI) {
	register(a, operation{
		id: "listAudit", method: http.MethodGet, path: "tenants/{tenant}/audit", tag: "Audit", needs: auth.ReadAudit,
		summary: "List the audit log, the newest first",
		about:   "Lists the actions of people, agents and operators. Rows cannot be changed.",
	}, func(ctx context.Context, in *struct {
		InTenant
		Paged
		AuditFilter
	}) (*body[list[auditEntryJSON]], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		entries, more, err := s.Audit.List(ctx, by(ctx).Principal, in.filter(), want)
		var items []auditEntryJSON
		for _, entry := range entries {
			items = append(items, toAuditEntryJSON(entry))
		}
		return listed(items, more, func(one auditEntryJSON) uuid.UUID { return one.ID }), err
	})
}

func (f AuditFilter) filter() audit.Filter {
	filter := audit.Filter{Actor: f.Actor, Action: audit.Action(f.Action), Subject: f.Subject}
	if !f.Since.IsZero() {
		filter.Since = &f.Since
	}
	if !f.Until.IsZero() {
		filter.Until = &f.Until
	}
	return filter
}

func toAuditEntryJSON(entry audit.Entry) auditEntryJSON {
	return auditEntryJSON{
		ID: entry.ID, At: entry.At.UTC(), Workspace: entry.Workspace, ByType: entry.By.Type, ByID: entry.By.ID,
		ByName: entry.Name,
		Action: string(entry.Action), Subject: entry.Subject, About: entry.About, Data: entry.Data, RequestID: entry.RequestID,
	}
}
