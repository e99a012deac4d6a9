package inbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

const (
	// restsFor is how long something is in the inbox before it is mailed: time to see it in the app, for
	// more to come, and for what is being written at this moment to be committed.
	restsFor = 2 * time.Minute
	// mailEvery is the least time between two mails of a workspace to one person.
	mailEvery = 5 * time.Minute
	// newsFor is how far back news are looked for, if no instance ran. In a workspace that was never
	// looked at, only those of a day are mailed.
	newsFor, firstNewsFor = 7 * 24 * time.Hour, 24 * time.Hour
	// atOnce bounds one look; the next one takes the rest.
	atOnce = 500
)

// pauses are the times between tries to send a mail. After the last, the mail is given up.
var pauses = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour}

// Mail sends everybody who wants it one mail about what is new in their inbox, and tries again what was
// not sent. Any number of instances may call it at once.
func (s *Service) Mail(ctx context.Context, now time.Time) error {
	if !s.post.Configured() {
		return nil
	}
	var (
		news   []q.FindInboxNewsRow
		unsent []q.FindInboxUnsentRow
	)
	// Crosses tenants: the job serves all of them. It reads where something is new, and then acts as each.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		if news, err = q.New(tx).FindInboxNews(ctx, q.FindInboxNewsParams{Since: now.Add(-newsFor),
			Until: now.Add(-restsFor), Again: now.Add(-mailEvery), Most: atOnce}); err != nil {
			return err
		}
		unsent, err = q.New(tx).FindInboxUnsent(ctx, q.FindInboxUnsentParams{Now: now, Most: atOnce})
		return err
	})
	for _, at := range news {
		err = errors.Join(err, s.mailWorkspace(ctx, at, now, s.claimNews))
	}
	for _, at := range unsent {
		err = errors.Join(err, s.mailWorkspace(ctx, q.FindInboxNewsRow(at), now, s.claimUnsent))
	}
	return err
}

// span is a time whose news a mail covers: after since, and up to until.
type span struct {
	since, until time.Time
	tries        int64 // that failed
}

// claim is what one instance has taken upon itself: spans for everybody, and for those whom earlier mails
// did not reach.
type claim struct {
	all    []span
	unsent map[uuid.UUID][]span
}

// mailWorkspace mails what this instance can claim in one workspace. A crash loses these mails instead of
// sending them twice.
func (s *Service) mailWorkspace(ctx context.Context, at q.FindInboxNewsRow, now time.Time,
	take func(context.Context, *q.Queries, q.FindInboxNewsRow, time.Time) (claim, error)) error {
	var (
		place   q.GetPlaceRow
		members []q.ListInboxMembersRow
		claimed claim
	)
	err := s.cells.InControl(ctx, at.TenantID, func(tx pgx.Tx) (err error) {
		if place, err = q.New(tx).GetPlace(ctx, q.GetPlaceParams(at)); err != nil {
			return err
		}
		members, err = q.New(tx).ListInboxMembers(ctx, at.TenantID)
		return err
	})
	if err != nil {
		return err
	}
	err = s.cells.InTenant(ctx, at.TenantID, func(tx pgx.Tx) (err error) {
		claimed, err = take(ctx, q.New(tx), at, now)
		return err
	})
	if err != nil {
		return err
	}
	for _, member := range members { // whose access has ended is not among them
		spans := slices.Concat(claimed.all, claimed.unsent[member.ID])
		if len(spans) == 0 {
			continue
		}
		if failed := s.mailMember(ctx, at, place, members, member, spans, now); failed != nil {
			s.log.ErrorContext(ctx, "an inbox was not mailed", "person", member.ID, "err", failed)
			err = errors.Join(err, s.putBack(context.WithoutCancel(ctx), at, member.ID, spans, now))
		}
	}
	return err
}

