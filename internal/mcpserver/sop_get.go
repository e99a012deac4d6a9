package mcpserver

import (
	"context"

	"github.com/quayside/quayside/internal/auth"
)

type (
	sopGetIn struct {
		Slug     string `json:"slug" jsonschema:"From sop_list."`
		Version  int64  `json:"version,omitzero" jsonschema:"Default: the version in force; if none is, the newest."`
		BodyFrom int    `json:"body_from,omitzero" jsonschema:"The body_next of the previous answer, to read on."`
	}
	sopGetOut struct {
		Notice string `json:"notice"`
		editionShown
		Slug       string    `json:"slug"`
		Title      string    `json:"title"`
		Trigger    string    `json:"trigger"`
		OwnerRole  auth.Role `json:"owner_role"`
		ReviewDate string    `json:"review_date,omitempty"`
	}
)

func sopGet(s *Server) tool {
	return define(about{
		name: "sop_get", title: "Show an SOP", needs: auth.Read,
		description: "Shows a version of an SOP, and which versions there are.",
	}, func(ctx context.Context, by auth.Principal, in sopGetIn) (out sopGetOut, err error) {
		found, err := s.Playbook.SOPEdition(ctx, by, in.Slug, in.Version)
		if err != nil {
			return out, err
		}
		c := found.Content
		out = sopGetOut{
			Notice: notice, Slug: c.Slug, Title: *clipped(&c.Title), Trigger: *clipped(&c.Trigger), OwnerRole: c.OwnerRole,
			ReviewDate: c.ReviewDate,
		}
		out.editionShown, err = toEdition(found, c.Status, c.Body, in.BodyFrom)
		return out, err
	})
}
