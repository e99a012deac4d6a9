package mcpserver

import (
	"context"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/playbook"
)

type (
	sopListIn struct {
		After string `json:"after,omitzero" jsonschema:"The last slug of a truncated answer."`
	}
	sopListOut struct {
		Notice    string      `json:"notice"`
		SOPs      []listedSOP `json:"sops"`
		Truncated bool        `json:"truncated"`
	}
	listedSOP struct {
		Slug      string          `json:"slug"`
		Title     string          `json:"title"`
		Trigger   string          `json:"trigger"`
		OwnerRole auth.Role       `json:"owner_role"`
		Status    playbook.Status `json:"status"` // of the newest version
		Newest    int64           `json:"newest_version"`
		Effective int64           `json:"in_force_version"` // 0: none
	}
)

func sopList(s *Server) tool {
	return define(about{
		name: "sop_list", title: "List SOPs", needs: auth.Read,
		description: "Lists the standard operating procedures of the playbook: their newest version, and which is in force (0: none).",
	}, func(ctx context.Context, by auth.Principal, in sopListIn) (out sopListOut, err error) {
		found, err := s.Playbook.SOPs(ctx, by)
		if err != nil {
			return out, err
		}
		items := []listedSOP{}
		for _, one := range found {
			items = append(items, listedSOP{
				Slug: one.Content.Slug, Title: *clipped(&one.Content.Title), Trigger: *clipped(&one.Content.Trigger),
				OwnerRole: one.Content.OwnerRole, Status: one.Content.Status, Newest: one.Version, Effective: one.InForce,
			})
		}
		out.Notice = notice
		out.SOPs, out.Truncated, err = after(items, in.After, func(one listedSOP) string { return one.Slug })
		return out, err
	})
}
