package mcpserver

import (
	"context"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/playbook"
)

type (
	strategyListIn struct {
		After string `json:"after,omitzero" jsonschema:"The last id of a truncated answer."`
	}
	strategyListOut struct {
		Notice     string           `json:"notice"`
		Strategies []listedStrategy `json:"strategies"`
		Truncated  bool             `json:"truncated"`
	}
	listedStrategy struct {
		ID        uuid.UUID       `json:"id"`
		Title     string          `json:"title"`
		Scope     playbook.Scope  `json:"scope"`
		Target    string          `json:"target,omitempty"`
		Status    playbook.Status `json:"status"` // of the newest version
		Newest    int64           `json:"newest_version"`
		Effective int64           `json:"in_force_version"` // 0: none
	}
)

func strategyList(s *Server) tool {
	return define(about{
		name: "strategy_list", title: "List strategies", needs: auth.Read,
		description: "Lists the strategies of the playbook: their newest version, and which is in force (0: none).",
	}, func(ctx context.Context, by auth.Principal, in strategyListIn) (out strategyListOut, err error) {
		found, err := s.Playbook.Strategies(ctx, by)
		if err != nil {
			return out, err
		}
		items := []listedStrategy{}
		for _, one := range found {
			items = append(items, listedStrategy{
				ID: one.ID, Title: *clipped(&one.Content.Title), Scope: one.Content.Scope, Target: *clipped(&one.Content.Target),
				Status: one.Content.Status, Newest: one.Version, Effective: one.InForce,
			})
		}
		out.Notice = notice
		out.Strategies, out.Truncated, err = after(items, in.After, func(one listedStrategy) string { return one.ID.String() })
		return out, err
	})
}
