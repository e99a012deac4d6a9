package sending

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/purchase"
)

// particulars are the fields of a supplier's record that decide where an order goes, and what it says of paying. Each mail keeps
// them as they were.
type particulars map[string]string

// watched are the columns of particulars.
var watched = []string{"email", "address", "payment_terms_days"}

// Change is a field of a supplier's record that is not what it was at the last order to that supplier.
type Change struct {
	Field   string
	Was, Is string     // empty: none
	By      auth.Actor // who made the change; no type: nobody knows any more
	At      time.Time  // zero: nobody knows any more
}

// digestOf names changes: who has seen them sends it back. Without changes it is empty.
func digestOf(changes []Change) string {
	if len(changes) == 0 {
		return ""
	}
	var seen [][]string
	for _, change := range changes {
		seen = append(seen, []string{change.Field, change.Was, change.Is})
	}
	text, _ := json.Marshal(seen) // texts
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// refuseUnseen refuses a letter whose writer does not say that they saw what changed in the supplier's record.
func refuseUnseen(letter Letter, changes []Change) error {
	if letter.SeenChanges == digestOf(changes) || len(changes) == 0 {
		return nil
	}
	var fields []string
	for _, change := range changes {
		fields = append(fields, strings.ReplaceAll(change.Field, "_", " "))
	}
	return fault.New(fault.Conflict, "supplier_changed",
		"the supplier's record was changed since the last order (%s); look at the change, then send the order",
		strings.Join(fields, ", "))
}

func missing(err error) bool { return errors.Is(err, pgx.ErrNoRows) || fault.Is(err, fault.NotFound) }

// mostWrites is how many writes of a supplier's record are looked at.
const mostWrites = 500

// supplierChanges returns the supplier's particulars, and how they differ from those of the last order. A supplier that is only
// known by its name has none.
func supplierChanges(ctx context.Context, queries *q.Queries, by auth.Principal, cover purchase.Cover) (
	now particulars, changes []Change, err error) {
	if cover.SupplierID == "" {
		return particulars{}, nil, nil
	}
	row, err := queries.GetOrderParty(ctx,
		q.GetOrderPartyParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: cover.SupplierID})
	if missing(err) {
		return particulars{}, nil, nil // it was deleted; the lines still have its name
	}
	if err != nil {
		return nil, nil, err
	}
	now = particulars{"email": row.Email, "address": row.Address, "payment_terms_days": ""}
	if row.PaymentTermsDays != nil {
		now["payment_terms_days"] = row.PaymentTermsDays.String()
	}
	last, err := lastOrder(ctx, queries, by, cover)
	if err != nil || last.known && sameParticulars(last.said, now) {
		return now, nil, err
	}
	rows, err := queries.ListSupplierWrites(ctx, q.ListSupplierWritesParams{TenantID: by.Tenant, WorkspaceID: by.Workspace,
		Subject: cover.SupplierID, Fields: watched, Most: mostWrites})
	if err != nil {
		return nil, nil, err
	}
	slices.Reverse(rows) // the oldest first
	writes, err := readWrites(rows)
	return now, compare(last, now, writes), err
}

// order is the last order to a supplier.
type order struct {
	at    time.Time   // zero: there was none
	said  particulars // of the supplier at that time
	known bool        // said is known
}

// lastOrder returns the last order to the supplier. Before the first one it is the last order to another supplier of the same
// name: who makes a second record of a supplier and moves lines to it changes an address as well.
func lastOrder(ctx context.Context, queries *q.Queries, by auth.Principal, cover purchase.Cover) (last order, err error) {
	row, err := queries.GetLastMailTo(ctx,
		q.GetLastMailToParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Supplier: cover.Key, Person: by.Actor.ID})
	if missing(err) {
		var namesake q.GetLastMailToNamesakeRow
		namesake, err = queries.GetLastMailToNamesake(ctx, q.GetLastMailToNamesakeParams{TenantID: by.Tenant,
			WorkspaceID: by.Workspace, Supplier: cover.Key, Name: cover.Supplier, Person: by.Actor.ID})
		row = q.GetLastMailToRow(namesake)
	}
	if missing(err) {
		return last, nil
	}
	if err != nil {
		return last, err
	}
	last.at = row.At
	err = json.Unmarshal(row.Particulars, &last.said)
	last.known = len(last.said) > 0
	return last, err
}

// write is one write of a supplier's record.
type write struct {
	at      time.Time
	by      auth.Actor
	created bool
	values  particulars
}

func readWrites(rows []q.ListSupplierWritesRow) (writes []write, err error) {
	for _, row := range rows {
		one := write{at: row.CreatedAt, created: row.Created, values: particulars{}}
		if err := json.Unmarshal(row.Actor, &one.by); err != nil {
			return nil, err
		}
		var values map[string]json.RawMessage
		if err := json.Unmarshal(row.Written, &values); err != nil {
			return nil, err
		}
		for name, value := range values {
			one.values[name] = plainText(value)
		}
		writes = append(writes, one)
	}
	return writes, nil
}

// plainText returns a JSON value as a text; null is empty.
func plainText(value json.RawMessage) (text string) {
	if json.Unmarshal(value, &text) != nil {
		text = string(value)
	}
	if string(value) == "null" {
		return ""
	}
	return text
}

// plainNumber returns the spelling in which a number is compared.
func plainNumber(text string) string {
	if number, err := decimal.NewFromString(text); err == nil {
		return number.String()
	}
	return text
}

func sameParticulars(a, b particulars) bool {
	return !slices.ContainsFunc(watched, func(field string) bool { return a[field] != b[field] })
}

// compare returns the fields that are not what they were at the last order. The writes, oldest first, say who changed them.
func compare(last order, now particulars, writes []write) (changes []Change) {
	for _, field := range watched {
		change := Change{Field: field, Is: now[field]}
		var known bool
		if change.Was, known = last.of(field, writes); !known || change.Was == change.Is {
			continue
		}
		value, valued := change.Was, last.known
		for _, one := range writes {
			next, written := one.of(field)
			if !written {
				continue
			}
			if valued && next != value && (last.known || one.at.After(last.at)) {
				change.By, change.At = one.by, one.at
			}
			value, valued = next, true
		}
		if value != change.Is { // the write that made it so is not kept any more
			change.By, change.At = auth.Actor{}, time.Time{}
		}
		changes = append(changes, change)
	}
	return changes
}

// of returns what a field was at the last order. If the order did not keep it, the writes say so: the last value before the
// order, or without an order the first one. An empty field is not known then: it was filled in for the first order.
func (o order) of(field string, writes []write) (was string, known bool) {
	if o.known {
		return o.said[field], true
	}
	for _, one := range writes {
		if was != "" && one.at.After(o.at) {
			break
		}
		if value, written := one.of(field); written {
			was = value
		}
	}
	return was, was != ""
}

// of returns what a write made of a field, if it wrote it. A record begins with its fields empty.
func (w write) of(field string) (value string, written bool) {
	value, written = w.values[field]
	if field == "payment_terms_days" {
		value = plainNumber(value)
	}
	return value, written || w.created
}
