package sending

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// Rate is how many addresses may be mailed within an hour and within a day. A mail to three addresses counts as three.
type Rate struct{ Hour, Day int64 }

// UnmarshalText reads "200/1000".
func (r *Rate) UnmarshalText(text []byte) error {
	hour, day, _ := strings.Cut(string(text), "/")
	var err error
	if r.Hour, err = strconv.ParseInt(hour, 10, 32); err == nil {
		r.Day, err = strconv.ParseInt(day, 10, 32)
	}
	if err != nil || r.Hour < 1 || r.Day < r.Hour {
		return fmt.Errorf("%q is not a number for an hour and one for a day, such as 200/1000", text)
	}
	return nil
}

// Limits are the rates of mails with orders. A zero Rate stands for the default.
type Limits struct {
	Person  Rate // of one person
	Company Rate
	New     Rate // addresses to which the company has not mailed before
}

// DefaultLimits are more than people who read what they send reach, and too little for mails to strangers.
var DefaultLimits = Limits{Person: Rate{200, 1000}, Company: Rate{500, 2500}, New: Rate{30, 100}}

func (l Limits) orDefault() Limits {
	for _, one := range []struct{ rate, otherwise *Rate }{{&l.Person, &DefaultLimits.Person},
		{&l.Company, &DefaultLimits.Company}, {&l.New, &DefaultLimits.New}} {
		if *one.rate == (Rate{}) {
			*one.rate = *one.otherwise
		}
	}
	return l
}

// mailed is how many addresses were mailed how long ago.
type mailed struct {
	age       time.Duration
	receivers int64
}

// wait returns after which time more addresses may be mailed, or 0 if they may now. never says that they are more than
// the rate ever allows.
func (r Rate) wait(past []mailed, more int64) (wait time.Duration, never bool) {
	past = slices.Clone(past)
	slices.SortFunc(past, func(a, b mailed) int { return int(b.age - a.age) }) // the oldest first
	for _, span := range []struct {
		lasts time.Duration
		most  int64
	}{{time.Hour, r.Hour}, {24 * time.Hour, r.Day}} {
		if more > span.most {
			return 0, true
		}
		within := slices.DeleteFunc(slices.Clone(past), func(m mailed) bool { return m.age >= span.lasts })
		var sum int64
		for _, one := range within {
			sum += one.receivers
		}
		for _, one := range within {
			if sum+more <= span.most {
				break
			}
			sum -= one.receivers
			wait = max(wait, span.lasts-one.age)
		}
	}
	return wait, false
}

// recently is what a company has mailed within a day.
type recently struct{ own, all, fresh []mailed }

// refuse returns the refusal of a mail to so many addresses, of which so many are new. now says what time it is where
// the person is.
func (l Limits) refuse(past recently, receivers, fresh int64, now time.Time) error {
	for _, one := range []struct {
		rate  Rate
		past  []mailed
		more  int64
		whose string
		what  string
	}{
		{l.Person, past.own, receivers, "you have", "orders to %d addresses"},
		{l.Company, past.all, receivers, "your company has", "orders to %d addresses"},
		{l.New, past.fresh, fresh, "your company has", "first orders to %d new addresses"},
	} {
		what := func(n int64) string { return fmt.Sprintf(one.what, n) }
		wait, never := one.rate.wait(one.past, one.more)
		switch {
		case never:
			return fault.New(fault.Conflict, "too_many_receivers", "this is more than the limit of %s an hour; take fewer addresses",
				what(one.rate.Hour))
		case wait > 0:
			return fault.New(fault.RateLimited, "mail_limit",
				"%s sent as much as is allowed: %s an hour, %d a day; this order can be sent %s", one.whose, what(one.rate.Hour),
				one.rate.Day, again(wait, now)).After(wait)
		}
	}
	return nil
}

// again says when a wait ends.
func again(wait time.Duration, now time.Time) string {
	at := now.Add(wait + time.Minute - 1).Truncate(time.Minute)
	if at.YearDay() != now.YearDay() {
		return "tomorrow at " + at.Format("15:04")
	}
	return "at " + at.Format("15:04")
}

// count refuses a mail if its sender, or their company, has sent too many, and notes its receivers. Two processes
// that send for one company wait for each other until the transaction ends.
func (s *Service) count(ctx context.Context, tx pgx.Tx, by auth.Principal, receivers []string, now time.Time) error {
	queries := q.New(tx)
	if err := queries.LockMails(ctx, by.Tenant.String()); err != nil {
		return err
	}
	var past recently
	fresh, err := queries.ListNewAddresses(ctx, by.Tenant)
	if err != nil {
		return err
	}
	for _, age := range fresh {
		past.fresh = append(past.fresh, mailed{seconds(age), 1})
	}
	mails, err := queries.ListRecentMails(ctx, q.ListRecentMailsParams{TenantID: by.Tenant, Actor: by.Actor.JSON(),
		Since: firstID(now.Add(-25 * time.Hour))})
	if err != nil {
		return err
	}
	for _, mail := range mails {
		one := mailed{seconds(mail.Age), mail.Receivers}
		past.all = append(past.all, one)
		if mail.Own {
			past.own = append(past.own, one)
		}
	}
	added, err := queries.AddMailedAddresses(ctx, q.AddMailedAddressesParams{TenantID: by.Tenant, Addresses: receivers})
	if err != nil {
		return err
	}
	if by.Zone != nil {
		now = now.In(by.Zone)
	}
	return s.limits.refuse(past, int64(len(receivers)), added, now)
}

// seconds returns an age. A transaction that began later may have been committed earlier.
func seconds(age float64) time.Duration { return max(0, time.Duration(age*float64(time.Second))) }

// firstID returns an id that is below all that are made from a moment on.
func firstID(at time.Time) (id uuid.UUID) {
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(at.UnixMilli()))
	copy(id[:], ms[2:])
	return id
}
