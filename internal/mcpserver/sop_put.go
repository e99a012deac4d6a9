package mcpserver

import (
	"context"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/playbook"
)

type sopPutIn struct {
	Slug       string          `json:"slug" jsonschema:"Its name: lower-case letters, digits and hyphens."`
	Version    int64           `json:"version,omitzero" jsonschema:"To change an SOP: the newest_version that you saw. Default: a new SOP."`
	Title      string          `json:"title" jsonschema:"Its title."`
	Trigger    string          `json:"trigger" jsonschema:"When it is followed."`
	Body       string          `json:"body" jsonschema:"What to do, in Markdown."`
	OwnerRole  auth.Role       `json:"owner_role" jsonschema:"Whose it is."`
	ReviewDate string          `json:"review_date,omitzero" jsonschema:"When to look at it again, YYYY-MM-DD."`
	Status     playbook.Status `json:"status,omitzero" jsonschema:"draft. Only people set another."`
	Note       string          `json:"note,omitzero" jsonschema:"For the people who decide."`
	Run        string          `json:"run_id,omitzero" jsonschema:"The run of this call."`
}

func sopPut(s *Server) tool {
	return define(about{
		name: "sop_put", title: "Propose an SOP", needs: auth.ProposeDocuments, changes: true,
		description: "Stores a draft of a new or changed SOP, with all fields as sent. What is in force stays until a person activates the draft.",
	}, func(ctx context.Context, by auth.Principal, in sopPutIn) (out storedDocument, err error) {
		sop := playbook.SOP{
			Slug: in.Slug, Title: in.Title, Trigger: in.Trigger, Body: in.Body, OwnerRole: in.OwnerRole,
			Status: draftUnless(in.Status), ReviewDate: in.ReviewDate,
		}
		var stored playbook.Document[playbook.SOP]
		if in.Version == 0 {
			stored, err = s.Playbook.CreateSOP(ctx, by, sop, in.Note)
		} else {
			stored, err = s.Playbook.ChangeSOP(ctx, by, in.Slug, in.Version, sop, in.Note)
		}
		return storedDocument{
			Notice: notice, Run: by.Run, ID: stored.ID, Slug: stored.Content.Slug, Title: *clipped(&stored.Content.Title),
			Version: stored.Version, Status: stored.Content.Status, Effective: stored.InForce,
		}, err
	})
}
