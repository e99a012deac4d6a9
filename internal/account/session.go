package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/netip"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/q"
)

// Device is where a person sits.
type Device struct {
	Address netip.Addr
	Agent   string // what the browser says it is
	Browser string // what it was given when the person signed in with it before, if it was
}

// Entrance is what a browser is given when somebody has signed in: the session's token, and
// one by which the browser is known the next time. The tokens expire from the cookies then.
type Entrance struct {
	Session        string
	Expires        time.Time
	Browser        string
	BrowserExpires time.Time
}

// Session is one sign-in that has not ended.
type Session struct {
	ID         uuid.UUID
	Agent      string
	Address    string
	CreatedAt  time.Time
	LastSeenAt time.Time
	ExpiresAt  time.Time
}

var (
	errSignIn  = fault.New(fault.Unauthenticated, "sign_in", "email or password is wrong")
	errSession = fault.New(fault.Unauthenticated, "no_session", "sign in first")
	errNoPlace = fault.New(fault.NotFound, "unknown_place",
		"there is no such company or workspace, or you do not belong to it")
	errSessions = fault.New(fault.NotFound, "unknown_session", "you have no such session")
)

// SignIn starts a session with email and password. Somebody unknown and a wrong password
// get the same answer after the same work.
func (s *Service) SignIn(ctx context.Context, email, password string, on Device) (Entrance, error) {
	email, err := emailed(email)
	if err != nil {
		return Entrance{}, errSignIn
	}
	user, err := s.prove(ctx, email, password, on)
	if err != nil {
		return Entrance{}, err
	}
	return s.startSession(ctx, user.ID, "password", user.Hash, on)
}

// prove finds who has this address and this password.
func (s *Service) prove(ctx context.Context, email, password string, on Device) (q.FindUserByEmailRow, error) {
	nobody := q.FindUserByEmailRow{}
	allowances, err := s.signInAllowances(ctx, email, on)
	if err != nil {
		return nobody, err
	}
	if err := s.takeAll(ctx, allowances); err != nil {
		return nobody, err
	}
	user, err := s.findUser(ctx, email)
	if err != nil {
		return nobody, err
	}
	same, err := s.matches(ctx, password, user.Hash)
	if err != nil {
		return nobody, err
	}
	if !same {
		if user.ID != uuid.Nil {
			s.noteRefusal(ctx, user.ID, email, on)
		}
		return nobody, errSignIn
	}
	return user, s.forgive(ctx, allowances)
}

