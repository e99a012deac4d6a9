package failed

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/mend"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/written"
)

const (
	// Payloads are read in parts, and only the newest of a large group.
	valuesAtOnce, mostValued = 200, 5000
	// mostValuedBytes bounds the payloads that are read, whatever their number.
	mostValuedBytes = 32 << 20
	// mostValues is how many values are listed, the most frequent first.
	mostValues = 100
	// longestListed is the length, as JSON, of the longest value that is listed.
	longestListed = 200
)

// Values are the values of a field in the payloads of open failures.
type Values struct {
	Looked   int64 // payloads that were read: all, or the newest
	Matching int64
	Missing  int64 // payloads without the field
	Other    int64 // payloads whose value is not listed: too long, or not among the most frequent
	Items    []Value
	Readings []Reading
}

// Value is one value and how often it occurs.
type Value struct {
	JSON  json.RawMessage
	Count int64
}

// Reading says what would come of the texts if they were written in a form.
type Reading struct {
	Do    mend.Kind // number or date
	Form  written.Form
	Count int64 // payloads whose text can be read so
	Items []Read
}

// Read is a listed value and what it is in a form.
type Read struct{ From, To json.RawMessage }

// Values counts the values of a field in open failures, so that each can be given its meaning.
func (s *Service) Values(ctx context.Context, by auth.Principal, filter Filter, field string) (found Values, err error) {
	if err := by.Require(auth.RetryFailures); err != nil {
		return found, err
	}
	if err := mend.CheckField(field); err != nil {
		return found, err
	}
	tally := valueTally{counts: map[string]int64{}}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		counted, err := queries.CountBulkRetry(ctx,
			q.CountBulkRetryParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Filter: filter.json()})
		if err != nil {
			return err
		}
		found.Matching = counted.Failures
		before, bytes := uuid.Max, 0
		for tally.looked < mostValued && bytes < mostValuedBytes {
			rows, err := queries.ListFailedPayloads(ctx, q.ListFailedPayloadsParams{TenantID: by.Tenant,
				WorkspaceID: by.Workspace, Before: before, Status: string(Open), Filter: filter.json(), Most: valuesAtOnce})
			if err != nil {
				return err
			}
			for _, row := range rows {
				tally.add(row.Payload, field)
				before, bytes = row.ID, bytes+len(row.Payload)
			}
			if len(rows) < valuesAtOnce {
				break
			}
		}
		return nil
	})
	found.Looked, found.Missing = tally.looked, tally.missing
	found.Items, found.Other = tally.items()
	found.Readings = readings(found.Items)
	return found, err
}

// valueTally counts values by their JSON.
type valueTally struct {
	counts                  map[string]int64
	looked, missing, others int64
}

func (t *valueTally) add(payload []byte, field string) {
	t.looked++
	all, err := mend.Members(payload)
	at := mend.Find(all, field)
	if err != nil || at < 0 {
		t.missing++
		return
	}
	value := all[at].Value
	if value.Compact() != nil || len(value) > longestListed {
		t.others++
		return
	}
	if value.Kind() == jsontext.KindString { // in one spelling: "A" is "\u0041"
		if text, err := jsontext.AppendUnquote(nil, value); err == nil {
			value, _ = jsontext.AppendQuote(nil, text)
		}
	}
	t.counts[string(value)]++
}

// items returns the values by their counts, and how many payloads have others.
func (t *valueTally) items() (items []Value, others int64) {
	for value, count := range t.counts {
		items = append(items, Value{json.RawMessage(value), count})
	}
	slices.SortFunc(items, func(a, b Value) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(string(a.JSON), string(b.JSON)))
	})
	others = t.others
	if len(items) > mostValues {
		for _, item := range items[mostValues:] {
			others += item.Count
		}
		items = items[:mostValues]
	}
	return items, others
}

// readings returns the forms in which some of the values can be read.
func readings(items []Value) (found []Reading) {
	try := func(do mend.Kind, form written.Form) {
		reading := Reading{Do: do, Form: form}
		for _, item := range items {
			if read := (mend.Fix{Do: do, Form: form}).Read(jsontext.Value(item.JSON)); read != nil {
				reading.Count += item.Count
				reading.Items = append(reading.Items, Read{item.JSON, json.RawMessage(read)})
			}
		}
		if reading.Count > 0 {
			found = append(found, reading)
		}
	}
	for _, form := range written.Numbers {
		try(mend.ReadNumber, form)
	}
	for _, form := range written.Days {
		try(mend.ReadDay, form)
	}
	return found
}
