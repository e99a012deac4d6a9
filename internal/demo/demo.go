// Package demo fills a database with a company to try Quayside with: Harbour Goods, a
// shop for tea, coffee and kitchen goods, with people in every role, records in every
// built-in table and imports that failed. A made shop of two years (package shop), as large as
// a real one, can be added to it.
//
// Everything is written as a customer's systems and people would do it: keys are issued, ingest
// writes the records with a key's principal, and the meter counts them. Events, references,
// snapshots and failed imports are therefore real ones.
//
// The content is the same on every run of one day (UTC): dates are relative to that day, and
// random numbers have a fixed seed. People are added last. A company of that name without
// people is an interrupted demo. It is filled again through the same upserts, with the content
// of the day on which it was begun.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/alert"
	"github.com/quayside/quayside/internal/apikey"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/shop"
	"github.com/quayside/quayside/internal/source"
)

// Company is the name of the demo's tenant.
const Company = "Harbour Goods"

// Password is everybody's password. It is no secret: the demo is meant for the user's own
// machine.
const Password = "harbour-goods-demo" //nolint:gosec // public on purpose

// Login is a person to sign in as.
type Login struct {
	Email string    `json:"email"`
	Name  string    `json:"name"`
	Role  auth.Role `json:"role"`
}

// Logins returns the demo's people, one in each role.
func Logins() []Login {
	return []Login{
		{"ada@demo.example", "Ada Brandt", auth.CompanyAdmin},
		{"ben@demo.example", "Ben Okafor", auth.Approver},
		{"cleo@demo.example", "Cleo Martin", auth.Buyer},
		{"dana@demo.example", "Dana Vogel", auth.Viewer},
	}
}

// Filler fills a database. All of its fields are required, but for those of the made shop.
type Filler struct {
	Accounts *account.Service
	Keys     *apikey.Service
	Records  *ingest.Service
	Meter    *source.Meter
	Alerts   *alert.Service
	Progress io.Writer // a line for each step

	Scale int                         // of the made shop that is added to the company; 0: no shop
	Truth func(*shop.Shop) error      // keeps the made shop's truth, before its records are written; may be nil
	Grown func(context.Context) error // called when a table has become much larger; required with Scale

	shopOf func(today time.Time, scale int) *shop.Shop // nil: makeShop; tests make a smaller one
}

// Filled is the demo's company.
type Filled struct {
	Tenant    account.Tenant
	MasterKey string // the secret, if this call issued the key
}

// NotEmpty is the code of the error for a database that has other companies.
const NotEmpty = "database_not_empty"

// Alone returns an error if the database has other companies but not the demo.
func (f *Filler) Alone(ctx context.Context) error {
	ours, others, err := f.find(ctx)
	if err == nil && ours == nil && len(others) > 0 {
		return fault.New(fault.Conflict, NotEmpty,
			"the database holds another company, %q; use an empty database, or put the demo next to it with --into-existing",
			others[0].Name)
	}
	return err
}

// Find returns the demo's company, or false if there is none.
func (f *Filler) Find(ctx context.Context) (account.Tenant, bool, error) {
	ours, _, err := f.find(ctx)
	if err != nil || ours == nil {
		return account.Tenant{}, false, err
	}
	return ours.Tenant, true, nil
}

// found is the demo's company with its members.
type found struct {
	account.Tenant
	members []account.Member
}

// find returns the demo's company and the others, which may have the same name. The demo's
// company has the demo's people, or nobody if it was interrupted.
func (f *Filler) find(ctx context.Context) (ours *found, others []account.Tenant, err error) {
	tenants, err := f.Accounts.Tenants(ctx)
	for _, tenant := range tenants {
		if tenant.Name == Company && ours == nil {
			members, _, err := f.Accounts.Members(ctx, auth.Operator(tenant.ID), page.All)
			if err != nil {
				return nil, nil, err
			}
			if len(members) == 0 || slices.ContainsFunc(members, isOurs) {
				ours = &found{tenant, members}
				continue
			}
		}
		others = append(others, tenant)
	}
	return ours, others, err
}

// Fill creates or completes the company. When ctx ends, it stops between two records, and the
// next call continues.
func (f *Filler) Fill(ctx context.Context, now time.Time) (Filled, error) {
	ours, _, err := f.find(ctx)
	if err == nil && ours == nil {
		ours = &found{}
		ours.Tenant, err = f.establish(ctx)
	}
	if err != nil {
		return Filled{}, err
	}
	filled := Filled{Tenant: ours.Tenant}
	if len(ours.members) == 0 {
		if filled.MasterKey, err = f.fillRecords(ctx, ours.ID, now.UTC()); err != nil {
			return Filled{}, err
		}
	}
	// Once the first person exists the demo counts as filled, and a later call would not show
	// the key. This step is therefore not interrupted.
	return filled, f.people(context.WithoutCancel(ctx), ours.ID, ours.members)
}

