package playbook

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// Principals who do not manage purchasing propose: they store drafts, and some of them change figures
// for planning. No token manages purchasing, whoever owns it, so the functions of this file decide what
// assistants and agents may do.

// mostProposals is how many documents of a kind may wait for people before a proposer is refused
// another one. Documents are never deleted, so proposals could use up mostDocuments otherwise.
const mostProposals = 50

// peopleOnly refuses what no token may do.
func peopleOnly(format string, args ...any) error {
	return fault.New(fault.Forbidden, "people_only", "only people %s; in the app under Playbook", fmt.Sprintf(format, args...))
}

// mayPut refuses a version of a document that the principal may not store. proposing means that the
// principal stores drafts only.
func mayPut(by auth.Principal, is about) (proposing bool, err error) {
	if by.Require(auth.ManagePurchasing) == nil {
		return false, nil
	}
	if err := by.Require(auth.ProposeDocuments); err != nil {
		return false, err
	}
	if is.status != Draft {
		return true, peopleOnly("set another status than draft")
	}
	return true, nil
}

// checkProposals refuses another proposal if too many wait for people.
func checkProposals(ctx context.Context, queries *q.Queries, by auth.Principal, kind string) error {
	count, err := queries.CountPlaybookProposals(ctx,
		q.CountPlaybookProposalsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Kind: kind})
	if err == nil && count >= mostProposals {
		return fault.New(fault.Conflict, "too_many",
			"%d drafts wait for people to activate or archive them; change one of these instead", count)
	}
	return err
}

// allowed refuses a change of the config that the principal may not make. planning means that the
// principal changes figures for planning only.
func (c ConfigChange) allowed(by auth.Principal) (planning bool, err error) {
	if by.Require(auth.ManagePurchasing) == nil {
		return false, nil
	}
	if err := by.Require(auth.PlanPurchasing); err != nil {
		return false, err
	}
	for _, name := range slices.Sorted(maps.Keys(c.Values)) {
		// An unknown key is refused where values are read.
		if key, known := keyNamed(name); known && (!key.Planning || key.Guards) {
			return true, peopleOnly("change %s", name)
		}
	}
	if c.EffectiveFrom != "" {
		return true, peopleOnly("plan a change for a later day")
	}
	return true, nil
}
