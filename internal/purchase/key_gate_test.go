package purchase_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/purchase"
)

// kinds returns the kinds of a line's flags, without those of moves.
func kinds(line purchase.Line) (kinds []purchase.FlagKind) {
	for _, flag := range line.Flags {
		if flag.Kind != purchase.StatusJump {
			kinds = append(kinds, flag.Kind)
		}
	}
	return kinds
}

// TestKeysOrder moves lines from every status to every other with keys that may order what was drafted here and with keys that
// may not. Only lines that were drafted here and are not ordered keep their status, and only from the latter.
func TestKeysOrder(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	orders := []purchase.Status{purchase.Ordered, purchase.PartiallyReceived, purchase.Received}
	byAgent := func(status purchase.Status) purchase.Line {
		lines, err := o.lines.DraftConfirmed(t.Context(), o.who[auth.Agent], []purchase.NewLine{wanted()})
		require.NoError(t, err)
		return o.bring(lines[0], status)
	}
	bySystem := func(status purchase.Status) purchase.Line {
		return o.arrive(fmt.Sprintf(`"status": %q, %s`, status, priced))
	}
	makers := map[string]func(purchase.Status) purchase.Line{"a person": o.in, "an agent": byAgent, "a system": bySystem}
	for made, draft := range makers {
		for _, by := range []auth.Principal{o.plain, o.trusted} {
			for _, from := range purchase.Statuses() {
				for _, to := range purchase.Statuses() {
					if made == "an agent" && !slices.Contains(orders, to) {
						continue // as with a person's
					}
					line := draft(from)
					outcome, err := o.tell(by, line, fmt.Sprintf(`"status": %q, "note": "as told"`, to))
					require.NoError(t, err)
					now := o.now(line)
					require.Equal(t, "as told", *now.Note, "the rest of the record is stored")
					stays := made != "a system" && by.Key == o.plain.Key && slices.Contains(orders, to) && !slices.Contains(orders, from)
					name := fmt.Sprintf("%s, %s to %s, made by %s", by.Actor.ID, from, to, made)
					if stays {
						require.Equal(t, from, now.Status, name)
						require.Equal(t, []string{"status"}, outcome.Dropped, name)
						require.Empty(t, now.Flags, name)
						require.Nil(t, now.OrderedOutside, name)
						continue
					}
					require.Empty(t, outcome.Dropped, name)
					follows := !now.QuantityReceived.IsZero() && (to == purchase.Ordered || to == purchase.PartiallyReceived)
					if !follows { // from the receipts
						require.Equal(t, to, now.Status, name)
					}
				}
			}
		}
	}
	o.consistent()
}

// TestKeysOrderByDetour tries to order a draft in two records: cancelled first, and ordered then. A line that was ordered, and
// cancelled by mistake, is ordered again.
func TestKeysOrderByDetour(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for from, want := range map[purchase.Status]purchase.Status{
		purchase.Draft: purchase.Cancelled, purchase.PendingApproval: purchase.Cancelled, purchase.Ordered: purchase.Ordered,
	} {
		line := o.in(from)
		_, err := o.tell(o.plain, line, `"status": "cancelled"`)
		require.NoError(t, err)
		require.Equal(t, purchase.Cancelled, o.now(line).Status)
		_, err = o.tell(o.plain, line, `"status": "ordered"`)
		require.NoError(t, err)
		require.Equal(t, want, o.now(line).Status, "from %s", from)
	}
	line := o.in(purchase.Ordered)
	_, err := o.tell(o.plain, line, `"status": "draft"`)
	require.NoError(t, err)
	outcome, err := o.tell(o.plain, line, `"status": "received", "quantity_received": 10`)
	require.NoError(t, err)
	require.Equal(t, []string{"status"}, outcome.Dropped, "its approval was withdrawn with the first record")
	now := o.now(line)
	require.Equal(t, purchase.Draft, now.Status)
	require.Equal(t, "10", now.QuantityReceived.String(), "what arrived is stored")
	o.consistent()
}

