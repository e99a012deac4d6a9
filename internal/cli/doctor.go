package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/freshness"
	"github.com/quayside/quayside/internal/purchase"
)

const (
	driftAllowed   = 5 * time.Second
	diskWanted     = 1 << 30
	doctorPatience = 15 * time.Second
)

func doctorCommand() *cobra.Command {
	var leaveLogins bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the installation and say what to do",
		Long: "Runs with the environment of the service. Among other things it tries whether the password of the\n" +
			"service's login opens the login of the owner or of a superuser. PostgreSQL logs each of these tries as\n" +
			"a failed login; --no-logins leaves them out, for probes that run again and again.",
		Args: cobra.NoArgs,
		RunE: withApp(func(cmd *cobra.Command, a *app.App) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), doctorPatience)
			defer cancel()
			findings := examine(ctx, a, !leaveLogins)
			failed := 0
			for _, finding := range findings {
				if !finding.OK {
					failed++
				}
			}
			err := show(cmd, findings, func(w io.Writer) {
				for _, finding := range findings {
					mark := "ok  "
					if !finding.OK {
						mark = "FAIL"
					}
					fmt.Fprintf(w, "%s  %-13s %s\n", mark, finding.Check, finding.Detail)
				}
			})
			if err == nil && failed > 0 {
				return fault.New(fault.Unavailable, "unhealthy", "%d of %d checks failed", failed, len(findings))
			}
			return err
		}),
	}
	cmd.Flags().BoolVar(&leaveLogins, "no-logins", false, "do not try the service's password on other logins")
	jsonFlag(cmd)
	return cmd
}

// finding is the result of one check.
type finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// examine runs the checks in the order of their dependencies. Without a connection the other
// checks would only repeat that failure.
func examine(ctx context.Context, a *app.App, tryLogins bool) []finding {
	var findings []finding
	check := func(name, fine string, err error) {
		found := finding{Check: name, OK: err == nil, Detail: fine}
		if err != nil {
			found.Detail = explain(err)
		}
		findings = append(findings, found)
	}
	connected := a.Cells.Ping(ctx)
	check("connection", "PostgreSQL answers and lets us in", connected)
	if connected == nil {
		server, err := a.Cells.CheckServer(ctx)
		check("server", server, err)
		check("writing", "PostgreSQL stores what is committed", a.Cells.Pulse(ctx))
		check("role", "the service's role owns nothing and row security binds it", a.Cells.CheckRole(ctx))
		check("login", loginDetail(tryLogins), a.CheckLogin(ctx, tryLogins))
		migrated := a.Cells.CheckMigrations(ctx)
		check("migrations", "up to date", migrated)
		if migrated == nil {
			check("row security", "every table of every tenant is under it", rowSecurity(ctx, a))
			check("partitions", "tomorrow's events have a place", a.Cells.CheckPartitions(ctx))
			check("history", "nothing holds back the dropping of old events", history(a.History(ctx)))
			check("figures", "the demand and the queue of every workspace are computed", figures(a.Lagging(ctx)))
			check("place", "the database is where it was", place(ctx, a))
			kept, err := secrets(ctx, a)
			check("secrets", kept, err)
			above, err := approvals(ctx, a)
			check("approvals", above, err)
		}
		spare, err := a.Cells.CheckConnections(ctx)
		check("connections", connections(a, spare), err)
		check("clock", "in step with the database's", clock(ctx, a))
	}
	check("disk", "at least 1 GiB free here", disk())
	check("spool", spoolDetail(a), a.CheckSpool())
	return findings
}

// mostLagging is how many workspaces are named whose figures lag.
const mostLagging = 5

// figures fails if the demand or the queue of a workspace was not computed for long, and names it.
func figures(lagging []freshness.Workspace, err error) error {
	if err != nil || len(lagging) == 0 {
		return err
	}
	var named []string
	for _, w := range lagging[:min(len(lagging), mostLagging)] {
		named = append(named, fmt.Sprintf("%s of the workspace %q of %q since %s", lagParts[w.Part], w.Name, w.Company,
			w.Since.UTC().Format(time.RFC3339)))
	}
	if more := len(lagging) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("%d more", more))
	}
	return fmt.Errorf("not computed: %s; the service computes them while it runs, and logs why it cannot as \"chore failed\"",
		strings.Join(named, "; "))
}

var lagParts = map[freshness.Part]string{freshness.Demand: "the demand", freshness.Queue: "the queue"}

// place fails if the database was restored or moved, which holds back what it sends.
func place(ctx context.Context, a *app.App) error {
	moved, err := a.Cells.Moved(ctx)
	if err == nil && moved {
		return errors.New("it was restored or moved, so nothing is sent; run 'quayside backup restored', then restart the service")
	}
	return err
}

