package mcpserver

import (
	"context"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/playbook"
)

type (
	strategyGetIn struct {
		ID       uuid.UUID `json:"id" jsonschema:"From strategy_list."`
		Version  int64     `json:"version,omitzero" jsonschema:"Default: the version in force; if none is, the newest."`
		BodyFrom int       `json:"body_from,omitzero" jsonschema:"The body_next of the previous answer, to read on."`
	}
	strategyGetOut struct {
		Notice string `json:"notice"`
		editionShown
		Title          string          `json:"title"`
		Scope          playbook.Scope  `json:"scope"`
		Target         string          `json:"target,omitempty"`
		Parameters     playbook.Values `json:"parameters"`
		EffectiveFrom  string          `json:"effective_from,omitempty"`
		EffectiveUntil string          `json:"effective_until,omitempty"`
	}
)

func strategyGet(s *Server) tool {
	return define(about{
		name: "strategy_get", title: "Show a strategy", needs: auth.Read,
		description: "Shows a version of a strategy, and which versions there are.",
	}, func(ctx context.Context, by auth.Principal, in strategyGetIn) (out strategyGetOut, err error) {
		found, err := s.Playbook.StrategyEdition(ctx, by, in.ID, in.Version)
		if err != nil {
			return out, err
		}
		c := found.Content
		out = strategyGetOut{
			Notice: notice, Title: *clipped(&c.Title), Scope: c.Scope, Target: *clipped(&c.Target), Parameters: c.Parameters,
			EffectiveFrom: c.EffectiveFrom, EffectiveUntil: c.EffectiveUntil,
		}
		out.editionShown, err = toEdition(found, c.Status, c.Body, in.BodyFrom)
		return out, err
	})
}