// TestKeysMoney has external systems change what an approval covers. Without the right to order what was drafted here, the line
// goes the way of a person's edit.
func TestKeysMoney(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.exec("INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name) VALUES ($1, $2, 'sup-2', 'S2', 'Coffee House')",
		o.tenant.ID, o.tenant.Workspace)
	changed, above := []purchase.FlagKind{purchase.Changed}, []purchase.FlagKind{purchase.AboveDeal}
	for _, tt := range []struct {
		name    string
		from    purchase.Status
		fields  string
		want    purchase.Status
		dropped []string
		flags   []purchase.FlagKind // with the right
		without []purchase.FlagKind
	}{
		{"a draft's price", purchase.Draft, `"price_per_unit": 9`, purchase.Draft, nil, nil, nil},
		{"a price that waits", purchase.PendingApproval, `"price_per_unit": 9`, purchase.Draft, nil, changed, nil},
		{"the same price, that waits", purchase.PendingApproval, `"price_per_unit": 2.50, "note": "x"`, purchase.PendingApproval,
			nil, nil, nil},
		{"a price that waits, with its status", purchase.PendingApproval, `"price_per_unit": 9, "status": "pending_approval"`,
			purchase.Draft, []string{"status"}, changed, nil},
		{"a price that waits, and an order", purchase.PendingApproval, `"price_per_unit": 9, "status": "ordered"`, purchase.Draft,
			[]string{"status"}, changed, nil},
		{"five percent more", purchase.Ordered, `"price_per_unit": 2.62`, purchase.Ordered, nil, changed, nil},
		{"more than that", purchase.Ordered, `"price_per_unit": 2.63`, purchase.PendingApproval, nil, changed, nil},
		{"more than that, of an order that stays one", purchase.Ordered, `"price_per_unit": 2.63, "status": "ordered"`,
			purchase.PendingApproval, []string{"status"}, changed, nil},
		{"another supplier", purchase.Ordered, `"supplier_id": "S2"`, purchase.PendingApproval, nil, changed, nil},
		{"another currency", purchase.Ordered, `"currency": "USD"`, purchase.PendingApproval, nil, changed, nil},
		{"its own supplier, by the supplier's key", purchase.Ordered, `"supplier_id": "S1"`, purchase.Ordered, nil, nil, nil},
		{"a price of what has begun to arrive", purchase.PartiallyReceived, `"price_per_unit": 9`, purchase.PartiallyReceived, nil,
			changed, above},
		{"a price of what arrives now", purchase.Ordered, `"price_per_unit": 9, "quantity_received": 3`, purchase.PartiallyReceived, nil,
			changed, above},
		{"a price of what has arrived", purchase.Received, `"price_per_unit": 9`, purchase.Received, nil, changed, above},
		{"a price of what is cancelled", purchase.Cancelled, `"price_per_unit": 9`, purchase.Cancelled, nil, nil, nil},
	} {
		line := o.in(tt.from)
		outcome, err := o.tell(o.plain, line, tt.fields)
		require.NoError(t, err, tt.name)
		require.Equal(t, tt.dropped, outcome.Dropped, tt.name)
		now := o.now(line)
		require.Equal(t, tt.want, now.Status, tt.name)
		require.Equal(t, tt.without, kinds(now), tt.name)
		require.Len(t, now.Flags, len(tt.without), "%s: nothing was moved that people may not move", tt.name)
		moved := isOrdered(tt.from) && !isOrdered(tt.want)
		require.Equal(t, isOrdered(tt.from) && !moved, now.ApprovedBy != nil, "%s: an approval covers what was seen", tt.name)
		if tt.from == purchase.PendingApproval && tt.want == purchase.Draft || moved {
			require.Equal(t, "purchase_order_line.edited", o.audited(line, o.plain), tt.name)
		}
		if moved {
			approved, err := o.lines.Approve(t.Context(), o.person(auth.Approver), refs(now))
			require.NoError(t, err, "%s: it is approved as it is", tt.name)
			require.Equal(t, purchase.Ordered, approved[0].Status)
		}

		free := o.in(tt.from)
		_, err = o.tell(o.trusted, free, tt.fields)
		require.NoError(t, err, tt.name)
		require.Equal(t, tt.flags, kinds(o.now(free)), "with the right, %s", tt.name)
		require.Empty(t, o.audited(free, o.trusted), "records of external systems are in the events")
	}
	o.consistent()
}