// loginDetail says what the check of the service's login has found out, and warns if the owner's login is near.
func loginDetail(tried bool) string {
	detail := "the service's login may not become the owner or a superuser"
	if tried {
		detail += ", and its password opens neither"
	}
	if app.OwnerIsNear() {
		detail += "; QUAYSIDE_MIGRATE_URL is set here: keep it out of the environment of 'quayside serve', which does not read it"
	}
	return detail
}

func rowSecurity(ctx context.Context, a *app.App) error {
	gaps, err := a.Cells.CheckRowSecurity(ctx)
	if err == nil && len(gaps) > 0 {
		return fmt.Errorf("%s. Enable it with control.protect in a migration", strings.Join(gaps, "; "))
	}
	return err
}

// secrets says which keys the stored secrets need, and fails if one of them is missing or wrong.
func secrets(ctx context.Context, a *app.App) (detail string, err error) {
	needs, err := a.Vault.Needs(ctx)
	if err != nil {
		return "", err
	}
	ready := a.Vault.Ready() == nil
	var all, old int64
	for _, need := range needs {
		if need.Err != nil {
			return "", fmt.Errorf("%d secrets of other systems: %s", need.Secrets, explain(need.Err))
		}
		if all += need.Secrets; !need.Newest {
			old += need.Secrets
		}
	}
	switch {
	case old > 0:
		return fmt.Sprintf("%d of %d need an old key; run 'quayside secrets rotate' before you remove it", old, all), nil
	case all == 0 && !ready:
		return "none; to connect other systems, set QUAYSIDE_SECRET_KEYS", nil
	}
	return fmt.Sprintf("all %d are encrypted with the newest key", all), nil
}

// mostAbove is how many lines above their approval are listed.
const mostAbove = 20

// approvals lists the ordered lines that are above their approval. It does not fail because of them: the installation works, and
// people of the company decide.
func approvals(ctx context.Context, a *app.App) (detail string, err error) {
	tenants, err := a.Accounts.Tenants(ctx)
	if err != nil {
		return "", err
	}
	names, ids := map[uuid.UUID]string{}, []uuid.UUID{}
	for _, tenant := range tenants {
		names[tenant.ID] = tenant.Name
		ids = append(ids, tenant.ID)
	}
	above, err := a.Purchase.ListAbove(ctx, ids)
	return listAbove(above, names), err
}

// listAbove names lines by order, company and article. The texts are other people's, so they are quoted.
func listAbove(above []purchase.Above, names map[uuid.UUID]string) string {
	if len(above) == 0 {
		return "no ordered line is above its approval"
	}
	var listed []string
	for _, line := range above[:min(len(above), mostAbove)] {
		listed = append(listed, fmt.Sprintf("%q of %q, %q: %s approved, %s ordered (%s)", fault.Shorten(line.OrderNo), names[line.Tenant],
			fault.Shorten(line.SKU), line.Approved, line.Ordered, strings.Join(line.Columns, ", ")))
	}
	if more := len(above) - mostAbove; more > 0 {
		listed = append(listed, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("ordered lines above their approval: %d. In parentheses is what an edit sends back for approval. %s", len(above),
		strings.Join(listed, "; "))
}

// connections says how many the service may make, and warns if they are not free now.
func connections(a *app.App, spare int32) string {
	needs := a.Cells.Sizes().All()
	if spare < 0 {
		return fmt.Sprintf("PostgreSQL allows the %d that the service may make; but others have so many that %d are missing now",
			needs, -spare)
	}
	return fmt.Sprintf("PostgreSQL allows the %d that the service may make, and %d more now", needs, spare)
}

func clock(ctx context.Context, a *app.App) error {
	drift, err := a.Cells.ClockDrift(ctx)
	if err == nil && drift.Abs() > driftAllowed {
		return fmt.Errorf("the database's clock is %s away from this machine's; set both by NTP",
			drift.Round(time.Millisecond))
	}
	return err
}

func disk() error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	var stat syscall.Statfs_t
	if err := syscall.Statfs(here, &stat); err != nil {
		return err
	}
	if free := stat.Bavail * uint64(stat.Bsize); free < diskWanted { //nolint:gosec // a block's size is positive
		return fmt.Errorf("only %d MiB free in %s; make room", free>>20, here)
	}
	return nil
}

func spoolDetail(a *app.App) string {
	if a.SpoolFolder() == "" {
		return "off: what PostgreSQL cannot take even as a failed import is answered 503 and not kept"
	}
	return "nothing waits in " + a.SpoolFolder()
}
