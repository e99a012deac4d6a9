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

// Device describes the browser that a request comes from.
type Device struct {
	Address netip.Addr
	Agent   string // the User-Agent header
	Browser string // the browser token from an earlier sign-in, or ""
}

// Entrance holds the tokens that a browser gets at sign-in, each with the expiry of its
// cookie: the session's, and one that identifies the browser at the next sign-in.
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
	errSignIn      = fault.New(fault.Unauthenticated, "sign_in", "email or password is wrong")
	errNotSignedIn = fault.New(fault.Unauthenticated, "no_session", "sign in first")
	errNoPlace     = fault.New(fault.NotFound, "unknown_place",
		"there is no such company or workspace, or you do not belong to it")
	errUnknownSession = fault.New(fault.NotFound, "unknown_session", "you have no such session")
)

// SignIn starts a session with email and password. An unknown address and a wrong password
// get the same answer after the same time.
func (s *Service) SignIn(ctx context.Context, email, password string, on Device) (Entrance, error) {
	email, err := normalizeEmail(email)
	if err != nil {
		return Entrance{}, errSignIn
	}
	user, err := s.authenticate(ctx, email, password, on)
	if err != nil {
		return Entrance{}, err
	}
	return s.startSession(ctx, user.ID, "password", user.Hash, on)
}

// authenticate returns the user who has this address and this password, or errSignIn.
func (s *Service) authenticate(ctx context.Context, email, password string, on Device) (q.FindUserByEmailRow, error) {
	nobody := q.FindUserByEmailRow{}
	allowances, err := s.signInAllowances(ctx, email, on)
	if err != nil {
		return nobody, err
	}
	if err := s.takeTries(ctx, allowances); err != nil {
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
			s.recordRefusal(ctx, user.ID, email, on)
		}
		return nobody, errSignIn
	}
	return user, s.forgive(ctx, allowances)
}

