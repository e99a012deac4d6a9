package purchase

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// series is a company's numbering of orders: the prefix, the least number of digits, and the
// next number.
type series struct {
	prefix string
	digits int
	next   int64
}

func (s series) String() string { return fmt.Sprintf("%s%0*d", s.prefix, s.digits, s.next) }

// ownSeries is used where the company has no series yet.
var ownSeries = series{"PO-", 1, 1001}

var numbered = regexp.MustCompile(`^(|.*\D)(\d{1,15})$`)

// seriesOf returns the series of at least half of these order numbers, the latest of which
// comes first.
func seriesOf(recent []string) series {
	found := map[string]series{}
	count := map[string]int{}
	best := ""
	for _, number := range recent {
		parts := numbered.FindStringSubmatch(number)
		if parts == nil {
			continue
		}
		prefix, digits := parts[1], parts[2]
		value, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			continue
		}
		s, known := found[prefix]
		switch {
		case !known:
			s = series{prefix, len(digits), value + 1}
		default:
			s.digits, s.next = min(s.digits, len(digits)), max(s.next, value+1)
		}
		found[prefix] = s
		if count[prefix]++; best == "" || count[prefix] > count[best] {
			best = prefix
		}
	}
	if s, known := found[best]; known && 2*count[best] >= len(recent) {
		return s
	}
	if s, known := found[ownSeries.prefix]; known {
		return s
	}
	return ownSeries
}

const (
	recentOrders = 200
	mostTries    = 10_000
)

// newOrder claims the next free order number of the company's series. If an external system
// sends an order with this number at the same moment, one of the two transactions waits for
// the other.
func (c *change) newOrder(ctx context.Context) (string, error) {
	recent, err := c.queries.ListRecentOrders(ctx,
		q.ListRecentOrdersParams{TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, Most: recentOrders})
	if err != nil {
		return "", err
	}
	next := seriesOf(recent)
	for range mostTries {
		order := next.String()
		claimed, err := c.queries.ClaimOrder(ctx,
			q.ClaimOrderParams{TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, OrderNo: order})
		if err != nil || claimed == 1 {
			return order, err
		}
		next.next++
	}
	return "", fault.New(fault.Conflict, "order_number",
		"the order numbers that follow %s are taken; say which number the order has", next)
}