// TestKeysNameNoReceipt has a system raise an approved line beside a status that speaks of arrivals, of which there are none: the
// line goes back for approval, and one that cannot is flagged.
func TestKeysNameNoReceipt(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for name, tt := range map[string]struct {
		records []string
		want    purchase.Status
		above   bool
	}{
		"in one record":     {[]string{`"quantity_ordered": 1000, "status": "partially_received"`}, purchase.PendingApproval, false},
		"after a detour":    {[]string{`"quantity_ordered": 1000, "status": "cancelled"`, `"status": "partially_received"`}, purchase.PendingApproval, false},
		"received at once":  {[]string{`"quantity_ordered": 1000, "status": "cancelled"`, `"status": "received"`}, purchase.Received, true},
		"no more than that": {[]string{`"status": "cancelled"`, `"status": "received"`}, purchase.Received, false},
		"as it was":         {[]string{`"status": "partially_received"`}, purchase.PartiallyReceived, false},
	} {
		line := o.in(purchase.Ordered)
		for _, fields := range tt.records {
			_, err := o.records.Write(t.Context(), ingest.Record{By: o.plain, Slug: slug, RequestID: "test",
				Body: fmt.Appendf(nil, `{"external_id": %q, %s}`, line.ExternalID, fields)})
			require.NoError(t, err, name)
		}
		now := o.now(line)
		require.Equal(t, tt.want, now.Status, name)
		require.Equal(t, tt.above, slices.Contains(kinds(now), purchase.AboveDeal), name)
		require.Equal(t, tt.want == purchase.PendingApproval, now.ApprovedBy == nil, name)
	}
	o.consistent()
}

// TestOrderCalledReceived has one system call a line partly received of which nothing has arrived. What another one says of it later is
// judged as of an order, and what the rules do then is no move of that system; what changes no deal changes no status.
func TestOrderCalledReceived(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for fields, want := range map[string]purchase.Status{
		`"order_no": "PO-OTHER"`: purchase.PendingApproval,
		`"note": "by boat"`:      purchase.PartiallyReceived,
	} {
		line := o.in(purchase.PendingApproval)
		for _, record := range []struct {
			by     auth.Principal
			fields string
		}{{o.trusted, `"status": "partially_received"`}, {o.trusted, `"quantity_ordered": 1000`}, {o.plain, fields}} {
			_, err := o.records.Write(t.Context(), ingest.Record{By: record.by, Slug: slug, RequestID: "test",
				Body: fmt.Appendf(nil, `{"external_id": %q, %s}`, line.ExternalID, record.fields)})
			require.NoError(t, err)
		}
		now := o.now(line)
		require.Equal(t, want, now.Status, fields)
		jumps := 0
		for _, flag := range now.Flags {
			if flag.Kind == purchase.StatusJump {
				jumps++
			}
		}
		require.Equal(t, 1, jumps, "the one of the first record")
	}
	o.consistent()
}

// TestKeysReopen has a system take back what it had said of receipts, with another price: the line that opens again is no
// order at a price that nobody approved.
func TestKeysReopen(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for fields, want := range map[string]purchase.Status{
		`"quantity_received": 0`:                                            purchase.Ordered,
		`"quantity_received": 4`:                                            purchase.PartiallyReceived,
		`"quantity_received": 0, "price_per_unit": 2.6`:                     purchase.Ordered,
		`"quantity_received": 0, "price_per_unit": 9`:                       purchase.PendingApproval,
		`"quantity_received": 0, "price_per_unit": 9, "status": "ordered"`:  purchase.PendingApproval,
		`"quantity_received": 4, "price_per_unit": 9`:                       purchase.PartiallyReceived, // flagged
		`"quantity_received": 0, "price_per_unit": 9, "status": "received"`: purchase.Received,          // closed short, and flagged
		`"quantity_received": 0, "price_per_unit": 9, "status": "draft"`:    purchase.Draft,
	} {
		line := o.in(purchase.Ordered)
		_, err := o.tell(o.plain, line, `"quantity_received": 10`)
		require.NoError(t, err)
		_, err = o.tell(o.plain, line, fields)
		require.NoError(t, err)
		now := o.now(line)
		require.Equal(t, want, now.Status, fields)
		require.Equal(t, isOrdered(want), now.ApprovedBy != nil, fields)
		require.NotEmpty(t, now.Flags, "%s: something that was received is not", fields)
	}
	o.consistent()
}

