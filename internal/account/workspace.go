package account

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // workspaces have zones, slim images do not
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/currency"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/pg/q"
)

// Workspace is a part of a company with records, keys and settings of its own.
type Workspace struct {
	ID           uuid.UUID
	Name         string
	TimeZone     string // decides what midnight is
	BaseCurrency string
	Locale       string
	WeekStart    int16 // 1 is Monday, 7 Sunday
	// What purchase orders say of the workspace. Empty: they say nothing.
	Address, DeliveryAddress string // in several lines
	OrderContact             string // whom suppliers ask
	OrderEmail               string // where suppliers answer
	VatID                    string
	Version                  int64
	CreatedAt                time.Time
}

// WorkspaceChange lists the new values of a workspace. A nil field keeps its value.
type WorkspaceChange struct {
	Name, TimeZone, BaseCurrency, Locale *string
	WeekStart                            *string // a day, such as "monday"
	Sender                               Sender
}

// Sender lists new values of what purchase orders say of a workspace.
type Sender struct {
	Address, DeliveryAddress, OrderContact, OrderEmail, VatID *string
}

// weekdays are the words for the days on which a week can start, by their numbers; 0 is no day.
var weekdays = []string{"", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

// WeekStartDay returns the day on which weeks start as a word, such as "monday".
func (w Workspace) WeekStartDay() string {
	return weekdays[w.WeekStart]
}

var localePattern = regexp.MustCompile(`^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$`)

// apply checks a change and applies it to w.
func (w *Workspace) apply(change WorkspaceChange) (err error) {
	if change.Name != nil {
		if w.Name, err = checkName("a workspace", *change.Name); err != nil {
			return err
		}
	}
	if zone := change.TimeZone; zone != nil {
		if _, err := time.LoadLocation(*zone); err != nil || *zone == "" || *zone == "Local" {
			return fault.InField("time_zone", "time_zone", "there is no time zone %q; zones look like Europe/Berlin or UTC",
				*zone)
		}
		w.TimeZone = *zone
	}
	if change.BaseCurrency != nil {
		code, known := currency.Code(*change.BaseCurrency)
		if !known {
			return fault.InField("base_currency", "currency", "there is no currency %s; give its three letters, such as EUR",
				fault.Shorten(*change.BaseCurrency))
		}
		w.BaseCurrency = code
	}
	if change.Locale != nil {
		if !localePattern.MatchString(*change.Locale) {
			return fault.InField("locale", "locale", "a locale is a language with or without a region, such as en or de-CH")
		}
		w.Locale = *change.Locale
	}
	if change.WeekStart != nil {
		day := slices.Index(weekdays, *change.WeekStart)
		if day < 1 {
			return fault.InField("week_start", "week_start", "there is no day %q; give the first day of a week, such as monday",
				fault.Shorten(*change.WeekStart))
		}
		w.WeekStart = int16(day) //nolint:gosec // at most 7
	}
	return w.applySender(change.Sender)
}

// applySender checks and applies what orders say of the workspace. An empty text removes a value.
func (w *Workspace) applySender(change Sender) error {
	for _, set := range []struct {
		field   string
		given   *string
		value   *string
		longest int
		lines   bool
	}{
		{"address", change.Address, &w.Address, 1000, true},
		{"delivery_address", change.DeliveryAddress, &w.DeliveryAddress, 1000, true},
		{"order_contact", change.OrderContact, &w.OrderContact, 200, false},
		{"order_email", change.OrderEmail, &w.OrderEmail, 200, false},
		{"vat_id", change.VatID, &w.VatID, 50, false},
	} {
		if set.given == nil {
			continue
		}
		text := strings.TrimSpace(strings.ReplaceAll(*set.given, "\r\n", "\n"))
		if utf8.RuneCountInString(text) > set.longest || strings.ContainsFunc(text, func(r rune) bool {
			return unicode.IsControl(r) && (r != '\n' || !set.lines)
		}) {
			return fault.InField(set.field, "text", "give a text of at most %d characters", set.longest)
		}
		*set.value = text
	}
	if change.OrderEmail != nil && w.OrderEmail != "" && !mail.IsAddress(w.OrderEmail) {
		return fault.InField("order_email", "email", "give one mail address, such as purchasing@example.com")
	}
	return nil
}

// data returns the workspace's settings for the audit log.
func (w Workspace) data() audit.Data {
	return audit.Data{"name": w.Name, "time_zone": w.TimeZone, "base_currency": w.BaseCurrency, "locale": w.Locale,
		"week_start": w.WeekStartDay(), "address": w.Address, "delivery_address": w.DeliveryAddress,
		"order_contact": w.OrderContact, "order_email": w.OrderEmail, "vat_id": w.VatID}
}

// Workspaces lists the company's workspaces, the first one first.
func (s *Service) Workspaces(ctx context.Context, by auth.Principal) (workspaces []Workspace, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, err
	}
	err = s.cells.InControl(ctx, by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListWorkspaces(ctx, by.Tenant)
		for _, row := range rows {
			workspaces = append(workspaces, Workspace(row))
		}
		return err
	})
	return workspaces, err
}