// noteRefusal tells the person's companies of a wrong password. It does so after the answer,
// which must take as long as for somebody unknown. The throttle bounds how many there are.
func (s *Service) noteRefusal(ctx context.Context, person uuid.UUID, email string, on Device) {
	s.errand(ctx, "note a refused sign-in", func(ctx context.Context) error {
		return s.inCompanies(ctx, person, func(tx pgx.Tx, companies []uuid.UUID) error {
			for _, company := range companies {
				by := auth.Principal{Tenant: company, Actor: auth.Actor{Type: auth.BySystem}} // whoever it was
				err := audit.Record(ctx, tx, by, "session.refused", person.String(),
					audit.Data{"email": email, "address": on.Address.String()})
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// findUser finds who has an address. Nobody is not an error: it must cost the same.
func (s *Service) findUser(ctx context.Context, email string) (user q.FindUserByEmailRow, err error) {
	// Crosses tenants: a person signs in before any company is known.
	err = s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		user, err = q.New(tx).FindUserByEmail(ctx, email)
		return err
	})
	if fault.Is(err, fault.NotFound) {
		return q.FindUserByEmailRow{}, nil
	}
	return user, err
}

// StartSession makes a session for a person who is known to be who they say.
func (s *Service) StartSession(ctx context.Context, person uuid.UUID, on Device) (
	token string, expires time.Time, err error) {
	err = s.cells.InPerson(ctx, person, uuid.Nil, func(tx pgx.Tx) (err error) {
		token, expires, err = insertSession(ctx, q.New(tx), person, on)
		return err
	})
	return token, expires, err
}

// startSession makes a session for a person who has proved that this hash is their
// password's. A password that was changed since proves nothing. From now on the browser is
// known as theirs. Their companies read of it, and how they came in.
func (s *Service) startSession(ctx context.Context, person uuid.UUID, how, proved string, on Device) (
	in Entrance, err error) {
	err = s.inCompanies(ctx, person, func(tx pgx.Tx, companies []uuid.UUID) error {
		queries := q.New(tx)
		if err := holdPassword(ctx, queries, person, proved); err != nil {
			return err
		}
		if in.Session, in.Expires, err = insertSession(ctx, queries, person, on); err != nil {
			return err
		}
		if in.Browser, in.BrowserExpires, err = rememberBrowser(ctx, queries, person, on); err != nil {
			return err
		}
		for _, company := range companies {
			data := audit.Data{"how": how, "address": on.Address.String()}
			if err := audit.Record(ctx, tx, as(person, company), "session.started", person.String(), data); err != nil {
				return err
			}
		}
		return nil
	})
	return in, err
}

// insertSession makes a session. The cookie may live as long as the session can; when it is
// not used, the session ends earlier.
func insertSession(ctx context.Context, queries *q.Queries, person uuid.UUID, on Device) (
	token string, expires time.Time, err error) {
	token, hash := newToken()
	if err := queries.EndExpiredSessions(ctx, person); err != nil {
		return "", time.Time{}, err
	}
	return token, time.Now().Add(sessionLongest), queries.InsertSession(ctx, q.InsertSessionParams{
		ID: newID(), UserID: person, TokenHash: hash, UserAgent: shortened(on.Agent, 400), Address: on.Address.String(),
		Idle: sessionIdle,
	})
}

// mostBrowsers is how many browsers of a person are known. The oldest are forgotten.
const mostBrowsers = 20

// rememberBrowser makes a browser known as a person's, in the transaction that binds them.
// Somebody else's row is out of its reach: another person at the same browser gets a token
// of their own.
func rememberBrowser(ctx context.Context, queries *q.Queries, person uuid.UUID, on Device) (
	token string, expires time.Time, err error) {
	token = on.Browser
	hash, shown := tokenHash(token)
	mine := false
	if shown {
		if mine, err = queries.HasBrowser(ctx, q.HasBrowserParams{UserID: person, TokenHash: hash}); err != nil {
			return "", time.Time{}, err
		}
	}
	if !mine {
		token, hash = newToken()
	}
	if err := queries.PutBrowser(ctx,
		q.PutBrowserParams{TokenHash: hash, UserID: person, Lifetime: browserLife}); err != nil {
		return "", time.Time{}, err
	}
	err = queries.KeepNewestBrowsers(ctx, q.KeepNewestBrowsersParams{UserID: person, Most: mostBrowsers})
	return token, time.Now().Add(browserLife), err
}

// holdPassword refuses to go on when a password is not the one that was proved.
func holdPassword(ctx context.Context, queries *q.Queries, person uuid.UUID, proved string) error {
	_, err := queries.HoldPassword(ctx, q.HoldPasswordParams{UserID: person, Hash: proved})
	if missing(err) {
		return errSignIn
	}
	return err
}

// Identify finds out who shows a session's token, and what they are at the place they
// name: a workspace, a tenant, or neither. Nothing is remembered between calls: a
// session that has ended, and a role that was taken away, count at once. A place where
// the person is nothing does not exist for them.
func (s *Service) Identify(ctx context.Context, token string, tenant, workspace uuid.UUID, on Device) (
	auth.Principal, error) {
	hash, ok := tokenHash(token)
	if !ok {
		return auth.Principal{}, errSession
	}
	var (
		by    auth.Principal
		stale bool
	)
	// Crosses tenants: who this is and where they belong is what is being looked for.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) error {
		queries := q.New(tx)
		session, err := queries.FindSession(ctx, hash)
		if err != nil {
			return err
		}
		stale = session.Stale
		by = auth.Principal{
			Person: session.UserID, Session: session.ID,
			Actor: auth.Actor{Type: auth.ByPerson, ID: session.UserID.String()},
		}
		return place(ctx, queries, &by, tenant, workspace)
	})
	if fault.Is(err, fault.NotFound) && by.Session == uuid.Nil {
		return auth.Principal{}, errSession
	}
	if err != nil {
		return auth.Principal{}, err
	}
	if stale {
		err = s.cells.InPerson(ctx, by.Person, uuid.Nil, func(tx pgx.Tx) error {
			return q.New(tx).TouchSession(ctx,
				q.TouchSessionParams{ID: by.Session, Address: on.Address.String(), Idle: sessionIdle, Longest: sessionLongest})
		})
	}
	return by, err
}

// Now is what a person is in a workspace at this moment, for work that they left running.
// Whoever does not belong there any more has no role.
func (s *Service) Now(ctx context.Context, person, tenant, workspace uuid.UUID) (auth.Principal, error) {
	by := as(person, tenant)
	by.Workspace = workspace
	// Crosses tenants: it asks whether this person still belongs to this one.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) error {
		return place(ctx, q.New(tx), &by, tenant, workspace)
	})
	if fault.Is(err, fault.NotFound) {
		return by, nil
	}
	return by, err
}

