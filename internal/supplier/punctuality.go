package supplier

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/subject"
)

const (
	// judgedDays is how long a delivery counts.
	judgedDays = 365
	// mostJudged limits how many deliveries of a supplier are looked at, the latest first.
	mostJudged = 1000
)

// Punctuality says how a supplier delivered in the last year. Lines without an expected day are
// not judged.
type Punctuality struct {
	Scope         string // article, or supplier: all of its articles
	Lines, OnTime int64
	DaysLate      float64 // mean of the late ones
	Leads         int64   // lines with a known lead time
	LeadDays      float64 // their median
}

// Judge returns how a supplier delivered: all articles, and one of them, unless its id is empty.
func Judge(ctx context.Context, r subject.Reading, supplier, product string, sku *string) (judged []Punctuality, err error) {
	rows, err := r.Queries.JudgeSupplier(ctx, q.JudgeSupplierParams{
		TenantID: r.By.Tenant, WorkspaceID: r.By.Workspace, ProductID: product, Sku: sku, SupplierID: supplier,
		Since: r.Today.AddDate(0, 0, -judgedDays), Most: mostJudged, TimeZone: r.By.Zone.String(),
		Today: pgtype.Date{Time: r.Today, Valid: true},
	})
	for _, row := range rows {
		judged = append(judged, Punctuality(row))
	}
	return judged, err
}

// Delivery is a line that was fully received.
type Delivery struct {
	Line
	Promised *time.Time // nil: no day was given
	Came     time.Time
}

// DaysLate returns by how many days it came late; below 0: early. Nil: nothing was promised.
func (d Delivery) DaysLate() *int {
	if d.Promised == nil {
		return nil
	}
	days := int(d.Came.Sub(*d.Promised).Hours() / 24)
	return &days
}
