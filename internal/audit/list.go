package audit

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/q"
)

// Entry is one action in the audit.
type Entry struct {
	ID        uuid.UUID
	At        time.Time
	Workspace *uuid.UUID // nil: it concerned the whole company
	By        auth.Actor
	Name      string // of a person or an agent; empty if it is no longer known
	Action    Action
	Subject   string
	About     string // the name of the person or article that is the subject, if no detail says it
	Data      map[string]any
	RequestID string
}

// Filter selects entries. Zero values match all.
type Filter struct {
	Actor        string // an id, or a kind of actor
	Action       Action
	Subject      string
	Since, Until *time.Time
}

// List returns the company's entries, newest first.
func (s *Service) List(ctx context.Context, by auth.Principal, filter Filter, want page.Request) (
	entries []Entry, more bool, err error) {
	if err := by.Require(auth.ReadAudit); err != nil {
		return nil, false, err
	}
	before := want.After
	if before == uuid.Nil {
		before = uuid.Max
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListAudit(ctx, q.ListAuditParams{
			TenantID: by.Tenant, Before: before, Actor: filter.Actor, Action: string(filter.Action), Subject: filter.Subject,
			Since: filter.Since, Until: filter.Until, Most: want.Limit(),
		})
		if err != nil {
			return err
		}
		rows, more = page.Cut(want, rows)
		for _, row := range rows {
			entry := Entry{ID: row.ID, At: row.At, Workspace: row.WorkspaceID, Action: Action(row.Action), Subject: row.Subject,
				RequestID: row.RequestID}
			if err := errors.Join(json.Unmarshal(row.Actor, &entry.By), json.Unmarshal(row.Data, &entry.Data)); err != nil {
				return err
			}
			entries = append(entries, entry)
		}
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	return entries, more, s.name(ctx, by.Tenant, entries)
}

// isPerson and isArticle report whether an action's subject is a person or an article that the details
// do not name.
func isPerson(action Action) bool  { return action == "approval_limit.changed" }
func isArticle(action Action) bool { return strings.HasPrefix(string(action), "recommendation.") }

// name fills in the names of the agents, syncs and people who acted, and of subjects that only their id names.
// Of people it is the current name, or the last known one of a person who has left.
func (s *Service) name(ctx context.Context, tenant uuid.UUID, entries []Entry) error {
	var (
		people, agents, syncs []uuid.UUID
		texts, articles       []string
		names                 = map[string]string{auth.ProcurementAgent.String(): auth.ProcurementName}
	)
	ask := func(kind auth.ActorType, text string) {
		id, err := uuid.Parse(text)
		if _, asked := names[text]; err != nil || asked {
			return
		}
		names[text] = ""
		switch kind {
		case auth.ByPerson:
			people, texts = append(people, id), append(texts, text)
		case auth.ByAgent:
			agents = append(agents, id)
		case auth.BySync:
			syncs = append(syncs, id)
		case auth.ByOperator, auth.ByKey, auth.BySystem: // have no name here
		}
	}
	for _, entry := range entries {
		ask(entry.By.Type, entry.By.ID)
		switch {
		case isPerson(entry.Action):
			ask(auth.ByPerson, entry.Subject)
		case isArticle(entry.Action):
			articles = append(articles, entry.Subject)
		}
	}
	err := s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		found, err := q.New(tx).ListArticleNames(ctx, q.ListArticleNamesParams{TenantID: tenant, Ids: articles})
		if err != nil {
			return err
		}
		for _, article := range found {
			names[article.ID] = article.Name
		}
		labels, err := q.New(tx).ListAgentNames(ctx, q.ListAgentNamesParams{TenantID: tenant, Ids: agents})
		if err != nil {
			return err
		}
		for _, agent := range labels {
			names[agent.AgentID.String()] = agent.Label
		}
		connections, err := q.New(tx).ListConnectionNames(ctx, q.ListConnectionNamesParams{TenantID: tenant, Ids: syncs})
		if err != nil {
			return err
		}
		for _, connection := range connections {
			names[connection.ID.String()] = auth.SyncName(connection.Name)
		}
		former, err := q.New(tx).ListFormerNames(ctx, q.ListFormerNamesParams{TenantID: tenant, Ids: texts})
		for _, person := range former {
			names[person.Subject] = person.Name
		}
		return err
	})
	if err != nil {
		return err
	}
	err = s.cells.InControl(ctx, tenant, func(tx pgx.Tx) error {
		members, err := q.New(tx).ListMemberNames(ctx, q.ListMemberNamesParams{TenantID: tenant, Ids: people})
		for _, member := range members {
			names[member.UserID.String()] = member.Name
		}
		return err
	})
	for i := range entries {
		entries[i].Name = names[entries[i].By.ID]
		if isPerson(entries[i].Action) || isArticle(entries[i].Action) {
			entries[i].About = names[entries[i].Subject]
		}
	}
	return err
}