// place puts a person where they say they are, if they belong there.
func place(ctx context.Context, queries *q.Queries, by *auth.Principal, tenant, workspace uuid.UUID) error {
	switch {
	case workspace != uuid.Nil:
		found, err := queries.FindWorkspaceMembership(ctx,
			q.FindWorkspaceMembershipParams{UserID: by.Person, WorkspaceID: workspace})
		if err != nil {
			return nowhere(err)
		}
		by.Tenant, by.Workspace, by.Role = found.TenantID, workspace, auth.Role(found.Role)
		by.Zone, err = time.LoadLocation(found.TimeZone)
		return err
	case tenant != uuid.Nil:
		role, err := queries.FindMembership(ctx, q.FindMembershipParams{TenantID: tenant, UserID: by.Person})
		by.Tenant, by.Role = tenant, auth.Role(role)
		return nowhere(err)
	}
	return nil
}

func nowhere(err error) error {
	if missing(err) {
		return errNoPlace
	}
	return err
}

// Sessions lists the person's sessions, oldest first.
func (s *Service) Sessions(ctx context.Context, by auth.Principal, want page.Request) (
	sessions []Session, more bool, err error) {
	err = s.cells.InPerson(ctx, by.Person, uuid.Nil, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListSessions(ctx,
			q.ListSessionsParams{UserID: by.Person, After: want.After, Most: want.Limit()})
		rows, more = page.Cut(want, rows)
		for _, row := range rows {
			sessions = append(sessions,
				Session{row.ID, row.UserAgent, row.Address, row.CreatedAt, row.LastSeenAt, row.ExpiresAt})
		}
		return err
	})
	return sessions, more, err
}

// EndSession ends one of the person's sessions. Its next call is refused.
func (s *Service) EndSession(ctx context.Context, by auth.Principal, id uuid.UUID) error {
	return s.cells.InPerson(ctx, by.Person, uuid.Nil, func(tx pgx.Tx) error {
		ended, err := q.New(tx).EndSession(ctx, q.EndSessionParams{UserID: by.Person, ID: id})
		if err == nil && ended == 0 {
			return errSessions
		}
		return err
	})
}

// EndOtherSessions ends all of the person's sessions but the one they are in.
func (s *Service) EndOtherSessions(ctx context.Context, by auth.Principal) error {
	return s.cells.InPerson(ctx, by.Person, uuid.Nil, func(tx pgx.Tx) error {
		return q.New(tx).EndSessions(ctx, q.EndSessionsParams{UserID: by.Person, ExceptID: by.Session})
	})
}

// newToken makes 256 random bits in a form that fits a cookie and a link, and what is
// kept of them.
func newToken() (token string, hash []byte) {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails: crypto/rand aborts the program instead
	sum := sha256.Sum256(random)
	return base64.RawURLEncoding.EncodeToString(random), sum[:]
}

// tokenHash is what is kept of a token; what is no token has none.
func tokenHash(token string) ([]byte, bool) {
	random, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(random) != 32 {
		return nil, false
	}
	sum := sha256.Sum256(random)
	return sum[:], true
}

// shortened cuts text that somebody else chose to valid UTF-8 of a bounded length.
func shortened(text string, most int) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}