// recordRefusal records a wrong password in the audit logs of the person's companies. It runs
// in the background, because the response must take as long as for an unknown address. The
// throttle bounds the number of records.
func (s *Service) recordRefusal(ctx context.Context, person uuid.UUID, email string, on Device) {
	s.inBackground(ctx, "note a refused sign-in", func(ctx context.Context) error {
		return s.inCompanies(ctx, person, func(tx pgx.Tx, companies []uuid.UUID) error {
			for _, company := range companies {
				by := auth.Principal{Tenant: company, Actor: auth.Actor{Type: auth.BySystem}} // the actor is unknown
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

// findUser returns the user with an address, or a zero row if there is none.
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

// StartSession makes a session for a person whose identity the caller has verified.
func (s *Service) StartSession(ctx context.Context, person uuid.UUID, on Device) (
	token string, expires time.Time, err error) {
	err = s.cells.InPerson(ctx, person, uuid.Nil, func(tx pgx.Tx) (err error) {
		token, expires, err = insertSession(ctx, q.New(tx), person, on)
		return err
	})
	return token, expires, err
}

// startSession makes a session for a person whose password matched the hash proved. It
// fails if the password was changed since. It remembers the browser, and records the
// sign-in and its method, how, in the audit logs of the person's companies.
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
			if err := audit.Record(ctx, tx, asPerson(person, company), "session.started", person.String(), data); err != nil {
				return err
			}
		}
		return nil
	})
	return in, err
}

// insertSession makes a session. Expires is for the cookie: the session's longest life. An
// unused session ends earlier.
func insertSession(ctx context.Context, queries *q.Queries, person uuid.UUID, on Device) (
	token string, expires time.Time, err error) {
	token, hash := newToken()
	return token, time.Now().Add(sessionLongest), queries.InsertSession(ctx, q.InsertSessionParams{
		ID: newID(), UserID: person, TokenHash: hash, UserAgent: shortened(on.Agent, 400), Address: on.Address.String(),
		Idle: sessionIdle,
	})
}

// mostBrowsers is how many browsers of a person are remembered: the newest.
const mostBrowsers = 20

// rememberBrowser stores the browser as one of the person's and returns its token. The
// transaction reaches that person's rows only, so another person at the same browser gets
// a token of their own.
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

// holdPassword locks the person's password, or returns errSignIn if its hash is no longer
// proved.
func holdPassword(ctx context.Context, queries *q.Queries, person uuid.UUID, proved string) error {
	_, err := queries.HoldPassword(ctx, q.HoldPasswordParams{UserID: person, Hash: proved})
	if missing(err) {
		return errSignIn
	}
	return err
}

// Identify returns the principal of a session's token in a workspace, in a tenant, or in
// neither. Nothing is cached: an ended session and a removed role take effect at once. A
// place that the person does not belong to is reported as not found.
func (s *Service) Identify(ctx context.Context, token string, tenant, workspace uuid.UUID, on Device) (
	auth.Principal, error) {
	hash, ok := tokenHash(token)
	if !ok {
		return auth.Principal{}, errNotSignedIn
	}
	var (
		by    auth.Principal
		stale bool
	)
	// Crosses tenants: the token alone tells the person and their companies.
	err := s.cells.InSystemFor(ctx, uuid.UUID(hash[:16]), func(tx pgx.Tx) error {
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
		return auth.Principal{}, errNotSignedIn
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

// CurrentPrincipal returns a person's present principal in a workspace, for work that runs on their
// behalf. A person who no longer belongs there has no role.
func (s *Service) CurrentPrincipal(ctx context.Context, person, tenant, workspace uuid.UUID) (auth.Principal, error) {
	by := asPerson(person, tenant)
	by.Workspace = workspace
	// Crosses tenants: the lookup of a membership is shared with Identify.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) error {
		return place(ctx, q.New(tx), &by, tenant, workspace)
	})
	if fault.Is(err, fault.NotFound) {
		return by, nil
	}
	return by, err
}

// place sets the principal's tenant, workspace and role, or returns errNoPlace if the
// person does not belong there.
func place(ctx context.Context, queries *q.Queries, by *auth.Principal, tenant, workspace uuid.UUID) error {
	switch {
	case workspace != uuid.Nil:
		found, err := queries.FindWorkspaceMembership(ctx,
			q.FindWorkspaceMembershipParams{UserID: by.Person, WorkspaceID: workspace})
		if err != nil {
			return placeError(err)
		}
		if found.Suspended {
			return auth.ErrSuspended
		}
		by.Tenant, by.Workspace, by.Role = found.TenantID, workspace, auth.Role(found.Role)
		by.Zone, err = time.LoadLocation(found.TimeZone)
		return err
	case tenant != uuid.Nil:
		found, err := queries.FindMembership(ctx, q.FindMembershipParams{TenantID: tenant, UserID: by.Person})
		if err == nil && found.Suspended {
			return auth.ErrSuspended
		}
		by.Tenant, by.Role = tenant, auth.Role(found.Role)
		return placeError(err)
	}
	return nil
}

func placeError(err error) error {
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
			sessions = append(sessions, Session{ID: row.ID, Agent: row.UserAgent, Address: row.Address,
				CreatedAt: row.CreatedAt, LastSeenAt: row.LastSeenAt, ExpiresAt: row.ExpiresAt})
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
			return errUnknownSession
		}
		return err
	})
}

// EndOtherSessions ends all of the person's sessions except the present one.
func (s *Service) EndOtherSessions(ctx context.Context, by auth.Principal) error {
	return s.cells.InPerson(ctx, by.Person, uuid.Nil, func(tx pgx.Tx) error {
		return q.New(tx).EndSessions(ctx, q.EndSessionsParams{UserID: by.Person, ExceptID: by.Session})
	})
}

// newToken makes 256 random bits, encoded for cookies and links, and the hash to store.
func newToken() (token string, hash []byte) {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails: crypto/rand aborts the program instead
	sum := sha256.Sum256(random)
	return base64.RawURLEncoding.EncodeToString(random), sum[:]
}

// tokenHash returns the stored hash of a token, or false if the token is malformed.
func tokenHash(token string) ([]byte, bool) {
	random, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(random) != 32 {
		return nil, false
	}
	sum := sha256.Sum256(random)
	return sum[:], true
}

// shortened turns untrusted text into valid UTF-8 of at most that many characters.
func shortened(text string, most int) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}
