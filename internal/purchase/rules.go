package purchase

import (
	"context"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/playbook"
)

// Rules are a workspace's purchasing rules. They are part of its playbook's config.
type Rules struct {
	FourEyes     bool            // nobody approves a line that they made or whose amount they changed
	AgentsSubmit bool            // agents may ask for approval
	OverReceipt  decimal.Decimal // percent that may arrive beyond the order without confirmation
	Reapproval   decimal.Decimal // percent by which price or quantity may rise after approval
	Version      int64
}

var hundred = decimal.NewFromInt(100)

// overReceived reports whether more arrived than the rules allow without confirmation.
func (r Rules) overReceived(ordered, received decimal.Decimal) bool {
	return received.GreaterThan(raised(ordered, r.OverReceipt))
}

// raised returns n raised by a percentage.
func raised(n, percent decimal.Decimal) decimal.Decimal {
	return n.Mul(hundred.Add(percent)).Div(hundred)
}

// data returns the rules for the audit.
func (r Rules) data() audit.Data {
	return audit.Data{
		"four_eyes": r.FourEyes, "agents_submit": r.AgentsSubmit, "over_receipt_percent": r.OverReceipt,
		"reapproval_percent": r.Reapproval,
	}
}

// readRules reads the rules from the config that is in force. Their version is the config's newest.
func readRules(ctx context.Context, queries *q.Queries, by auth.Principal) (Rules, error) {
	settings, err := playbook.Current(ctx, queries, by.Tenant, by.Workspace)
	return Rules{
		FourEyes: settings.Config.RequireFourEyes, AgentsSubmit: settings.Config.AgentCanSubmit,
		OverReceipt: settings.Config.OverReceiptPct, Reapproval: settings.Config.ReapprovalPct, Version: settings.Version,
	}, err
}

// values returns the rules as values of the config.
func (r Rules) values() playbook.Values {
	return playbook.Values{
		"require_four_eyes": jsontext.Value(strconv.FormatBool(r.FourEyes)),
		"agent_can_submit":  jsontext.Value(strconv.FormatBool(r.AgentsSubmit)),
		"over_receipt_pct":  jsontext.Value(r.OverReceipt.String()),
		"reapproval_pct":    jsontext.Value(r.Reapproval.String()),
	}
}

// Rules returns the workspace's rules.
func (s *Service) Rules(ctx context.Context, by auth.Principal) (rules Rules, err error) {
	if err := by.Require(auth.Read); err != nil {
		return Rules{}, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) (err error) {
		rules, err = readRules(ctx, q.New(tx), by)
		return err
	})
	return rules, err
}

var mostPercent = decimal.NewFromInt(1000)

// SetRules replaces the rules, as a new version of the config, if its newest version is still the one
// that the caller saw.
func (s *Service) SetRules(ctx context.Context, by auth.Principal, rules Rules) (Rules, error) {
	if err := by.Require(auth.ManagePurchasing); err != nil {
		return Rules{}, err
	}
	for name, percent := range map[string]decimal.Decimal{"over_receipt_percent": rules.OverReceipt,
		"reapproval_percent": rules.Reapproval} {
		if percent.IsNegative() || percent.GreaterThan(mostPercent) {
			return Rules{}, fault.InField(name, "range", "give a percentage between 0 and %s", mostPercent)
		}
	}
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		before, err := readRules(ctx, q.New(tx), by)
		if err != nil {
			return err
		}
		// Change refuses if the version is not the newest, so the rules read before are the ones replaced.
		_, _, err = playbook.Change(ctx, tx, by, playbook.ConfigChange{Values: rules.values(), Version: rules.Version})
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, by, "purchasing_rules.changed", by.Workspace.String(),
			audit.Data{"from": before.data(), "to": rules.data()})
	})
	if err != nil {
		return Rules{}, err
	}
	return s.Rules(ctx, by)
}

// Limit is the largest order total that a person may approve.
type Limit struct {
	Person   uuid.UUID
	Amount   decimal.Decimal
	Currency string
}

// Limits lists the people who have a limit.
func (s *Service) Limits(ctx context.Context, by auth.Principal) (limits []Limit, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListApprovalLimits(ctx,
			q.ListApprovalLimitsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace})
		for _, row := range rows {
			limits = append(limits, Limit{row.UserID, row.Amount, row.Currency})
		}
		return err
	})
	return limits, err
}

// SetLimit sets a person's limit. An empty amount removes it.
func (s *Service) SetLimit(ctx context.Context, by auth.Principal, person uuid.UUID, amount, currency string) error {
	if err := by.Require(auth.ManagePurchasing); err != nil {
		return err
	}
	var after *Limit
	if amount != "" {
		limit, err := number("amount", amount)
		if err != nil {
			return err
		}
		code, err := currencyCode(currency)
		if err != nil {
			return err
		}
		after = &Limit{person, limit, code}
	}
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		before, err := replaceLimit(ctx, queries, by, person, after)
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, by, "approval_limit.changed", person.String(),
			audit.Data{"from": before.data(), "to": after.data()})
	})
}

// replaceLimit stores or removes a limit, and returns the previous one. Changes of one
// person's limit wait for each other, so that each sees what it replaces.
func replaceLimit(ctx context.Context, queries *q.Queries, by auth.Principal, person uuid.UUID, after *Limit) (
	before *Limit, err error) {
	if err := queries.LockApprovalLimit(ctx, by.Workspace.String()+person.String()); err != nil {
		return nil, err
	}
	found, err := queries.GetApprovalLimit(ctx,
		q.GetApprovalLimitParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, UserID: person})
	switch {
	case err == nil:
		before = &Limit{person, found.Amount, found.Currency}
	case !missing(err):
		return nil, err
	}
	if after == nil {
		return before, queries.DropApprovalLimit(ctx,
			q.DropApprovalLimitParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, UserID: person})
	}
	return before, queries.PutApprovalLimit(ctx, q.PutApprovalLimitParams{
		TenantID: by.Tenant, WorkspaceID: by.Workspace, UserID: person, Amount: after.Amount, Currency: after.Currency,
	})
}

// data returns a limit for the audit. No limit is null.
func (l *Limit) data() audit.Data {
	if l == nil {
		return nil
	}
	return audit.Data{"amount": l.Amount, "currency": l.Currency}
}
