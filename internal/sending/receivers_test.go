package sending_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/sending"
)

// boss returns an admin of the company.
func (d *desk) boss() auth.Principal {
	d.t.Helper()
	person := d.member("boss@harbour.example", "company_admin")
	by := d.by
	by.Role, by.Person, by.Actor = auth.CompanyAdmin, person, auth.Actor{Type: auth.ByPerson, ID: person.String()}
	return by
}

// to returns a letter with other receivers.
func (d *desk) to(to []string, cc ...string) sending.Letter {
	d.t.Helper()
	wanted := letter(d.draft())
	wanted.To, wanted.Cc = to, cc
	return wanted
}

// TestReceivers checks to whom a buyer can send an order: to the supplier, to the company's own people, and to whom an
// admin has allowed it.
func TestReceivers(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx, boss := t.Context(), d.boss()
	d.exec("UPDATE control.workspaces SET order_email = 'Buy@harbour.example' WHERE tenant_id = $1", d.tenant.ID)
	supplier := []string{"Orders@Tea.example"}
	refused := func(l sending.Letter) {
		t.Helper()
		_, err := d.one.Send(ctx, d.by, order, l, time.Now())
		require.True(t, fault.HasCode(err, "receiver_not_allowed"), "%v", err)
		require.ErrorContains(t, err, "eve@evil.example")
	}
	refused(d.to([]string{"eve@evil.example"}))
	refused(d.to(supplier, "Eve@evil.example"))
	refused(d.to(append(supplier, "eve@evil.example")))
	d.send(d.to(supplier, "ADA@harbour.example", "boss@harbour.example", "buy@harbour.example"))
	byHand := d.to([]string{"eve@evil.example"})
	byHand.ByHand = true
	d.send(byHand)

	_, err := d.one.Allow(ctx, d.by, order, "sales@tea.example", time.Now())
	require.True(t, fault.Is(err, fault.Forbidden), "a buyer allows nothing")
	require.True(t, fault.Is(d.one.Disallow(ctx, d.by, order, "sales@tea.example", time.Now()), fault.Forbidden))
	all, err := d.two.Allow(ctx, boss, order, "Sales@tea.example", time.Now())
	require.NoError(t, err)
	require.Equal(t, "sales@tea.example", all[0].Address)
	require.Equal(t, boss.Actor, all[0].By)
	_, err = d.two.Allow(ctx, boss, order, "sales@TEA.example", time.Now())
	require.NoError(t, err)
	d.send(d.to([]string{"sales@tea.example"}))
	require.Len(t, d.draft().Receivers, 1)

	// An admin who sends allows.
	_, err = d.one.Send(ctx, boss, order, d.to([]string{"eve@evil.example"}), time.Now())
	require.NoError(t, err)
	d.send(d.to([]string{"eve@evil.example"}))
	require.Len(t, d.draft().Receivers, 2)
	require.NoError(t, d.two.Disallow(ctx, boss, order, "EVE@evil.example", time.Now()))
	refused(d.to([]string{"eve@evil.example"}))
	require.True(t, fault.HasCode(d.two.Disallow(ctx, boss, order, "eve@evil.example", time.Now()), "unknown_receiver"))

	// Another supplier has addresses of its own.
	d.exec(`UPDATE workspace.purchase_order_lines SET supplier_id = NULL, supplier_name = 'Cup House' WHERE tenant_id = $1`, d.tenant.ID)
	wanted := d.to([]string{"sales@tea.example"})
	_, err = d.one.Send(ctx, d.by, order, wanted, time.Now())
	require.True(t, fault.HasCode(err, "receiver_not_allowed"), "%v", err)

	rows := map[string]int{}
	for _, action := range []string{"order_receiver.allowed", "order_receiver.removed"} {
		var count int
		require.NoError(t, d.admin.QueryRow(ctx, `SELECT count(*) FROM workspace.audit WHERE tenant_id = $1 AND action = $2
			AND subject = 'sup-1' AND data ->> 'address' IN ('sales@tea.example', 'eve@evil.example')`, d.tenant.ID, action).Scan(&count))
		rows[action] = count
	}
	require.Equal(t, map[string]int{"order_receiver.allowed": 2, "order_receiver.removed": 1}, rows)
}

// orders drafts so many orders, each with a supplier of its own.
func (d *desk) orders(count int) (all []purchase.Print) {
	d.t.Helper()
	for i := range count {
		number, supplier := fmt.Sprintf("PO-%d", 100+i), fmt.Sprintf("many-%d", i)
		d.exec(`INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name, email) VALUES ($1, $2, $3, $3, $3, $3 || '@evil.example')`,
			d.tenant.ID, d.tenant.Workspace, supplier)
		d.exec(`INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, status, quantity_ordered,
			price_per_unit, currency, supplier_id, supplier_name, product_name) VALUES ($1, $2, $3, $3, 'TEA', 'ordered', 2, 1.5, 'EUR', $4, $4, 'TEA')`,
			d.tenant.ID, d.tenant.Workspace, number, supplier)
		all = append(all, purchase.Print{OrderNo: number})
	}
	return all
}

// TestLimits sends orders to many new addresses at once, through two instances. The limits hold exactly, and say when
// the next order can be sent.
func TestLimits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		limits sending.Limits
		want   int
	}{
		"new receivers, by default": {sending.Limits{}, 30},
		"a person":                  {sending.Limits{Person: sending.Rate{Hour: 7, Day: 9}}, 7},
		"a company, in a day":       {sending.Limits{Company: sending.Rate{Hour: 11, Day: 11}}, 11},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDeskWithin(t, tt.limits)
			orders := d.orders(40)
			var (
				working sync.WaitGroup
				mu      sync.Mutex
				sent    int
			)
			for worker := range 4 {
				working.Go(func() {
					service := []*sending.Service{d.one, d.two}[worker%2]
					for i := worker; i < len(orders); i += 4 {
						draft, err := service.Draft(t.Context(), d.by, orders[i], time.Now())
						if err == nil {
							_, err = service.Send(t.Context(), d.by, orders[i], letter(draft), time.Now())
						}
						mu.Lock()
						_, public := fault.Public(err)
						switch {
						case err == nil:
							sent++
						case !fault.HasCode(err, "mail_limit") || public.Wait <= 0 || public.Kind != fault.RateLimited:
							t.Error(err)
						}
						mu.Unlock()
					}
				})
			}
			working.Wait()
			require.Equal(t, tt.want, sent)
			var jobs int
			require.NoError(t, d.admin.QueryRow(t.Context(), "SELECT count(*) FROM river.river_job WHERE kind = 'order_mail'").Scan(&jobs))
			require.Equal(t, tt.want, jobs, "what is refused is not sent")

			d.exec("UPDATE workspace.order_entries SET created_at = created_at - interval '25 hours'")
			d.exec("UPDATE workspace.mailed_addresses SET since = since - interval '25 hours'")
			draft, err := d.one.Draft(t.Context(), d.by, orders[39], time.Now())
			require.NoError(t, err)
			_, err = d.one.Send(t.Context(), d.by, orders[39], letter(draft), time.Now())
			require.False(t, fault.HasCode(err, "mail_limit"), "a day later: %v", err)
		})
	}
}
