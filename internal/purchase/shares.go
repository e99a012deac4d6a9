package purchase

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// OrderSupplier is a supplier of an order. Without an id it is known only by its name; without
// either it stands for the lines that name no supplier.
type OrderSupplier struct {
	ID    string `json:"id,omitempty"`
	Name  string `json:"name,omitempty"`
	Lines int64  `json:"lines"`
}

// OrderSuppliers returns the suppliers of an order's lines, except cancelled ones.
func (s *Service) OrderSuppliers(ctx context.Context, by auth.Principal, orderNo string) (
	suppliers []OrderSupplier, err error) {
	shares, err := s.shares(ctx, by, orderNo, time.Now())
	for _, one := range shares {
		suppliers = append(suppliers, one.OrderSupplier)
	}
	return suppliers, err
}

// share is a supplier's part of an order.
type share struct {
	OrderSupplier
	names        []string // lines without a supplier's id belong to it by one of these names
	unapproved   int64
	drafted      int64 // lines that were drafted here
	outside      int64 // lines that other systems ordered
	versions     int64 // the sum of its lines' versions
	firstOrdered time.Time
}

// shares reads how an order is shared among suppliers.
func (s *Service) shares(ctx context.Context, by auth.Principal, orderNo string, now time.Time) (
	shares []share, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		found, err := q.New(tx).ListOrderSuppliers(ctx, q.ListOrderSuppliersParams{
			TenantID: by.Tenant, WorkspaceID: by.Workspace, OrderNo: orderNo, Now: now,
		})
		if err == nil && len(found) == 0 {
			return fault.New(fault.NotFound, "unknown_order", "there is no purchase order with this number")
		}
		shares = toShares(found)
		return err
	})
	return shares, err
}

// toShares groups an order's lines by supplier. A line with only a name belongs to the
// supplier of that name, unless there are several. Shares are sorted by name; the lines
// without a supplier come last.
func toShares(found []q.ListOrderSuppliersRow) (shares []share) {
	found = slices.DeleteFunc(found, func(one q.ListOrderSuppliersRow) bool { return one.Lines == 0 })
	owners := map[string][]string{} // ids of suppliers by name
	for _, one := range found {
		if one.SupplierID != "" && one.SupplierName != "" {
			owners[one.SupplierName] = append(owners[one.SupplierName], one.SupplierID)
		}
	}
	places := map[OrderSupplier]int{}
	for _, one := range found {
		owner := OrderSupplier{ID: one.SupplierID}
		if one.SupplierID == "" {
			owner.Name = one.SupplierName
			if ids := owners[one.SupplierName]; len(ids) == 1 {
				owner = OrderSupplier{ID: ids[0]}
			}
		}
		at, known := places[owner]
		if !known {
			at = len(shares)
			places[owner] = at
			shares = append(shares, share{OrderSupplier: owner, firstOrdered: one.FirstOrderedAt})
		}
		shares[at].add(one)
	}
	slices.SortStableFunc(shares, func(a, b share) int {
		if a.none() != b.none() {
			return map[bool]int{true: 1, false: -1}[a.none()]
		}
		return strings.Compare(a.label(), b.label())
	})
	return shares
}

func (s *share) add(found q.ListOrderSuppliersRow) {
	s.Name = or(s.Name, found.SupplierName)
	s.Lines += found.Lines
	s.unapproved += found.Unapproved
	s.drafted += found.Drafted
	s.outside += found.Outside
	s.versions += found.Versions
	if found.FirstOrderedAt.Before(s.firstOrdered) {
		s.firstOrdered = found.FirstOrderedAt
	}
	if found.SupplierID == "" {
		s.names = append(s.names, found.SupplierName)
	}
}

// has reports whether a line belongs to the share.
func (s *share) has(line q.WorkspacePurchaseOrderLine) bool {
	if line.SupplierID != nil {
		return *line.SupplierID == s.ID
	}
	return slices.Contains(s.names, deref(line.SupplierName))
}

func (s *share) none() bool { return s.ID == "" && s.Name == "" }

func (s *share) label() string { return or(s.Name, s.ID) }

// outsiders returns how many lines other systems ordered, if people drafted others: an order that came from elsewhere as a whole
// surprises nobody.
func (s *share) outsiders() int64 {
	if s.drafted == 0 {
		return 0
	}
	return s.outside
}

// mostNamed is how many suppliers a refusal names.
const mostNamed = 10

// choose returns the share to print. An order with one supplier needs no choice; its lines
// without a supplier are printed with it.
func choose(shares []share, want Print) (share, error) {
	if len(shares) == 0 {
		return share{}, fault.New(fault.Conflict, "nothing_ordered",
			"every line of this order is cancelled, so there is nothing to print")
	}
	known := slices.DeleteFunc(slices.Clone(shares), func(one share) bool { return one.none() })
	switch {
	case want.WithoutSupplier || want.Supplier != "":
		return named(shares, want)
	case len(known) > 1:
		return share{}, severalSuppliers(shares, known)
	}
	whole := shares[0]
	for _, rest := range shares[1:] { // the lines without a supplier
		whole.Lines += rest.Lines
		whole.unapproved += rest.unapproved
		whole.drafted += rest.drafted
		whole.outside += rest.outside
		whole.versions += rest.versions
		whole.names = append(whole.names, rest.names...)
		if rest.firstOrdered.Before(whole.firstOrdered) {
			whole.firstOrdered = rest.firstOrdered
		}
	}
	return whole, nil
}

// named finds a share by the supplier's id or, failing that, by its name.
func named(shares []share, want Print) (share, error) {
	for _, is := range []func(share) bool{
		func(one share) bool { return want.WithoutSupplier && one.none() },
		func(one share) bool { return want.Supplier != "" && one.ID == want.Supplier },
		func(one share) bool { return want.Supplier != "" && one.ID == "" && one.Name == want.Supplier },
		func(one share) bool { return want.Supplier != "" && one.Name == want.Supplier },
	} {
		if at := slices.IndexFunc(shares, is); at >= 0 {
			return shares[at], nil
		}
	}
	return share{}, fault.New(fault.NotFound, "unknown_supplier", "no line of this order is for that supplier")
}

func severalSuppliers(shares, known []share) error {
	var names []string
	for _, one := range known[:min(len(known), mostNamed)] {
		names = append(names, fault.Shorten(one.label()))
	}
	if more := len(known) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	suppliers := []OrderSupplier{}
	for _, one := range shares[:min(len(shares), mostListed)] {
		suppliers = append(suppliers, one.OrderSupplier)
	}
	return fault.New(fault.Conflict, "several_suppliers",
		"this order goes to %d suppliers: %s; print it for one of them at a time",
		len(known), strings.Join(names, ", ")).With(suppliers)
}

// mostListed is how many suppliers the details of a refusal list.
const mostListed = 100
