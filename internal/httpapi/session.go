package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/auth"
)

// cookieName is the cookie with the session's token. The prefix makes browsers require HTTPS,
// this host and the path /.
const cookieName = "__Host-quayside"

// browserCookieName is the cookie that identifies a browser in which somebody has signed in.
// It grants nothing: it keeps other people's wrong passwords from locking them out.
const browserCookieName = "__Host-quayside-browser"

// shown returns the value of a cookie, or nothing if the request has it twice.
func shown(r *http.Request, name string) string {
	cookies := r.CookiesNamed(name)
	if len(cookies) != 1 {
		return ""
	}
	return cookies[0].Value
}

func cookie(name, token string, expires time.Time) http.Cookie {
	return http.Cookie{
		Name: name, Value: token, Path: "/", Expires: expires,
		Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
}

// signedOut is an expired cookie that clears the session.
func signedOut() http.Cookie {
	gone := cookie(cookieName, "", time.Unix(1, 0)) //nolint:gosec // cookie sets all three attributes
	gone.MaxAge = -1
	return gone
}

type (
	personJSON struct {
		ID        uuid.UUID   `json:"id" format:"uuid"`
		Email     string      `json:"email"`
		Name      string      `json:"name"`
		Alerts    bool        `json:"alert_mails" doc:"Whether the person wants alerts by mail. Only Company-Admins and buyers get them, and only if this service sends mail."`
		Approvals bool        `json:"approval_mails" doc:"Whether the person wants to be told by mail what waits for their approval."`
		Mentions  bool        `json:"mention_mails" doc:"Whether the person wants to be told by mail who mentions them."`
		SentBack  bool        `json:"sent_back_mails" doc:"Whether the person wants to be told by mail what was sent back to them."`
		Places    []placeJSON `json:"tenants" doc:"The companies that the person belongs to."`
	}
	placeJSON struct {
		ID          uuid.UUID             `json:"id" format:"uuid"`
		Name        string                `json:"name"`
		Role        auth.Role             `json:"role" enum:"company_admin,approver,buyer,viewer"`
		Permissions []auth.Permission     `json:"permissions" doc:"What the role may do."`
		Workspaces  []placedWorkspaceJSON `json:"workspaces"`
	}
	placedWorkspaceJSON struct {
		ID           uuid.UUID `json:"id" format:"uuid"`
		Name         string    `json:"name"`
		TimeZone     string    `json:"time_zone"`
		BaseCurrency string    `json:"base_currency"`
		Locale       string    `json:"locale"`
		WeekStart    string    `json:"week_start" enum:"monday,tuesday,wednesday,thursday,friday,saturday,sunday"`
	}
	sessionJSON struct {
		ID         uuid.UUID `json:"id" format:"uuid"`
		Current    bool      `json:"current" doc:"True for the session of this call."`
		Agent      string    `json:"user_agent"`
		Address    string    `json:"address" doc:"The IP address that last used it."`
		CreatedAt  time.Time `json:"created_at"`
		LastSeenAt time.Time `json:"last_seen_at"`
		ExpiresAt  time.Time `json:"expires_at"`
	}
	credentials struct {
		Email    string `json:"email" maxLength:"254" example:"ada@example.com"`
		Password string `json:"password" maxLength:"1000" example:"correct horse battery"`
	}
	signedInOutput struct {
		SetCookie []http.Cookie `header:"Set-Cookie"`
		Body      personJSON
	}
	signedOutOutput struct {
		SetCookie http.Cookie `header:"Set-Cookie"`
	}
	resetOutput struct {
		SetCookie http.Cookie `header:"Set-Cookie"`
	}
	resetRequested struct {
		Mail bool `json:"mail" doc:"Whether this service sends mail. If it does not, a Company-Admin can create a link."`
	}
	// LinkToken is the token of a link that the service sent.
	LinkToken struct {
		Token string `json:"token" maxLength:"100" doc:"The part of the link after the #." example:"dGhpcyBpcyBub3QgYSByZWFsIHRva2VuLCBvayA_MTI"`
	}
)

// sessionOperations sign people in and out.
func (s *Server) sessionOperations(a *appAPI) {
	const tag = "You"
	register(a, operation{
		id: "signIn", method: http.MethodPost, path: "session", tag: tag, needs: anybody,
		summary: "Sign in", about: "Starts a session with a new token in a cookie. Too many tries for one account or from one address get 429. A browser that signed in before, and sends the cookie that it got then, has its own limit.",
	}, func(ctx context.Context, in *body[credentials]) (*signedInOutput, error) {
		entrance, err := s.Accounts.SignIn(ctx, in.Body.Email, in.Body.Password, by(ctx).Device)
		return s.enter(ctx, entrance, err)
	})
	register(a, operation{
		id: "getSession", method: http.MethodGet, path: "session", tag: tag, needs: signedIn,
		summary: "Get my session", about: "Returns the signed-in person, their companies, and what they may do in each.",
	}, func(ctx context.Context, _ *struct{}) (*body[personJSON], error) {
		person, err := s.Accounts.Profile(ctx, by(ctx).Principal)
		return &body[personJSON]{toPersonJSON(person)}, err
	})
	register(a, operation{
		id: "signOut", method: http.MethodDelete, path: "session", tag: tag, needs: signedIn, summary: "Sign out",
		status: http.StatusNoContent,
	}, func(ctx context.Context, _ *struct{}) (*signedOutOutput, error) {
		err := s.Accounts.EndSession(ctx, by(ctx).Principal, by(ctx).Session)
		return &signedOutOutput{signedOut()}, err
	})
	register(a, operation{
		id: "listSessions", method: http.MethodGet, path: "sessions", tag: tag, needs: signedIn,
		summary: "List my sessions",
	}, func(ctx context.Context, in *Paged) (*body[list[sessionJSON]], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		sessions, more, err := s.Accounts.Sessions(ctx, by(ctx).Principal, want)
		var items []sessionJSON
		for _, one := range sessions {
			items = append(items, sessionJSON{
				ID: one.ID, Current: one.ID == by(ctx).Session, Agent: one.Agent, Address: one.Address,
				CreatedAt: one.CreatedAt.UTC(), LastSeenAt: one.LastSeenAt.UTC(),
				ExpiresAt: one.ExpiresAt.UTC(),
			})
		}
		return listed(items, more, func(one sessionJSON) uuid.UUID { return one.ID }), err
	})
	register(a, operation{
		id: "endSession", method: http.MethodDelete, path: "sessions/{session}", tag: tag, needs: signedIn,
		status:  http.StatusNoContent,
		summary: "End one of my sessions", about: "Its next call is refused.",
	}, func(ctx context.Context, in *struct {
		Session uuid.UUID `path:"session" format:"uuid"`
	}) (*nothing, error) {
		return nil, s.Accounts.EndSession(ctx, by(ctx).Principal, in.Session)
	})
	register(a, operation{
		id: "endOtherSessions", method: http.MethodDelete, path: "sessions", tag: tag, needs: signedIn,
		status:  http.StatusNoContent,
		summary: "End all my sessions but this one",
	}, func(ctx context.Context, _ *struct{}) (*nothing, error) {
		return nil, s.Accounts.EndOtherSessions(ctx, by(ctx).Principal)
	})
	s.profileOperations(a)
	s.passwordOperations(a)
}

// profileOperations change a person's name and mail settings.
func (s *Server) profileOperations(a *appAPI) {
	const tag = "You"
	register(a, operation{
		id: "changeProfile", method: http.MethodPatch, path: "profile", tag: tag, needs: signedIn,
		summary: "Change my name, or which mails I get",
		about:   "Absent fields keep their value.",
	}, func(ctx context.Context, in *struct {
		Body struct {
			Name      *string `json:"name,omitempty" minLength:"1" maxLength:"200" example:"Ada Lovelace"`
			Alerts    *bool   `json:"alert_mails,omitempty" example:"true"`
			Approvals *bool   `json:"approval_mails,omitempty" example:"true"`
			Mentions  *bool   `json:"mention_mails,omitempty" example:"true"`
			SentBack  *bool   `json:"sent_back_mails,omitempty" example:"true"`
		}
	}) (*body[personJSON], error) {
		if err := s.Accounts.ChangeProfile(ctx, by(ctx).Principal,
			account.ProfileChange{Name: in.Body.Name, AlertMails: in.Body.Alerts, ApprovalMails: in.Body.Approvals,
				MentionMails: in.Body.Mentions, SentBackMails: in.Body.SentBack}); err != nil {
			return nil, err
		}
		person, err := s.Accounts.Profile(ctx, by(ctx).Principal)
		return &body[personJSON]{toPersonJSON(person)}, err
	})
}

// passwordOperations change and reset passwords.
func (s *Server) passwordOperations(a *appAPI) {
	const tag = "You"
	register(a, operation{
		id: "changePassword", method: http.MethodPost, path: "password", tag: tag, needs: signedIn,
		status:  http.StatusNoContent,
		summary: "Change my password", about: "All other sessions end.",
	}, func(ctx context.Context, in *struct {
		Body struct {
			Current string `json:"current_password" maxLength:"1000" example:"correct horse battery"`
			New     string `json:"new_password" maxLength:"1000" example:"a few other words"`
		}
	}) (*nothing, error) {
		return nil, s.Accounts.ChangePassword(ctx, by(ctx).Principal, in.Body.Current, in.Body.New, by(ctx).Device)
	})
	register(a, operation{
		id: "requestPasswordReset", method: http.MethodPost, path: "password-resets", tag: tag, needs: anybody,
		status:  http.StatusAccepted,
		summary: "Ask for a link to choose a new password",
		about:   "The answer is the same whether or not the email address has an account.",
	}, func(ctx context.Context, in *struct {
		Body struct {
			Email string `json:"email" maxLength:"254" example:"ada@example.com"`
		}
	}) (*body[resetRequested], error) {
		mailed, err := s.Accounts.RequestReset(ctx, in.Body.Email, by(ctx).Address)
		return &body[resetRequested]{resetRequested{mailed}}, err
	})
	register(a, operation{
		id: "resetPassword", method: http.MethodPost, path: "password-resets/use", tag: tag, needs: anybody,
		status:  http.StatusNoContent,
		summary: "Choose a new password with a link",
		about:   "A link works once. All sessions end, and so do the person's tokens for assistants, in every company, unless end_tokens is false.",
	}, func(ctx context.Context, in *struct {
		Body struct {
			LinkToken
			Password  string `json:"password" maxLength:"1000" example:"a few other words"`
			EndTokens *bool  `json:"end_tokens,omitempty" doc:"Whether the person's tokens end too, in case somebody else used the account to create some. Absent means true." example:"true"`
		}
	}) (*resetOutput, error) {
		endTokens := in.Body.EndTokens == nil || *in.Body.EndTokens
		entrance, err := s.Accounts.Reset(ctx, in.Body.Token, in.Body.Password, endTokens, by(ctx).Device)
		return &resetOutput{cookie(browserCookieName, entrance.Browser, entrance.BrowserExpires)}, err
	})
}

// enter answers somebody who has just signed in.
func (s *Server) enter(ctx context.Context, in account.Entrance, err error) (*signedInOutput, error) {
	if err != nil {
		return nil, err
	}
	principal, err := s.Accounts.Identify(ctx, in.Session, uuid.Nil, uuid.Nil, by(ctx).Device)
	if err != nil {
		return nil, err
	}
	person, err := s.Accounts.Profile(ctx, principal)
	return &signedInOutput{SetCookie: []http.Cookie{
		cookie(cookieName, in.Session, in.Expires), cookie(browserCookieName, in.Browser, in.BrowserExpires),
	}, Body: toPersonJSON(person)}, err
}

func toPersonJSON(person account.Person) personJSON {
	out := personJSON{ID: person.ID, Email: person.Email, Name: person.Name, Alerts: person.Mails.Alerts,
		Approvals: person.Mails.Approvals, Mentions: person.Mails.Mentions, SentBack: person.Mails.SentBack,
		Places: []placeJSON{}}
	for _, place := range person.Places {
		at := placeJSON{ID: place.Tenant, Name: place.Name, Role: place.Role, Permissions: place.Role.Permissions(),
			Workspaces: []placedWorkspaceJSON{}}
		for _, w := range place.Workspaces {
			at.Workspaces = append(at.Workspaces, placedWorkspaceJSON{
				ID: w.ID, Name: w.Name, TimeZone: w.TimeZone, BaseCurrency: w.BaseCurrency, Locale: w.Locale,
				WeekStart: w.WeekStartDay(),
			})
		}
		out.Places = append(out.Places, at)
	}
	return out
}
