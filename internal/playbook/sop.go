package playbook

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// SOP is a standard operating procedure: who does what, and when.
type SOP struct {
	Slug       string    `json:"slug"` // names the SOP, and never changes
	Title      string    `json:"title"`
	Trigger    string    `json:"trigger"` // when it is followed
	Body       string    `json:"body"`    // Markdown
	OwnerRole  auth.Role `json:"owner_role"`
	Status     Status    `json:"status"`
	ReviewDate string    `json:"review_date,omitempty"` // when to look at it again; empty: never
}

const longestTrigger = 500

var sopSlug = regexp.MustCompile(`^[a-z][a-z0-9-]{0,63}$`)

// OwnerRoles returns the roles that an SOP may belong to.
func OwnerRoles() []auth.Role { return append(auth.Roles(), auth.Agent) }

func (s SOP) about() about {
	return about{kind: kindSOP, name: "SOP", slug: &s.Slug, title: strings.TrimSpace(s.Title), body: s.Body, status: s.Status}
}

func (s SOP) checked(context.Context, *q.Queries, auth.Principal) (any, error) {
	s.Title = strings.TrimSpace(s.Title)
	switch {
	case !sopSlug.MatchString(s.Slug):
		return nil, fault.InField("slug", "slug",
			"a slug has 1 to 64 lower-case letters, digits and hyphens, and starts with a letter")
	case !slices.Contains(OwnerRoles(), s.OwnerRole):
		return nil, fault.InField("owner_role", "unknown", "%q is not a role", fault.Shorten(string(s.OwnerRole)))
	}
	if err := checkText("trigger", s.Trigger, longestTrigger); err != nil {
		return nil, err
	}
	return s, checkDate("review_date", s.ReviewDate)
}

// SOPs returns the newest version of every SOP, by title.
func (s *Service) SOPs(ctx context.Context, by auth.Principal) ([]Document[SOP], error) {
	return list[SOP](ctx, s, by)
}

// SOP returns the newest version of an SOP, by its slug or its id.
func (s *Service) SOP(ctx context.Context, by auth.Principal, name string) (found Document[SOP], err error) {
	err = s.reading(ctx, by, func(queries *q.Queries) error {
		id, err := sopID(ctx, queries, by, name)
		if err != nil {
			return err
		}
		found, err = one[SOP](ctx, queries, by, id)
		return err
	})
	return found, err
}

// SOPVersions returns versions of an SOP before another (0: all), the newest first, and whether
// there are more.
func (s *Service) SOPVersions(ctx context.Context, by auth.Principal, name string, before int64) (
	versions []Document[SOP], more bool, err error) {
	err = s.reading(ctx, by, func(queries *q.Queries) error {
		id, err := sopID(ctx, queries, by, name)
		if err != nil {
			return err
		}
		versions, more, err = history[SOP](ctx, queries, by, id, before)
		return err
	})
	return versions, more, err
}

// CreateSOP stores a new SOP.
func (s *Service) CreateSOP(ctx context.Context, by auth.Principal, sop SOP, note string) (Document[SOP], error) {
	return put(ctx, s, by, change[SOP]{content: sop, note: note})
}

// ChangeSOP adds a version of an SOP if the newest is still the one that the caller saw. The SOP
// keeps its slug.
func (s *Service) ChangeSOP(ctx context.Context, by auth.Principal, name string, version int64, sop SOP, note string) (
	Document[SOP], error) {
	if _, err := mayPut(by, sop.about()); err != nil {
		return Document[SOP]{}, err
	}
	var newest Document[SOP]
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		id, err := sopID(ctx, queries, by, name)
		if err != nil {
			return err
		}
		newest, err = one[SOP](ctx, queries, by, id)
		return err
	})
	if err != nil {
		return Document[SOP]{}, err
	}
	if sop.Slug == "" {
		sop.Slug = newest.Content.Slug
	}
	return put(ctx, s, by, change[SOP]{newest.ID, version, sop, note})
}

// sopID returns the id of an SOP that a caller names by its slug or its id. No id is a slug: ids begin
// with a digit.
func sopID(ctx context.Context, queries *q.Queries, by auth.Principal, name string) (uuid.UUID, error) {
	unknown := fault.New(fault.NotFound, "not_found", "there is no such SOP")
	if !sopSlug.MatchString(name) {
		id, err := uuid.Parse(name)
		if err != nil {
			return uuid.Nil, unknown
		}
		return id, nil
	}
	id, err := queries.FindSOP(ctx, q.FindSOPParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Slug: name})
	if missing(err) {
		return uuid.Nil, unknown
	}
	return id, err
}