// establish creates the company, with what its orders say of it.
func (f *Filler) establish(ctx context.Context) (account.Tenant, error) {
	tenant, err := f.Accounts.CreateTenant(ctx, Company)
	if err != nil {
		return tenant, err
	}
	by := auth.Operator(tenant.ID)
	by.Workspace = tenant.Workspace
	made, err := f.Accounts.Workspace(ctx, by)
	if err != nil {
		return tenant, err
	}
	_, err = f.Accounts.ChangeWorkspace(ctx, by, account.WorkspaceChange{Sender: account.Sender{
		Address: new("Harbour Goods GmbH\nAm Kaiserkai 12\n20457 Hamburg\nGermany"), DeliveryAddress: new("Harbour Goods, Dock 3\nHalskestraße 46\n22113 Hamburg\nGermany"),
		OrderContact: new("Purchasing"), OrderEmail: new("purchasing@harbourgoods.example"), VatID: new("DE999999999"),
	}}, made.Version)
	return tenant, err
}

func isOurs(member account.Member) bool {
	return slices.ContainsFunc(Logins(), func(login Login) bool { return login.Email == member.Email })
}

// people creates the missing members.
func (f *Filler) people(ctx context.Context, tenant uuid.UUID, present []account.Member) error {
	added := 0
	for _, login := range Logins() {
		if slices.ContainsFunc(present, func(member account.Member) bool { return member.Email == login.Email }) {
			continue
		}
		_, made, err := f.Accounts.CreateUser(ctx, auth.Operator(tenant), login.Email, login.Name, Password, login.Role)
		if err != nil {
			return err
		}
		if !made {
			fmt.Fprintf(f.Progress, "%s had an account already: their password stays as it was\n", login.Email)
		}
		added++
	}
	if added > 0 {
		f.say("people", added, "in every role")
	}
	return nil
}

// fillRecords issues the keys, writes all records and counts them, including those written
// before a failure.
func (f *Filler) fillRecords(ctx context.Context, tenant uuid.UUID, now time.Time) (master string, err error) {
	keys := map[string]auth.Principal{}
	for _, key := range []struct{ label, scope string }{
		{shopKey, "orders"}, {warehouseKey, "purchase_order_lines"}, {masterKey, auth.AllTables},
	} {
		secret, err := f.key(ctx, tenant, key.label, key.scope)
		if err != nil {
			return "", err
		}
		caller, err := f.Keys.Verify(ctx, secret, netip.IPv4Unspecified())
		if err != nil {
			return "", err
		}
		keys[key.label] = caller.Principal
		master = secret // the master key is the last one
	}
	w := &writer{records: f.Records}
	today := day(tenant)
	for step := range everything(today, time.Now) {
		var created int
		if created, err = w.write(ctx, keys[step.key], step); err != nil {
			err = fmt.Errorf("%s: %w", step.slug, err)
			break
		}
		f.say(step.slug, len(step.records), step.what(created))
	}
	if err == nil && f.Scale > 0 {
		err = f.fillFull(ctx, w, keys, today)
	}
	w.count(f.Meter, now)
	counting := context.WithoutCancel(ctx)
	return master, errors.Join(err, f.Meter.Flush(counting), f.Records.CountStates(counting),
		f.Alerts.LookThoroughly(counting, time.Now()))
}

// day returns the day on which the company was created. Its id begins with that time.
func day(tenant uuid.UUID) time.Time {
	return time.Unix(tenant.Time().UnixTime()).UTC().Truncate(24 * time.Hour)
}

// key issues a key. A key with the same label is left from an interrupted run. Its secret is
// lost, so it is replaced.
func (f *Filler) key(ctx context.Context, tenant uuid.UUID, label, scope string) (secret string, err error) {
	by := auth.Operator(tenant)
	present, _, err := f.Keys.List(ctx, by, page.All)
	if err != nil {
		return "", err
	}
	for _, key := range present {
		if key.Label == label && key.Status(time.Now()) == "live" && key.ReplacedBy == nil {
			_, secret, err = f.Keys.Rotate(ctx, by, key.ID, 0)
			return secret, err
		}
	}
	_, secret, err = f.Keys.Issue(ctx, by, apikey.Request{Label: label, Scope: scope})
	return secret, err
}

func (f *Filler) say(what string, n int, how string) {
	fmt.Fprintf(f.Progress, "%-22s %7d  %s\n", what, n, how)
}
