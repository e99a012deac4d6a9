package audit

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/q"
)

// isPerson and isArticle report whether an action's subject is a person or an article that the details
// do not name.
func isPerson(action Action) bool  { return action == "approval_limit.changed" }
func isArticle(action Action) bool { return strings.HasPrefix(string(action), "recommendation.") }

// naming finds the names of ids.
type naming struct {
	people, agents, syncs []uuid.UUID
	texts, articles       []string // the people's ids as text, and the articles'
	names                 map[string]string
}

// name fills in the names of the agents, syncs and people who acted, and of subjects that only their id names.
// Of people it is the current name, or the last known one of a person who has left.
func (s *Service) name(ctx context.Context, tenant uuid.UUID, entries []Entry) error {
	n := &naming{names: map[string]string{auth.ProcurementAgent.String(): auth.ProcurementName}}
	for _, entry := range entries {
		n.ask(entry.By.Type, entry.By.ID)
		switch {
		case isPerson(entry.Action):
			n.ask(auth.ByPerson, entry.Subject)
		case isArticle(entry.Action):
			n.articles = append(n.articles, entry.Subject)
		}
	}
	err := s.cells.InTenant(ctx, tenant, func(tx pgx.Tx) error { return n.find(ctx, q.New(tx), tenant) })
	if err != nil {
		return err
	}
	err = s.cells.InControl(ctx, tenant, func(tx pgx.Tx) error {
		members, err := q.New(tx).ListMemberNames(ctx, q.ListMemberNamesParams{TenantID: tenant, Ids: n.people})
		for _, member := range members {
			n.names[member.UserID.String()] = member.Name
		}
		return err
	})
	for i := range entries {
		entries[i].Name = n.names[entries[i].By.ID]
		if isPerson(entries[i].Action) || isArticle(entries[i].Action) {
			entries[i].About = n.names[entries[i].Subject]
		}
	}
	return err
}

// ask wants the name of whoever has the id.
func (n *naming) ask(kind auth.ActorType, text string) {
	id, err := uuid.Parse(text)
	if _, asked := n.names[text]; err != nil || asked {
		return
	}
	n.names[text] = ""
	switch kind {
	case auth.ByPerson:
		n.people, n.texts = append(n.people, id), append(n.texts, text)
	case auth.ByAgent:
		n.agents = append(n.agents, id)
	case auth.BySync:
		n.syncs = append(n.syncs, id)
	case auth.ByOperator, auth.ByKey, auth.BySystem: // have no name here
	}
}

// find reads the names that the tenant's own tables have.
func (n *naming) find(ctx context.Context, queries *q.Queries, tenant uuid.UUID) error {
	articles, err := queries.ListArticleNames(ctx, q.ListArticleNamesParams{TenantID: tenant, Ids: n.articles})
	if err != nil {
		return err
	}
	for _, article := range articles {
		n.names[article.ID] = article.Name
	}
	agents, err := queries.ListAgentNames(ctx, q.ListAgentNamesParams{TenantID: tenant, Ids: n.agents})
	if err != nil {
		return err
	}
	for _, agent := range agents {
		n.names[agent.AgentID.String()] = agent.Label
	}
	connections, err := queries.ListConnectionNames(ctx, q.ListConnectionNamesParams{TenantID: tenant, Ids: n.syncs})
	if err != nil {
		return err
	}
	for _, connection := range connections {
		n.names[connection.ID.String()] = auth.SyncName(connection.Name)
	}
	former, err := queries.ListFormerNames(ctx, q.ListFormerNamesParams{TenantID: tenant, Ids: n.texts})
	for _, person := range former {
		n.names[person.Subject] = person.Name
	}
	return err
}
