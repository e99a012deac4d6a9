// Package purchase implements what people and agents do with purchase order lines: draft,
// submit, approve, receive, close and cancel them.
//
// The table in table.go says what people and agents may do. External systems write the same
// rows through ingest without these rules. A line is always read and changed under its row
// lock, so that no writer loses what another wrote. Every change writes an audit row and an
// event in its own transaction, and quantity_received is always the sum of the receipts.
package purchase

import (
	"crypto/sha256"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// Service works on purchase order lines.
type Service struct {
	cells *pg.Cells
}

// New returns the service.
func New(cells *pg.Cells) *Service { return &Service{cells: cells} }

// slug is the table's name in the registry and in events.
const slug = "purchase_order_lines"

// Line is one article on one supplier order.
type Line struct {
	ID                string
	ExternalID        string
	OrderNo           string
	SKU               string
	Status            Status
	QuantityOrdered   decimal.Decimal
	QuantityReceived  decimal.Decimal
	ExpectedArrival   *time.Time // a date
	Price             *decimal.Decimal
	Currency          *string
	Note              *string
	SupplierID        *string
	ProductID         *string
	OrderedAt         *time.Time
	ReceivedAt        *time.Time
	ProductName       *string
	SupplierName      *string
	RecommendationKey *string
	CreatedBy         Origin
	ApprovedBy        *uuid.UUID
	ApprovedAt        *time.Time
	SelfApproved      bool
	OrderedOutside    *auth.Actor // the key or sync of the external system that ordered it; no type if it is no longer known
	Version           int64
	CreatedAt         time.Time
	UpdatedAt         time.Time
	Flags             []Flag
	Actions           []Action // what the caller may try
}

// Origin is who made a line. The type is empty if it came from an external system.
type Origin struct {
	Type  string // user, agent
	User  *uuid.UUID
	Agent *uuid.UUID
	Run   *string
}

// Open returns the quantity that is still to come. It is computed, never stored, and never
// negative.
func (l Line) Open() decimal.Decimal {
	if l.Status == Received || l.Status == Cancelled || l.QuantityReceived.GreaterThan(l.QuantityOrdered) {
		return decimal.Zero
	}
	return l.QuantityOrdered.Sub(l.QuantityReceived)
}

// FlagKind says why somebody should look at a line.
type FlagKind string

// The flags.
const (
	StatusJump FlagKind = "status_jump"    // an external system made a transition that people may not
	OverCount  FlagKind = "over_received"  // more arrived than the rules tolerate
	Changed    FlagKind = "changed"        // its amount differs from what was submitted or approved
	Unresolved FlagKind = "unresolved"     // no article, or more than one, has its SKU
	ShortCount FlagKind = "closed_short"   // an external system took receipts back but keeps the status received
	AboveDeal  FlagKind = "above_approval" // an external system changed it beyond its approval after something had arrived
	BelowFloor FlagKind = "below_receipts" // an external system said that less arrived than people have booked
)

// Flag is a reason to review a line.
type Flag struct {
	ID       string // empty: it goes when its reason does
	Kind     FlagKind
	From, To Status           // of a status jump
	Claimed  *decimal.Decimal // the quantity received that was said, of BelowFloor
	At       *time.Time
}

// row is a line with its approval.
type row struct {
	q.WorkspacePurchaseOrderLine
	approval approval
}

// approval is what the app stores about a line's approval, beside the line.
type approval struct{ q.WorkspaceLineApproval }

// seal stores the line's values as the approved ones.
func (a *approval) seal(r row) {
	a.ApprovedQuantity, a.ApprovedPrice, a.ApprovedCurrency = &r.QuantityOrdered, r.PricePerUnit, r.Currency
	a.ApprovedSku, a.ApprovedProductID, a.ApprovedSupplierID, a.ApprovedOrderNo = &r.Sku, r.ProductID, r.SupplierID,
		&r.OrderNo
}

// moneyHash hashes the values that an approval covers.
func (r row) moneyHash() []byte {
	price := "-"
	if r.PricePerUnit != nil {
		price = r.PricePerUnit.String()
	}
	text, _ := json.Marshal([]any{r.Sku, r.ProductID, r.SupplierID, r.QuantityOrdered.String(), price,
		r.Currency}) // these values always marshal
	hash := sha256.Sum256(text)
	return hash[:]
}

// changed reports whether the amount differs from what was submitted or approved.
func (r row) changed() bool {
	return r.approval.MoneyHash != nil && string(r.approval.MoneyHash) != string(r.moneyHash())
}

// line returns the line as callers see it, without OrderedOutside and Actions.
func (r row) line(rules Rules, jumps []q.ListUnseenFlagsRow) Line {
	l := Line{
		ID: r.ID, ExternalID: r.ExternalID, OrderNo: r.OrderNo, SKU: r.Sku, Status: Status(r.Status),
		QuantityOrdered: r.QuantityOrdered, QuantityReceived: r.QuantityReceived,
		Price: r.PricePerUnit, Currency: r.Currency, Note: r.Note, SupplierID: r.SupplierID, ProductID: r.ProductID,
		OrderedAt: r.OrderedAt, ReceivedAt: r.ReceivedAt, ProductName: r.ProductName, SupplierName: r.SupplierName,
		RecommendationKey: r.RecommendationKey,
		CreatedBy:         Origin{User: r.CreatedByUserID, Agent: r.CreatedByAgentID, Run: r.CreatedByRunID},
		ApprovedBy:        r.ApprovedBy, ApprovedAt: r.ApprovedAt, SelfApproved: r.approval.SelfApproved,
		Version: r.Version, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
	if r.CreatedByType != nil {
		l.CreatedBy.Type = *r.CreatedByType
	}
	if r.ExpectedArrivalDate.Valid {
		l.ExpectedArrival = &r.ExpectedArrivalDate.Time
	}
	above := false
	for _, jump := range jumps {
		if jump.LineID == r.ID {
			kind := StatusJump
			switch {
			case jump.Above:
				kind, above = AboveDeal, true
			case jump.Claimed != nil:
				kind = BelowFloor
			case jump.FromStatus == jump.ToStatus:
				kind = ShortCount
			}
			l.Flags = append(l.Flags, Flag{jump.ID, kind, Status(jump.FromStatus), Status(jump.ToStatus), jump.Claimed, &jump.CreatedAt})
		}
	}
	if rules.overReceived(r.QuantityOrdered, r.QuantityReceived) {
		l.Flags = append(l.Flags, Flag{Kind: OverCount})
	}
	if l.Status != Draft && l.Status != Cancelled && r.changed() && !above {
		l.Flags = append(l.Flags, Flag{Kind: Changed})
	}
	if r.ProductName == nil {
		l.Flags = append(l.Flags, Flag{Kind: Unresolved})
	}
	return l
}

func date(t *time.Time) pgtype.Date {
	if t == nil {
		return pgtype.Date{}
	}
	return pgtype.Date{Time: *t, Valid: true}
}