// audited returns the last action of somebody on a line, according to the audit.
func (o *office) audited(line purchase.Line, by auth.Principal) (action string) {
	o.t.Helper()
	err := o.admin.QueryRow(o.t.Context(), "SELECT action FROM workspace.audit WHERE subject = $1 AND actor ->> 'id' = $2 ORDER BY at DESC LIMIT 1",
		line.ID, by.Actor.ID).Scan(&action)
	if err != nil {
		require.ErrorIs(o.t, err, pgx.ErrNoRows)
	}
	return action
}

// TestKeysMoneyIsNobodys: a system's change of a price does not make the price that of somebody else. Who set it last in the app
// still does not approve it.
func TestKeysMoneyIsNobodys(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	boss := o.who[auth.CompanyAdmin]
	line, err := o.lines.Edit(t.Context(), boss, refs(o.in(purchase.Draft))[0], purchase.Changes{PricePerUnit: set("9")})
	require.NoError(t, err)
	_, err = o.tell(o.plain, line[0], `"price_per_unit": 9.01`)
	require.NoError(t, err)
	waits, err := o.lines.Submit(t.Context(), o.maker, refs(o.now(line[0])))
	require.NoError(t, err)
	_, err = o.lines.Approve(t.Context(), boss, refs(waits...))
	require.ErrorContains(t, err, "you changed the amount of this line last")
}

// TestKeyGateKeepsTheLock: a record that would open a second line for a recommendation is refused and kept, as ever.
func TestKeyGateKeepsTheLock(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	drafted := wanted()
	drafted.RecommendationKey = purchase.RecommendationKey(o.tenant.ID, "P1", purchase.Everywhere, 1)
	first, err := o.lines.DraftConfirmed(t.Context(), o.maker, []purchase.NewLine{drafted})
	require.NoError(t, err)
	cancelled, err := o.lines.Cancel(t.Context(), o.maker, refs(first...), "not needed")
	require.NoError(t, err)
	o.exec("UPDATE workspace.purchase_order_lines SET recommendation_key = $2 WHERE id = $1", o.in(purchase.Draft).ID, drafted.RecommendationKey)
	for _, by := range []auth.Principal{o.plain, o.trusted} {
		_, err = o.tell(by, cancelled[0], `"status": "draft"`)
		require.True(t, fault.Is(err, fault.Invalid), "%v", err)
		require.True(t, fault.HasCode(err, "recommendation_locked"), "%v", err)
	}
	require.Equal(t, purchase.Cancelled, o.now(cancelled[0]).Status)
	var kept int
	require.NoError(t, o.admin.QueryRow(t.Context(), "SELECT count(*) FROM workspace.failed_imports WHERE code = 'recommendation_locked' AND record_key = $1",
		cancelled[0].ExternalID).Scan(&kept))
	require.NotZero(t, kept)
}

// TestAnotherArticleLeavesTheNeed: a record that makes a line order another article takes its recommendation from it, whatever the key
// may; one that says the same article again does not.
func TestAnotherArticleLeavesTheNeed(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	say := func(by auth.Principal, line purchase.Line, fields string) {
		_, err := o.records.Write(t.Context(), ingest.Record{By: by, Slug: slug, RequestID: "test",
			Body: fmt.Appendf(nil, `{"external_id": %q, %s}`, line.ExternalID, fields)})
		require.NoError(t, err)
	}
	for i, by := range []auth.Principal{o.plain, o.trusted} {
		key := purchase.RecommendationKey(o.tenant.ID, "P1", purchase.Everywhere, i+1)
		line := o.in(purchase.Draft)
		o.exec("UPDATE workspace.purchase_order_lines SET recommendation_key = $2 WHERE id = $1", line.ID, key)
		say(by, line, fmt.Sprintf(`"sku": %q, "price_per_unit": 7`, line.SKU))
		require.Equal(t, &key, o.now(line).RecommendationKey)
		say(by, line, `"sku": "ANOTHER"`)
		require.Nil(t, o.now(line).RecommendationKey)
	}
}

