package procure

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/pg/q"
)

// unlearntSpread is the standard deviation of a lead time that was told, as a share of it.
const unlearntSpread = 0.2

// learnt is a lead time that was learnt from deliveries, if there were enough.
type learnt struct {
	demand.LeadTime
	enough bool
}

// readLeads learns how long deliveries of the articles and of their suppliers take.
func (c *computation) readLeads(ctx context.Context, articles []known) error {
	own, err := c.ownDeliveries(ctx, articles)
	if err != nil {
		return err
	}
	if err := c.supplierDeliveries(ctx, articles); err != nil {
		return err
	}
	for i := range articles {
		lead, enough := demand.LearnLeadTime(own[articles[i].ID], c.asOf)
		articles[i].learnt = learnt{lead, enough}
	}
	return nil
}

// chooseLead returns the product's own lead time; else what was learnt from deliveries of the
// article, then of the supplier; else the supplier's; else the default.
func chooseLead(product *decimal.Decimal, article, supplier learnt, told *decimal.Decimal, standard int) Lead {
	switch {
	case product != nil:
		return toldLead(amount(product), LeadOfProduct)
	case article.enough:
		return learntLead(article.LeadTime, LeadOfArticle)
	case supplier.enough:
		return learntLead(supplier.LeadTime, LeadLearnt)
	case told != nil:
		return toldLead(amount(told), LeadOfSupplier)
	}
	return toldLead(float64(standard), LeadOfConfig)
}

// longestLead is the longest lead time that is planned with.
const longestLead = 365

func toldLead(days float64, source LeadSource) Lead {
	days = min(days, longestLead)
	return Lead{Days: wholeDays(days), Sigma: unlearntSpread * days, Source: source}
}

func learntLead(l demand.LeadTime, source LeadSource) Lead {
	return Lead{Days: wholeDays(l.Days), Sigma: l.Sigma, Source: source, Deliveries: l.Deliveries,
		Slow: l.Days + l.Sigma*slowCaseZ}
}

// slowCaseZ is the normal quantile of the slow case, by which the spread was learnt.
const slowCaseZ = 1.036

func wholeDays(days float64) int { return int(math.Ceil(days - epsilonDays)) }

// epsilonDays is what remains of nothing after a median was interpolated.
const epsilonDays = 1e-9

// ownDeliveries reads the deliveries of each article by its supplier.
func (c *computation) ownDeliveries(ctx context.Context, articles []known) (map[string][]demand.Delivery, error) {
	of := q.ReadQueueDeliveriesParams{TenantID: c.at.tenant, WorkspaceID: c.at.workspace, TimeZone: c.settings.TimeZone,
		Since: learntSince(c.asOf)}
	for i := range articles {
		if k := &articles[i]; k.SupplierID != nil {
			of.Products = append(of.Products, k.ID)
			of.Skus = append(of.Skus, text(k.Sku))
			of.Suppliers = append(of.Suppliers, *k.SupplierID)
		}
	}
	rows, err := c.queries.ReadQueueDeliveries(ctx, of)
	deliveries := map[string][]demand.Delivery{}
	for _, r := range rows {
		deliveries[r.ProductID] = append(deliveries[r.ProductID], newDelivery(r.OrderedOn, r.ArrivedOn))
	}
	return deliveries, err
}

// supplierDeliveries learns the lead times of the articles' suppliers that are not known yet.
func (c *computation) supplierDeliveries(ctx context.Context, articles []known) error {
	wanted := map[string]bool{}
	for i := range articles {
		if supplier := articles[i].SupplierID; supplier != nil {
			_, known := c.leads[*supplier]
			wanted[*supplier] = wanted[*supplier] || !known
		}
	}
	maps.DeleteFunc(wanted, func(_ string, asked bool) bool { return !asked })
	suppliers := slices.Sorted(maps.Keys(wanted))
	leads, err := learnSuppliers(ctx, c.queries, c.at, c.settings.TimeZone, c.asOf, suppliers)
	if err != nil {
		return err
	}
	for _, supplier := range suppliers {
		c.leads[supplier] = leads[supplier]
	}
	return nil
}

// LearntLead returns the lead time that was learnt from a supplier's deliveries, and false if they were
// too few. The queue plans with it.
func LearntLead(ctx context.Context, queries *q.Queries, by auth.Principal, supplier string, today time.Time) (
	demand.LeadTime, bool, error) {
	leads, err := learnSuppliers(ctx, queries, place{by.Tenant, by.Workspace}, by.Zone.String(), demand.DayOf(today),
		[]string{supplier})
	return leads[supplier].LeadTime, leads[supplier].enough, err
}

// learnSuppliers learns lead times from the latest deliveries of suppliers.
func learnSuppliers(ctx context.Context, queries *q.Queries, at place, zone string, asOf demand.Day, suppliers []string) (
	map[string]learnt, error) {
	rows, err := queries.ReadSupplierDeliveries(ctx, q.ReadSupplierDeliveriesParams{
		TenantID: at.tenant, WorkspaceID: at.workspace, Suppliers: suppliers, TimeZone: zone,
		Since: learntSince(asOf), Most: mostDeliveries,
	})
	deliveries := map[string][]demand.Delivery{}
	for _, r := range rows {
		deliveries[r.SupplierID] = append(deliveries[r.SupplierID], newDelivery(r.OrderedOn, r.ArrivedOn))
	}
	leads := map[string]learnt{}
	for supplier, made := range deliveries {
		lead, enough := demand.LearnLeadTime(made, asOf)
		leads[supplier] = learnt{lead, enough}
	}
	return leads, err
}

func newDelivery(ordered, arrived pgtype.Date) demand.Delivery {
	return demand.Delivery{Ordered: dayOf(ordered), Arrived: dayOf(arrived)}
}
