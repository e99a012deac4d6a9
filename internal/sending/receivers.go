package sending

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/purchase"
)

// mostAllowed is how many addresses may be allowed for a supplier.
const mostAllowed = 50

// Receiver is an address that an admin has allowed for a supplier, beside the supplier's own.
type Receiver struct {
	Address string
	By      auth.Actor
	At      time.Time
}

// addressees returns all receivers of a letter in small letters, each once.
func (l Letter) addressees() (all []string) {
	for _, address := range slices.Concat(l.To, l.Cc) {
		all = append(all, strings.ToLower(address))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// members returns those of the addresses that belong to members of the company.
func (s *Service) members(ctx context.Context, by auth.Principal, among []string) (members []string, err error) {
	err = s.cells.InControl(ctx, by.Tenant, func(tx pgx.Tx) error {
		members, err = q.New(tx).ListMembersAmong(ctx, q.ListMembersAmongParams{TenantID: by.Tenant, Addresses: among})
		return err
	})
	return members, err
}

// admit refuses a mail to receivers that nobody has allowed, and one too many. What people send with their own program
// is theirs.
func (s *Service) admit(ctx context.Context, tx pgx.Tx, by auth.Principal, cover purchase.Cover, letter Letter, ours []string,
	now time.Time) error {
	if letter.ByHand {
		return nil
	}
	receivers := letter.addressees()
	if err := checkReceivers(ctx, tx, by, cover, receivers, ours); err != nil {
		return err
	}
	return s.count(ctx, tx, by, receivers, now)
}

// checkReceivers refuses receivers that nobody has allowed: a mail goes to the supplier's own address, to addresses that an admin
// has allowed for the supplier, and to the company's own people. An admin who sends to another address allows it.
func checkReceivers(ctx context.Context, tx pgx.Tx, by auth.Principal, cover purchase.Cover, receivers, ours []string) error {
	allowed, err := receiversOf(ctx, tx, by, cover.Key)
	if err != nil {
		return err
	}
	known := append(slices.Clone(ours), strings.ToLower(cover.Email), strings.ToLower(cover.AnswerTo))
	for _, one := range allowed {
		known = append(known, one.Address)
	}
	unknown := slices.DeleteFunc(slices.Clone(receivers), func(address string) bool { return slices.Contains(known, address) })
	if len(unknown) == 0 {
		return nil
	}
	if by.Require(auth.AllowReceivers) != nil {
		return fault.New(fault.Forbidden, "receiver_not_allowed",
			"orders of this supplier do not go to %s yet; a Company-Admin can allow it, or send this order",
			strings.Join(unknown, ", "))
	}
	for _, address := range unknown {
		if err := allow(ctx, tx, by, cover, address, len(allowed)); err != nil {
			return err
		}
	}
	return nil
}

// allow stores an address for a supplier that has so many.
func allow(ctx context.Context, tx pgx.Tx, by auth.Principal, cover purchase.Cover, address string, has int) error {
	if has >= mostAllowed {
		return fault.New(fault.Conflict, "too_many_receivers", "a supplier has at most %d addresses; remove one first", mostAllowed)
	}
	added, err := q.New(tx).AllowOrderReceiver(ctx, q.AllowOrderReceiverParams{TenantID: by.Tenant, WorkspaceID: by.Workspace,
		Supplier: cover.Key, Address: address, Actor: by.Actor.JSON()})
	if err != nil || added == 0 {
		return err
	}
	return audit.Record(ctx, tx, by, "order_receiver.allowed", cover.Key, audit.Data{"supplier": cover.Supplier, "address": address})
}

// receiversOf returns the addresses that were allowed for a supplier.
func receiversOf(ctx context.Context, tx pgx.Tx, by auth.Principal, supplier string) (all []Receiver, err error) {
	rows, err := q.New(tx).ListOrderReceivers(ctx,
		q.ListOrderReceiversParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Supplier: supplier})
	for _, row := range rows {
		one := Receiver{Address: row.Address, At: row.CreatedAt}
		if err := json.Unmarshal(row.Actor, &one.By); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, err
}

// Allow lets orders of a supplier go to an address from now on. The order names the supplier.
func (s *Service) Allow(ctx context.Context, by auth.Principal, of purchase.Print, address string, now time.Time) (
	all []Receiver, err error) {
	if !mail.IsAddress(address) {
		return nil, fault.InField("address", "address", "%s is not a mail address; give one such as orders@example.com",
			fault.Shorten(address))
	}
	return s.change(ctx, by, of, now, func(tx pgx.Tx, cover purchase.Cover, has []Receiver) error {
		return allow(ctx, tx, by, cover, strings.ToLower(address), len(has))
	})
}

// Disallow takes an address back that was allowed.
func (s *Service) Disallow(ctx context.Context, by auth.Principal, of purchase.Print, address string, now time.Time) error {
	address = strings.ToLower(address)
	_, err := s.change(ctx, by, of, now, func(tx pgx.Tx, cover purchase.Cover, _ []Receiver) error {
		gone, err := q.New(tx).DeleteOrderReceiver(ctx, q.DeleteOrderReceiverParams{TenantID: by.Tenant, WorkspaceID: by.Workspace,
			Supplier: cover.Key, Address: address})
		if err == nil && gone == 0 {
			return fault.New(fault.NotFound, "unknown_receiver", "%s is not an address that was allowed for this supplier",
				fault.Shorten(address))
		}
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, by, "order_receiver.removed", cover.Key, audit.Data{"supplier": cover.Supplier, "address": address})
	})
	return err
}

// change changes the addresses of the supplier of an order, and returns them.
func (s *Service) change(ctx context.Context, by auth.Principal, of purchase.Print, now time.Time,
	do func(tx pgx.Tx, cover purchase.Cover, has []Receiver) error) (all []Receiver, err error) {
	if err := by.Require(auth.AllowReceivers); err != nil {
		return nil, err
	}
	sheet, err := s.orders.Sheet(ctx, by, of, now)
	if err != nil {
		return nil, err
	}
	cover := sheet.Cover()
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		if all, err = receiversOf(ctx, tx, by, cover.Key); err != nil {
			return err
		}
		if err := do(tx, cover, all); err != nil {
			return err
		}
		all, err = receiversOf(ctx, tx, by, cover.Key)
		return err
	})
	return all, err
}