// TestKeyGateDryRun: a dry run answers as the record would be, and leaves nothing behind.
func TestKeyGateDryRun(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	line := o.in(purchase.PartiallyReceived)
	waits := o.in(purchase.PendingApproval)
	for _, tt := range []struct {
		line    purchase.Line
		fields  string
		dropped []string
		result  ingest.Result
	}{
		{line, `"quantity_received": 1`, []string{"quantity_received"}, ingest.Unchanged},
		{line, `"quantity_received": 5`, nil, ingest.Updated},
		{waits, `"status": "ordered", "price_per_unit": 9`, []string{"status"}, ingest.Updated},
	} {
		outcome, err := o.records.Write(t.Context(), ingest.Record{By: o.plain, Slug: slug, RequestID: "test", DryRun: true,
			Body: fmt.Appendf(nil, `{"external_id": %q, %s}`, tt.line.ExternalID, tt.fields)})
		require.NoError(t, err)
		require.Equal(t, tt.dropped, outcome.Dropped, tt.fields)
		require.Equal(t, tt.result, outcome.Result, tt.fields)
		now := o.now(tt.line)
		require.Equal(t, tt.line.Version, now.Version)
		require.Empty(t, now.Flags)
	}
	sent := fmt.Appendf(nil, `{"external_id": %q, "status": "ordered"}`, waits.ExternalID)
	outcome, err := o.records.Rehearse(t.Context(), o.maker, slug, sent,
		ingest.Terms{External: true, Origin: &ingest.Origin{Key: ingest.AnyKey, Payload: sent}})
	require.NoError(t, err)
	require.Equal(t, []string{"status"}, outcome.Dropped, "a record that is tried has the rights of most keys")
}

// TestKeyGateRetries sends a system's failed record again: it has the right that its key, or the one which replaced it, has now.
func TestKeyGateRetries(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	heir, ended, heirless := o.key(true), o.key(true), o.key(true)
	old := o.key(true)
	o.exec("UPDATE workspace.api_keys SET revoked_at = now(), replaced_by = $2 WHERE id = $1", old.Key, heir.Key)
	o.exec("UPDATE workspace.api_keys SET expires_at = now() WHERE id = $1", ended.Key)
	o.exec("UPDATE workspace.api_keys SET revoked_at = now(), replaced_by = $2 WHERE id = $1", heirless.Key, ended.Key)
	for name, tt := range map[string]struct {
		key  uuid.UUID
		want purchase.Status
	}{
		"a key with the right": {o.trusted.Key, purchase.Ordered}, "one without": {o.plain.Key, purchase.Draft},
		"a replaced key": {old.Key, purchase.Ordered}, "one that has ended": {ended.Key, purchase.Draft},
		"one whose successor has ended": {heirless.Key, purchase.Draft}, "one that is gone": {uuid.New(), purchase.Draft},
		"none": {uuid.Nil, purchase.Draft},
	} {
		line := o.in(purchase.Draft)
		sent := body(line, `"status": "ordered"`)
		outcome, err := o.records.Retry(t.Context(), o.who[auth.Buyer], slug, sent,
			ingest.Terms{External: true, Origin: &ingest.Origin{Key: tt.key, Payload: sent}})
		require.NoError(t, err, name)
		require.Equal(t, tt.want, o.now(line).Status, name)
		require.Equal(t, tt.want == purchase.Draft, slices.Contains(outcome.Dropped, "status"), name)
	}
}

