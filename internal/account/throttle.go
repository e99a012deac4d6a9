package account

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// throttle bounds how often something may be tried. The counts are in the database, so
// that the limit holds across instances.
type throttle struct {
	name   string
	most   int64
	period time.Duration
}

var (
	// A sign-in counts against the account and the client's address. From a browser that the
	// person has signed in with before, it counts against that browser only, and a change of
	// the password counts against the person: nobody else can use up those two limits.
	triesByAccount  = throttle{"sign-in account", 10, 15 * time.Minute}
	triesByAddress  = throttle{"sign-in address", 100, 15 * time.Minute} // an office may share one
	triesByBrowser  = throttle{"sign-in browser", 10, 15 * time.Minute}
	triesInSession  = throttle{"password change", 10, 15 * time.Minute}
	resetsByAccount = throttle{"reset account", 5, time.Hour}
	resetsByAddress = throttle{"reset address", 30, time.Hour}
	invitesByTenant = throttle{"invitations of a company", 50, time.Hour}
	invitesInDay    = throttle{"invitations of a company in a day", 200, 24 * time.Hour}
	invitesByPerson = throttle{"invitations to a person", 5, time.Hour}
)

// subject returns the key of a count: a hash, so that the table names nobody.
func (t throttle) subject(who string) []byte {
	sum := sha256.Sum256([]byte(t.name + "\x00" + who))
	return sum[:]
}

// takeTry counts one try, or refuses it if the limit is reached. It counts before the try is
// made, so that concurrent tries count too.
func (s *Service) takeTry(ctx context.Context, t throttle, who string) error {
	var row q.TakeTryRow
	err := s.cells.InControl(ctx, uuid.Nil, func(tx pgx.Tx) (err error) {
		row, err = q.New(tx).TakeTry(ctx, q.TakeTryParams{Subject: t.subject(who), Period: t.period})
		return err
	})
	if err == nil && row.Tries > t.most {
		wait := max(time.Second, time.Until(row.Until))
		return fault.New(fault.RateLimited, "too_many_tries", "too many tries; wait %s and try again",
			minutes(wait)).After(wait)
	}
	return err
}

// minutes returns a wait in words, rounded up.
func minutes(wait time.Duration) string {
	switch n := int((wait + time.Minute - 1) / time.Minute); {
	case n > 120:
		return fmt.Sprintf("%d hours", (n+59)/60)
	case n > 1:
		return fmt.Sprintf("%d minutes", n)
	}
	return "a minute"
}

// allowance is a throttle of one account, address, browser or person.
type allowance struct {
	throttle
	who string
}

// signInAllowances returns the allowances that a sign-in counts against. An unknown account
// counts like a known one.
func (s *Service) signInAllowances(ctx context.Context, email string, on Device) ([]allowance, error) {
	hash, shown := tokenHash(on.Browser)
	known := false
	if shown {
		// Crosses tenants: a person signs in before any company is known.
		err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
			known, err = q.New(tx).IsKnownBrowser(ctx, q.IsKnownBrowserParams{TokenHash: hash, Email: email})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if known {
		return []allowance{{triesByBrowser, string(hash) + email}}, nil
	}
	return []allowance{{triesByAddress, network(on.Address)}, {triesByAccount, email}}, nil
}

// takeTries counts one try against each allowance.
func (s *Service) takeTries(ctx context.Context, from []allowance) error {
	for _, one := range from {
		if err := s.takeTry(ctx, one.throttle, one.who); err != nil {
			return err
		}
	}
	return nil
}

// forgive undoes the counts after a success. An address, which others may share, gets back
// this one try; other counts are reset.
func (s *Service) forgive(ctx context.Context, from []allowance) error {
	return s.cells.InControl(ctx, uuid.Nil, func(tx pgx.Tx) error {
		queries := q.New(tx)
		for _, one := range from {
			undo := queries.ForgetTries
			if one.throttle == triesByAddress {
				undo = queries.ReturnTry
			}
			if err := undo(ctx, one.subject(one.who)); err != nil {
				return err
			}
		}
		return nil
	})
}

// network returns the part of an address that identifies one client: the whole IPv4
// address, or the first 64 bits of IPv6, since a client chooses the rest.
func network(from netip.Addr) string {
	from = from.Unmap()
	if from.Is6() {
		prefix, err := from.WithZone("").Prefix(64)
		if err == nil {
			return prefix.String()
		}
	}
	return from.String()
}
