package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/playbook"
)

type (
	// StrategyFields are the fields of a strategy.
	StrategyFields struct {
		Title          string         `json:"title" minLength:"1" maxLength:"200" example:"Tea lasts longer"`
		Scope          string         `json:"scope" enum:"workspace,family,supplier,product" example:"family"`
		Target         string         `json:"target,omitempty" maxLength:"500" example:"Tea" doc:"The supplier's id, the family's name or the product's id. Absent for the workspace."`
		Body           string         `json:"body" maxLength:"20000" example:"Tea keeps for a year." doc:"Markdown. No number is ever read from it."`
		Parameters     parametersJSON `json:"parameters" example:"{\"cover_days\":60}" doc:"Values of the config that it overrides."`
		Status         string         `json:"status" enum:"draft,active,archived" example:"active" doc:"A draft leaves the version before it in force."`
		EffectiveFrom  string         `json:"effective_from,omitempty" maxLength:"10" doc:"The first day, a date. Absent: from its creation on."`
		EffectiveUntil string         `json:"effective_until,omitempty" maxLength:"10" doc:"The last day, a date. Absent: for ever."`
	}
	// SOPFields are the fields of an SOP.
	SOPFields struct {
		Title      string `json:"title" minLength:"1" maxLength:"200" example:"Late delivery"`
		Trigger    string `json:"trigger" maxLength:"500" example:"A line is overdue by three days" doc:"When it is followed."`
		Body       string `json:"body" maxLength:"20000" example:"1. Call the supplier." doc:"Markdown."`
		OwnerRole  string `json:"owner_role" enum:"company_admin,approver,buyer,viewer,agent" example:"buyer"`
		Status     string `json:"status" enum:"draft,active,archived" example:"active" doc:"A draft leaves the version before it in force."`
		ReviewDate string `json:"review_date,omitempty" maxLength:"10" example:"2027-01-31" doc:"When to look at it again, a date."`
	}
	// VersionNote says why a version was made.
	VersionNote struct {
		Note string `json:"note,omitempty" maxLength:"500" example:"As agreed" doc:"Why, for the list of versions."`
	}
	strategyJSON struct {
		ID uuid.UUID `json:"id" format:"uuid"`
		PlaybookMeta
		StrategyFields
		InForceVersion int64 `json:"in_force_version" doc:"The version that is in force today. 0: none."`
	}
	sopJSON struct {
		ID   uuid.UUID `json:"id" format:"uuid"`
		Slug string    `json:"slug"`
		PlaybookMeta
		SOPFields
		InForceVersion int64 `json:"in_force_version" doc:"The version that is in force today. 0: none."`
	}
	// OneStrategy names a strategy.
	OneStrategy struct {
		InWorkspace
		Strategy uuid.UUID `path:"strategy" format:"uuid"`
	}
	// OneSOP names an SOP.
	OneSOP struct {
		InWorkspace
		SOP string `path:"sop" maxLength:"64" doc:"The SOP's slug or id."`
	}
)

// strategyOperations are about strategies.
func (s *Server) strategyOperations(a *appAPI) {
	const path = "workspaces/{workspace}/playbook/strategies"
	register(a, operation{id: "listStrategies", method: http.MethodGet, path: path, tag: playbookTag, needs: auth.Read,
		summary: "List strategies", about: "The newest version of each, by title."},
		func(ctx context.Context, _ *InWorkspace) (*body[list[strategyJSON]], error) {
			found, err := s.Playbook.Strategies(ctx, by(ctx).Principal)
			return listed(toStrategies(found), false, nil), err
		})
	register(a, operation{id: "createStrategy", method: http.MethodPost, path: path, tag: playbookTag,
		needs: auth.ManagePurchasing, status: http.StatusCreated, summary: "Create a strategy"},
		func(ctx context.Context, in *struct {
			InWorkspace
			Body struct {
				StrategyFields
				VersionNote
			}
		}) (*versioned[strategyJSON], error) {
			made, err := s.Playbook.CreateStrategy(ctx, by(ctx).Principal, in.Body.strategy(), in.Body.Note)
			return &versioned[strategyJSON]{etag(made.Version), toStrategy(made)}, err
		})
	register(a, operation{id: "getStrategy", method: http.MethodGet, path: path + "/{strategy}", tag: playbookTag,
		needs: auth.Read, summary: "Get a strategy", about: "Its newest version."},
		func(ctx context.Context, in *OneStrategy) (*versioned[strategyJSON], error) {
			found, err := s.Playbook.Strategy(ctx, by(ctx).Principal, in.Strategy)
			return &versioned[strategyJSON]{etag(found.Version), toStrategy(found)}, err
		})
	register(a, operation{id: "changeStrategy", method: http.MethodPut, path: path + "/{strategy}", tag: playbookTag,
		needs: auth.ManagePurchasing, summary: "Change a strategy", about: "Adds a version with all fields as they are sent."},
		func(ctx context.Context, in *struct {
			OneStrategy
			Conditional
			Body struct {
				StrategyFields
				VersionNote
			}
		}) (*versioned[strategyJSON], error) {
			version, err := in.version()
			if err != nil {
				return nil, err
			}
			changed, err := s.Playbook.ChangeStrategy(ctx, by(ctx).Principal, in.Strategy, version, in.Body.strategy(),
				in.Body.Note)
			return &versioned[strategyJSON]{etag(changed.Version), toStrategy(changed)}, err
		})
	register(a, operation{id: "listStrategyVersions", method: http.MethodGet, path: path + "/{strategy}/versions",
		tag: playbookTag, needs: auth.Read, summary: "List versions of a strategy", about: "The newest first."},
		func(ctx context.Context, in *struct {
			OneStrategy
			InVersions
		}) (*body[list[strategyJSON]], error) {
			before, err := in.before()
			if err != nil {
				return nil, err
			}
			found, more, err := s.Playbook.StrategyVersions(ctx, by(ctx).Principal, in.Strategy, before)
			return versionPage(toStrategies(found), more, func(one strategyJSON) int64 { return one.Version }), err
		})
}