// TestKeysOrderInTwoRecords has an external system say the deal while the line is no order, or cannot go back for approval, and
// the order in a second record. Both together do what one record does: the line waits for approval. A person who takes its
// receipts back brings it there too.
func TestKeysOrderInTwoRecords(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	const deal = `"price_per_unit": 1000`
	for name, tt := range map[string]struct {
		from    purchase.Status
		records []string
	}{
		"while cancelled":          {purchase.Ordered, []string{`"status": "cancelled", ` + deal, `"status": "ordered"`}},
		"after it was cancelled":   {purchase.Ordered, []string{`"status": "cancelled"`, deal, `"status": "ordered"`}},
		"with a part that arrived": {purchase.Ordered, []string{`"quantity_received": 1, ` + deal, `"status": "ordered", "quantity_received": 0`}},
		"with all that arrived":    {purchase.Ordered, []string{`"status": "received", "quantity_received": 10`, deal, `"quantity_received": 0`}},
	} {
		line := o.in(tt.from)
		for _, record := range tt.records {
			_, err := o.tell(o.plain, line, record)
			require.NoError(t, err, name)
		}
		now := o.now(line)
		require.Equal(t, purchase.PendingApproval, now.Status, name)
		require.Nil(t, now.ApprovedBy, name)
	}
	for name, records := range map[string][]string{
		"taken back":        {`"quantity_received": 10, "status": "received"`, deal},
		"a part taken back": {`"quantity_received": 4`, deal},
	} {
		line := o.in(purchase.Ordered)
		for _, record := range records {
			_, err := o.tell(o.plain, line, record)
			require.NoError(t, err, name)
		}
		lines, err := o.lines.Correct(t.Context(), o.who[auth.CompanyAdmin], refs(o.now(line))[0], "0", "miscounted")
		require.NoError(t, err, name)
		require.Equal(t, purchase.PendingApproval, lines[0].Status, name)
	}
	line := o.in(purchase.Ordered)
	for _, record := range []string{`"quantity_received": 4`, `"quantity_received": 0, "status": "ordered"`} {
		_, err := o.tell(o.plain, line, record)
		require.NoError(t, err)
	}
	require.Equal(t, purchase.Ordered, o.now(line).Status, "the deal is the approved one")
	require.NotNil(t, o.now(line).ApprovedBy)
	o.consistent()
}

// TestKeysRaiseWhatArrived has an external system change a line beyond its approval when it cannot go back for approval. The order
// counts the flag until somebody has seen just this one.
func TestKeysRaiseWhatArrived(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx := t.Context()
	flags := func(line purchase.Line) int64 {
		order, err := o.lines.Order(ctx, o.maker, line.OrderNo)
		require.NoError(t, err)
		return order.Flags
	}
	for _, from := range []purchase.Status{purchase.PartiallyReceived, purchase.Received} {
		line := o.in(from)
		say := func(line purchase.Line, fields string) purchase.Line {
			t.Helper()
			_, err := o.tell(o.plain, line, fields)
			require.NoError(t, err)
			return o.now(line)
		}
		require.NotContains(t, kinds(say(line, `"price_per_unit": 2.6`)), purchase.AboveDeal, "it is tolerated")
		now := say(line, `"price_per_unit": 1000`)
		require.Equal(t, []purchase.FlagKind{purchase.AboveDeal}, kinds(now))
		require.Len(t, say(line, `"price_per_unit": 1000, "note": "again"`).Flags, 1)
		require.Len(t, say(line, `"price_per_unit": 1001`).Flags, 1, "nobody has seen the first one")
		require.EqualValues(t, 1, flags(line))

		now = say(line, `"price_per_unit": 1001, "quantity_received": 1`)
		require.Equal(t, []purchase.FlagKind{purchase.AboveDeal, purchase.BelowFloor}, kinds(now))
		require.NoError(t, o.lines.SeeFlags(ctx, o.maker, line.ID, now.Flags[0].ID))
		require.EqualValues(t, 1, flags(line))
		require.Equal(t, []purchase.FlagKind{purchase.BelowFloor, purchase.Changed}, kinds(o.now(line)), "it still is above")

		line.OrderNo += "-b"
		require.Contains(t, kinds(say(line, `"note": "in another order"`)), purchase.AboveDeal)
		require.EqualValues(t, 2, flags(line))
	}
	line := o.in(purchase.PartiallyReceived)
	_, err := o.tell(o.trusted, line, `"price_per_unit": 1000`)
	require.NoError(t, err)
	require.NotContains(t, kinds(o.now(line)), purchase.AboveDeal, "this key may order")
	o.consistent()
}
