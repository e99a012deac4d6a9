package procure

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/freshness"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/playbook"
	"github.com/quayside/quayside/internal/purchase"
)

// decide reads what the agent may know, at one point in time, and stores it with what follows.
func (s *Service) decide(ctx context.Context, tx pgx.Tx, of AgentJob) (in Inputs, err error) {
	if in, err = gather(ctx, q.New(tx), of, time.Now()); err != nil {
		return in, err
	}
	inputs, err := json.Marshal(in)
	if err != nil {
		return in, err
	}
	decisions, err := decisionRows(in.Decide())
	if err != nil {
		return in, err
	}
	queries := q.New(tx)
	err = queries.AddAgentDecisions(ctx, q.AddAgentDecisionsParams{TenantID: of.Tenant, RunID: of.Run, Decisions: decisions})
	if err != nil {
		return in, err
	}
	return in, queries.DecideAgentRun(ctx, q.DecideAgentRunParams{TenantID: of.Tenant, ID: of.Run, Inputs: inputs})
}

// gather reads the inputs of a run.
func gather(ctx context.Context, queries *q.Queries, of AgentJob, now time.Time) (in Inputs, err error) {
	state, err := queries.GetQueueFreshness(ctx,
		q.GetQueueFreshnessParams{TenantID: of.Tenant, WorkspaceID: of.Workspace, Now: now})
	if errors.Is(err, pgx.ErrNoRows) || err == nil && !state.Fresh {
		return in, errNotComputed
	}
	if err != nil {
		return in, err
	}
	// What waits for long may change any row.
	lag, err := freshness.Of(ctx, queries, of.Tenant, of.Workspace, now, freshness.Alarming)
	if err == nil && lag != nil {
		err = errNotComputed
	}
	if err != nil {
		return in, err
	}
	settings, err := playbook.Current(ctx, queries, of.Tenant, of.Workspace)
	if err != nil {
		return in, err
	}
	zone, err := time.LoadLocation(state.TimeZone)
	if err != nil {
		return in, err
	}
	in = Inputs{
		Day: state.AsOf.Time.Format(time.DateOnly), Zone: state.TimeZone, QueueComputedAt: state.ComputedAt,
		PlaybookRevision: state.PlaybookRevision, ConfigVersion: settings.InForce, CanSubmit: settings.Config.AgentCanSubmit,
		MostLines: settings.Config.AgentMaxLinesPerRun,
	}
	if in.Budget, err = purchase.LeftThisMonth(ctx, queries, of.Tenant, of.Workspace, now.In(zone)); err != nil {
		return in, err
	}
	rows, err := listWithin(ctx, queries, in.Budget, q.ListQueueParams{TenantID: of.Tenant, WorkspaceID: of.Workspace,
		Action: new(string(ActionOrder)), Most: mostCandidates})
	for _, row := range rows {
		in.Candidates = append(in.Candidates, newCandidate(row))
	}
	return in, err
}

func newCandidate(r Recommendation) Candidate {
	c := Candidate{Key: r.Key, Product: r.Product, SKU: r.SKU, Name: r.Name, Supplier: r.Supplier, SupplierName: r.SupplierName,
		Urgency: r.Urgency, Blocked: r.Blocked, Quantity: decimal.NewFromFloat(r.Suggested), Price: r.Price, Cost: r.Cost,
		Currency: r.Currency, LateBy: r.LateByDays}
	if r.EarliestArrival != nil {
		c.ArrivesOn = r.EarliestArrival.Format(time.DateOnly)
	}
	switch {
	case r.Lock != nil:
		c.LockedBy = r.Lock.OrderNo
	case r.PutOffUntil != nil:
		c.PutOffUntil = r.PutOffUntil.Format(time.DateOnly)
	default:
		c.Drafted = r.Drafted
	}
	return c
}

// decisionRows returns decisions as the table takes them.
func decisionRows(decisions []Decision) ([]byte, error) {
	type row struct {
		N            int              `json:"n"`
		Product      string           `json:"product_id"`
		Key          string           `json:"recommendation_key"`
		SKU          string           `json:"sku"`
		Name         string           `json:"name"`
		Supplier     string           `json:"supplier_id"`
		SupplierName string           `json:"supplier_name"`
		Quantity     decimal.Decimal  `json:"quantity"`
		Cost         *decimal.Decimal `json:"cost"`
		Currency     string           `json:"currency"`
		Rule         AgentRule        `json:"rule"`
		Sentence     string           `json:"sentence"`
	}
	rows := make([]row, 0, len(decisions))
	for i, d := range decisions {
		rows = append(rows, row{i + 1, d.Product, d.Key, d.SKU, d.Name, d.Supplier, d.SupplierName, d.Quantity, d.Cost, d.Currency,
			d.Rule, d.Sentence})
	}
	return json.Marshal(rows)
}