// sopOperations are about SOPs.
func (s *Server) sopOperations(a *appAPI) {
	const path = "workspaces/{workspace}/playbook/sops"
	register(a, operation{id: "listSops", method: http.MethodGet, path: path, tag: playbookTag, needs: auth.Read,
		summary: "List SOPs", about: "The newest version of each, by title."},
		func(ctx context.Context, _ *InWorkspace) (*body[list[sopJSON]], error) {
			found, err := s.Playbook.SOPs(ctx, by(ctx).Principal)
			return listed(toSOPs(found), false, nil), err
		})
	register(a, operation{id: "createSop", method: http.MethodPost, path: path, tag: playbookTag,
		needs: auth.ManagePurchasing, status: http.StatusCreated, summary: "Create an SOP"},
		func(ctx context.Context, in *struct {
			InWorkspace
			Body struct {
				Slug string `json:"slug" minLength:"1" maxLength:"64" example:"late-delivery" doc:"Names the SOP, and never changes: lower-case letters, digits and hyphens."`
				SOPFields
				VersionNote
			}
		}) (*versioned[sopJSON], error) {
			made, err := s.Playbook.CreateSOP(ctx, by(ctx).Principal, in.Body.sop(in.Body.Slug), in.Body.Note)
			return &versioned[sopJSON]{etag(made.Version), toSOP(made)}, err
		})
	register(a, operation{id: "getSop", method: http.MethodGet, path: path + "/{sop}", tag: playbookTag,
		needs: auth.Read, summary: "Get an SOP", about: "Its newest version."},
		func(ctx context.Context, in *OneSOP) (*versioned[sopJSON], error) {
			found, err := s.Playbook.SOP(ctx, by(ctx).Principal, in.SOP)
			return &versioned[sopJSON]{etag(found.Version), toSOP(found)}, err
		})
	register(a, operation{id: "changeSop", method: http.MethodPut, path: path + "/{sop}", tag: playbookTag,
		needs: auth.ManagePurchasing, summary: "Change an SOP", about: "Adds a version with all fields as they are sent."},
		func(ctx context.Context, in *struct {
			OneSOP
			Conditional
			Body struct {
				SOPFields
				VersionNote
			}
		}) (*versioned[sopJSON], error) {
			version, err := in.version()
			if err != nil {
				return nil, err
			}
			changed, err := s.Playbook.ChangeSOP(ctx, by(ctx).Principal, in.SOP, version, in.Body.sop(""), in.Body.Note)
			return &versioned[sopJSON]{etag(changed.Version), toSOP(changed)}, err
		})
	register(a, operation{id: "listSopVersions", method: http.MethodGet, path: path + "/{sop}/versions", tag: playbookTag,
		needs: auth.Read, summary: "List versions of an SOP", about: "The newest first."},
		func(ctx context.Context, in *struct {
			OneSOP
			InVersions
		}) (*body[list[sopJSON]], error) {
			before, err := in.before()
			if err != nil {
				return nil, err
			}
			found, more, err := s.Playbook.SOPVersions(ctx, by(ctx).Principal, in.SOP, before)
			return versionPage(toSOPs(found), more, func(one sopJSON) int64 { return one.Version }), err
		})
}

func (f StrategyFields) strategy() playbook.Strategy {
	return playbook.Strategy{
		Title: f.Title, Scope: playbook.Scope(f.Scope), Target: f.Target, Body: f.Body,
		Parameters: playbook.Values(f.Parameters), Status: playbook.Status(f.Status), EffectiveFrom: f.EffectiveFrom,
		EffectiveUntil: f.EffectiveUntil,
	}
}

func (f SOPFields) sop(slug string) playbook.SOP {
	return playbook.SOP{
		Slug: slug, Title: f.Title, Trigger: f.Trigger, Body: f.Body, OwnerRole: auth.Role(f.OwnerRole),
		Status: playbook.Status(f.Status), ReviewDate: f.ReviewDate,
	}
}

func toStrategy(d playbook.Document[playbook.Strategy]) strategyJSON {
	c := d.Content
	return strategyJSON{d.ID, toMeta(d.Meta), StrategyFields{
		Title: c.Title, Scope: string(c.Scope), Target: c.Target, Body: c.Body, Parameters: parametersJSON(c.Parameters),
		Status: string(c.Status), EffectiveFrom: c.EffectiveFrom, EffectiveUntil: c.EffectiveUntil,
	}, d.InForce}
}

func toStrategies(found []playbook.Document[playbook.Strategy]) (items []strategyJSON) {
	for _, one := range found {
		items = append(items, toStrategy(one))
	}
	return items
}

func toSOP(d playbook.Document[playbook.SOP]) sopJSON {
	c := d.Content
	return sopJSON{d.ID, c.Slug, toMeta(d.Meta), SOPFields{
		Title: c.Title, Trigger: c.Trigger, Body: c.Body, OwnerRole: string(c.OwnerRole), Status: string(c.Status),
		ReviewDate: c.ReviewDate,
	}, d.InForce}
}

func toSOPs(found []playbook.Document[playbook.SOP]) (items []sopJSON) {
	for _, one := range found {
		items = append(items, toSOP(one))
	}
	return items
}