// claimNews takes the news of a workspace, and with them all that is to be tried again.
func (s *Service) claimNews(ctx context.Context, queries *q.Queries, at q.FindInboxNewsRow, now time.Time) (
	claim, error) {
	took, err := queries.ClaimInboxMails(ctx, q.ClaimInboxMailsParams{TenantID: at.TenantID, WorkspaceID: at.WorkspaceID,
		Since: now.Add(-firstNewsFor), Until: now.Add(-restsFor), Now: now, Again: now.Add(-mailEvery)})
	if fault.Is(pg.Translate(err), fault.NotFound) {
		return claim{}, nil // another instance did
	}
	if err != nil {
		return claim{}, err
	}
	claimed, err := s.claimUnsent(ctx, queries, at, now.Add(slices.Max(pauses)))
	claimed.all = []span{{since: took.Since, until: took.Until}}
	return claimed, err
}

// claimUnsent takes what is to be tried again until a moment.
func (s *Service) claimUnsent(ctx context.Context, queries *q.Queries, at q.FindInboxNewsRow, until time.Time) (
	claim, error) {
	rows, err := queries.TakeInboxUnsent(ctx,
		q.TakeInboxUnsentParams{TenantID: at.TenantID, WorkspaceID: at.WorkspaceID, Now: until})
	claimed := claim{unsent: map[uuid.UUID][]span{}}
	for _, row := range rows {
		claimed.unsent[row.UserID] = append(claimed.unsent[row.UserID], span{row.Since, row.Until, row.Tries})
	}
	return claimed, err
}

// putBack schedules another try for what did not reach a person.
func (s *Service) putBack(ctx context.Context, at q.FindInboxNewsRow, person uuid.UUID, spans []span,
	now time.Time) error {
	return s.cells.InTenant(ctx, at.TenantID, func(tx pgx.Tx) error {
		for _, one := range spans {
			if int(one.tries) >= len(pauses) {
				continue
			}
			if err := q.New(tx).KeepInboxUnsent(ctx, q.KeepInboxUnsentParams{TenantID: at.TenantID,
				WorkspaceID: at.WorkspaceID, UserID: person, Since: one.since, Until: one.until, Tries: one.tries + 1,
				NextAt: now.Add(pauses[one.tries])}); err != nil {
				return err
			}
		}
		return nil
	})
}

// mailMember sends one member what is new in some spans, is still so, and was not seen. Nothing is sent if
// there is nothing of it.
func (s *Service) mailMember(ctx context.Context, at q.FindInboxNewsRow, place q.GetPlaceRow,
	members []q.ListInboxMembersRow, to q.ListInboxMembersRow, spans []span, now time.Time) error {
	wants := map[Kind]bool{Approval: to.ApprovalMails, Mention: to.MentionMails, SentBack: to.SentBackMails}
	if !to.ApprovalMails && !to.MentionMails && !to.SentBackMails {
		return nil
	}
	by := auth.Principal{Tenant: at.TenantID, Workspace: at.WorkspaceID, Zone: time.UTC, Role: auth.Role(to.Role),
		Person: to.ID, Actor: auth.Actor{Type: auth.ByPerson, ID: to.ID.String()}}
	items, err := s.read(ctx, by, now)
	if err != nil {
		return err
	}
	items = slices.DeleteFunc(items, func(item Item) bool {
		covered := slices.ContainsFunc(spans, func(one span) bool {
			return item.At.After(one.since) && !item.At.After(one.until)
		})
		return item.Seen || !wants[item.Kind] || !covered
	})
	if len(items) == 0 {
		return nil
	}
	items = items[:min(len(items), mostMailed)]
	if err := s.fill(ctx, by, items); err != nil {
		return err
	}
	err = s.post.Send(ctx, s.compose(place, at.WorkspaceID, to.Email, namer(members), items))
	s.metrics.InboxMail(err == nil)
	if err != nil {
		return fmt.Errorf("mail an inbox: %w", err)
	}
	return nil
}
