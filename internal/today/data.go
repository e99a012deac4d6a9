package today

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/plausible"
	"github.com/quayside/quayside/internal/playbook"
	"github.com/quayside/quayside/internal/purchase"
)

const (
	// mostRefused is where the count of open failed imports stops.
	mostRefused = 10_000
	// mostRead is how many refused orders are read, and mostReadBytes the size of one.
	mostRead, mostReadBytes = 1000, 16 << 10
)

// Data says what is wrong with the data that the figures follow from.
type Data struct {
	Refused    int64 // open failed imports
	RefusedCut bool  // there are more
	// Of the refused: orders of which nothing is stored and whose total can be read.
	Orders    int64
	Worth     []purchase.Amount
	LeftOut   int64 // of the orders, those that are in no amount, because their total cannot be true
	OrdersCut bool  // there may be more
	// StockAt is when the last record of an article came, if that is longer ago than the playbook
	// lets stock be old.
	StockAt *time.Time
}

func readData(ctx context.Context, queries *q.Queries, by auth.Principal, figures []q.ListSourceFiguresRow, now time.Time) (
	*Data, error) {
	refused, err := queries.CountOpenImports(ctx,
		q.CountOpenImportsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Most: mostRefused + 1})
	if err != nil {
		return nil, err
	}
	d := &Data{Refused: min(refused, mostRefused), RefusedCut: refused > mostRefused}
	orders, err := queries.ListMissingOrders(ctx,
		q.ListMissingOrdersParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Most: mostRead, MostBytes: mostReadBytes})
	if err != nil {
		return nil, err
	}
	d.OrdersCut = len(orders) > 0 && refused > mostRead
	for _, payload := range latest(orders) {
		if currency, total, ok := totalOf(payload); ok {
			d.Orders++
			if !plausible.Amount(total) {
				d.LeftOut++
				continue
			}
			d.Worth = add(d.Worth, currency, total)
		}
	}
	settings, err := playbook.Current(ctx, queries, by.Tenant, by.Workspace)
	old := now.Add(-time.Duration(settings.Config.StockStaleHours) * time.Hour)
	for _, source := range figures {
		if source.Slug == "products" && source.LastRecordAt != nil && source.LastRecordAt.Before(old) {
			d.StockAt = source.LastRecordAt
		}
	}
	return d, err
}

// latest returns one payload of each order: what was sent last. An order without a key is one of
// its own.
func latest(orders []q.ListMissingOrdersRow) map[string][]byte {
	slices.SortFunc(orders, func(a, b q.ListMissingOrdersRow) int { return a.LastSeenAt.Compare(b.LastSeenAt) })
	payloads := map[string][]byte{}
	for _, order := range orders {
		key := "key " + order.RecordKey
		if order.RecordKey == "" {
			key = "id " + order.ID.String()
		}
		payloads[key] = order.Payload
	}
	return payloads
}

// totalOf reads what an order is worth. What is no plain number is not guessed.
func totalOf(payload []byte) (currency string, total decimal.Decimal, ok bool) {
	var order struct {
		Total    any `json:"total"`
		Currency any `json:"currency"`
	}
	decoder := json.NewDecoder(bytes.NewReader(payload))
	decoder.UseNumber()
	if decoder.Decode(&order) != nil {
		return "", total, false
	}
	currency, _ = order.Currency.(string)
	currency = strings.ToUpper(strings.TrimSpace(currency))
	if len(currency) != 3 {
		currency = ""
	}
	text := ""
	switch value := order.Total.(type) {
	case json.Number:
		text = value.String()
	case string:
		text = strings.TrimSpace(value)
	}
	if len(text) > mostDigits || strings.ContainsAny(text, "eE") {
		return currency, total, false
	}
	total, err := decimal.NewFromString(text)
	return currency, total, err == nil
}

// mostDigits is how long the text of a total may be. It has no exponent either, which would make a
// huge number of a short text.
const mostDigits = 30

// add adds an amount to the sum of its currency.
func add(sums []purchase.Amount, currency string, amount decimal.Decimal) []purchase.Amount {
	at, found := slices.BinarySearchFunc(sums, currency,
		func(sum purchase.Amount, currency string) int { return strings.Compare(sum.Currency, currency) })
	if !found {
		sums = slices.Insert(sums, at, purchase.Amount{Currency: currency})
	}
	sums[at].Amount = sums[at].Amount.Add(amount)
	return sums
}
