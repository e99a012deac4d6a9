package mcpserver

import (
	"context"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/playbook"
)

type strategyPutIn struct {
	ID             uuid.UUID       `json:"id,omitzero" jsonschema:"The strategy to change. Default: a new one."`
	Version        int64           `json:"version,omitzero" jsonschema:"With id: the newest_version that you saw."`
	Title          string          `json:"title" jsonschema:"Its title."`
	Scope          playbook.Scope  `json:"scope" jsonschema:"Which articles it is for."`
	Target         string          `json:"target,omitzero" jsonschema:"The id of the product or supplier, or the family's name."`
	Body           string          `json:"body" jsonschema:"Why, in Markdown."`
	Parameters     object          `json:"parameters,omitzero" jsonschema:"Planning keys of the config with other values, such as {\"cover_days\": 60}."`
	EffectiveFrom  string          `json:"effective_from,omitzero" jsonschema:"The first day, YYYY-MM-DD."`
	EffectiveUntil string          `json:"effective_until,omitzero" jsonschema:"The last day."`
	Status         playbook.Status `json:"status,omitzero" jsonschema:"draft. Only people set another."`
	Note           string          `json:"note,omitzero" jsonschema:"For the people who decide."`
	Run            string          `json:"run_id,omitzero" jsonschema:"The run of this call."`
}

func strategyPut(s *Server) tool {
	return define(about{
		name: "strategy_put", title: "Propose a strategy", needs: auth.ProposeDocuments, changes: true,
		description: "Stores a draft of a new or changed strategy, with all fields as sent. What is in force stays until a person activates the draft.",
	}, func(ctx context.Context, by auth.Principal, in strategyPutIn) (out storedDocument, err error) {
		parameters, err := in.Parameters.values("parameters")
		if err != nil {
			return out, err
		}
		strategy := playbook.Strategy{
			Title: in.Title, Scope: in.Scope, Target: in.Target, Body: in.Body, Parameters: parameters,
			Status: draftUnless(in.Status), EffectiveFrom: in.EffectiveFrom, EffectiveUntil: in.EffectiveUntil,
		}
		var stored playbook.Document[playbook.Strategy]
		switch {
		case (in.ID == uuid.Nil) != (in.Version == 0):
			return out, wrong("version", "give id and version to change a strategy, neither for a new one")
		case in.ID == uuid.Nil:
			stored, err = s.Playbook.CreateStrategy(ctx, by, strategy, in.Note)
		default:
			stored, err = s.Playbook.ChangeStrategy(ctx, by, in.ID, in.Version, strategy, in.Note)
		}
		return storedDocument{
			Notice: notice, Run: by.Run, ID: stored.ID, Title: *clipped(&stored.Content.Title), Version: stored.Version,
			Status: stored.Content.Status, Effective: stored.InForce,
		}, err
	})
}