// Workspace returns the workspace that the principal is in.
func (s *Service) Workspace(ctx context.Context, by auth.Principal) (Workspace, error) {
	workspaces, err := s.Workspaces(ctx, by)
	for _, workspace := range workspaces {
		if workspace.ID == by.Workspace {
			return workspace, err
		}
	}
	if err == nil {
		err = errNoPlace
	}
	return Workspace{}, err
}

// mostWorkspaces bounds the workspaces of a company, since every screen lists them.
const mostWorkspaces = 100

// CreateWorkspace adds a workspace to the company.
func (s *Service) CreateWorkspace(ctx context.Context, by auth.Principal, settings WorkspaceChange) (Workspace, error) {
	if err := by.Require(auth.ManageWorkspaces); err != nil {
		return Workspace{}, err
	}
	made := Workspace{ID: newID(), TimeZone: "UTC", BaseCurrency: "EUR", Locale: "en", WeekStart: 1}
	if err := made.apply(settings); err != nil {
		return Workspace{}, err
	}
	err := s.cells.InControl(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if _, err := queries.LockTenant(ctx, by.Tenant); err != nil {
			return err
		}
		present, err := queries.ListWorkspaces(ctx, by.Tenant)
		if err != nil {
			return err
		}
		if len(present) >= mostWorkspaces {
			return fault.New(fault.Conflict, "too_many_workspaces", "a company has at most %d workspaces", mostWorkspaces)
		}
		row, err := queries.AddWorkspace(ctx, q.AddWorkspaceParams{
			TenantID: by.Tenant, ID: made.ID, Name: made.Name, TimeZone: made.TimeZone, BaseCurrency: made.BaseCurrency,
			Locale: made.Locale, WeekStart: made.WeekStart, Address: made.Address, DeliveryAddress: made.DeliveryAddress,
			OrderContact: made.OrderContact, OrderEmail: made.OrderEmail, VatID: made.VatID,
		})
		if err != nil {
			return err
		}
		made = Workspace(row)
		return audit.Record(ctx, tx, by, "workspace.created", made.ID.String(), made.data())
	})
	return made, err
}

// ChangeWorkspace changes the workspace that the principal is in, if it still has the
// version that the caller saw.
func (s *Service) ChangeWorkspace(ctx context.Context, by auth.Principal, change WorkspaceChange, version int64) (
	Workspace, error) {
	if err := by.Require(auth.ManageWorkspaces); err != nil {
		return Workspace{}, err
	}
	var changed Workspace
	err := s.cells.InControl(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		present, err := queries.LockWorkspace(ctx, q.LockWorkspaceParams{TenantID: by.Tenant, ID: by.Workspace})
		if err != nil {
			return err
		}
		changed = Workspace(present)
		if changed.Version != version {
			return stale("this workspace")
		}
		if err := changed.apply(change); err != nil {
			return err
		}
		row, err := queries.ChangeWorkspace(ctx, q.ChangeWorkspaceParams{
			TenantID: by.Tenant, ID: by.Workspace, Name: changed.Name, TimeZone: changed.TimeZone,
			BaseCurrency: changed.BaseCurrency, Locale: changed.Locale, WeekStart: changed.WeekStart,
			Address: changed.Address, DeliveryAddress: changed.DeliveryAddress, OrderContact: changed.OrderContact,
			OrderEmail: changed.OrderEmail, VatID: changed.VatID,
		})
		if err != nil {
			return err
		}
		changed = Workspace(row)
		return audit.Record(ctx, tx, by, "workspace.changed", by.Workspace.String(),
			audit.Data{"from": Workspace(present).data(), "to": changed.data()})
	})
	return changed, err
}
