package account

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// Reach is which of the installation's own networks the connections of a company may reach.
type Reach struct {
	Narrowed bool           // false: all that QUAYSIDE_OUTBOUND_ALLOW lists
	Networks []netip.Prefix // those that both this and QUAYSIDE_OUTBOUND_ALLOW contain; none: only public addresses
}

// mostNetworks bounds a company's list.
const mostNetworks = 100

func toReach(stored []netip.Prefix) Reach { return Reach{Narrowed: stored != nil, Networks: stored} }

// stored returns the list as it is stored, where nil means everything.
func (r Reach) stored() []netip.Prefix {
	if !r.Narrowed {
		return nil
	}
	return append([]netip.Prefix{}, r.Networks...)
}

// Texts returns the networks as text. It is nil if the company is not narrowed.
func (r Reach) Texts() []string {
	if !r.Narrowed {
		return nil
	}
	texts := make([]string, 0, len(r.Networks))
	for _, network := range r.Networks {
		texts = append(texts, network.String())
	}
	return texts
}

// SetReach narrows what the connections of a company may reach, from their next call on, on every instance. It never widens
// what the installation allows.
func (s *Service) SetReach(ctx context.Context, tenant uuid.UUID, reach Reach) error {
	if len(reach.Networks) > mostNetworks {
		return fault.InField("outbound_allow", "outbound_allow", "list at most %d networks", mostNetworks)
	}
	for i, network := range reach.Networks {
		if reach.Networks[i] = network.Masked(); !network.IsValid() {
			return fault.InField("outbound_allow", "outbound_allow", "a network looks like 10.1.0.0/16")
		}
	}
	slices.SortFunc(reach.Networks, func(a, b netip.Prefix) int { return a.Compare(b) })
	reach.Networks = slices.Compact(reach.Networks)
	err := s.cells.InControl(ctx, tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		before, err := queries.LockOutboundAllow(ctx, tenant)
		if err != nil {
			return err
		}
		if err := queries.SetOutboundAllow(ctx, q.SetOutboundAllowParams{ID: tenant, OutboundAllow: reach.stored()}); err != nil {
			return fmt.Errorf("store the networks: %w", err)
		}
		return audit.Record(ctx, tx, auth.Operator(tenant), "company.outbound_changed", tenant.String(),
			audit.Data{"name": before.Name, "from": toReach(before.OutboundAllow).Texts(), "to": reach.Texts()})
	})
	if fault.Is(err, fault.NotFound) {
		return unknownTenant(tenant)
	}
	return err
}
