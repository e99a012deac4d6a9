package cli

import (
	"context"
	"fmt"
	"io"
	"os/signal"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/demo"
	"github.com/quayside/quayside/internal/fault"
)

func demoCommand() *cobra.Command {
	var noServe, intoExisting bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Fill an empty database with a sample company, and serve it",
		Long: "Migrates, creates the company " + demo.Company + " with people, keys and records in every table, and\n" +
			"serves. A second run finds the company and only serves. The password is public: run the demo\n" +
			"where nobody else can reach it.",
		Args: cobra.NoArgs,
		RunE: withApp(func(cmd *cobra.Command, a *app.App) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGTERM, syscall.SIGINT)
			defer stop()
			filler := &demo.Filler{Accounts: a.Accounts, Keys: a.Keys, Records: a.Records, Meter: a.Meter, Alerts: a.Alerts,
				Progress: cmd.ErrOrStderr()}
			filled, err := fillDemo(ctx, a, filler, intoExisting)
			if err != nil {
				return err
			}
			// Printed before it serves, so that the key is shown even if the address is in use.
			if err := showDemo(cmd, a.BaseURL(), filled); err != nil || noServe || ctx.Err() != nil {
				return err
			}
			return a.Serve(ctx)
		}),
	}
	cmd.Flags().BoolVar(&noServe, "no-serve", false, "exit after filling")
	cmd.Flags().BoolVar(&intoExisting, "into-existing", false, "add the demo next to existing companies")
	jsonFlag(cmd)
	return cmd
}

// fillDemo migrates and fills the database until ctx ends.
func fillDemo(ctx context.Context, a *app.App, filler *demo.Filler, intoExisting bool) (filled demo.Filled, err error) {
	if err = readyForDemo(ctx, a, filler, intoExisting); err == nil {
		filled, err = filler.Fill(ctx, time.Now())
	}
	if err != nil && ctx.Err() != nil {
		err = fault.New(fault.Unavailable, "stopped", "stopped before the demo was complete; run it again and it goes on")
	}
	return filled, err
}

// readyForDemo migrates, unless the database has other data. It checks that before the
// migration, so that a foreign database is not touched, and again afterwards, since the first
// check fails without a schema.
func readyForDemo(ctx context.Context, a *app.App, filler *demo.Filler, intoExisting bool) error {
	if !intoExisting {
		if err := filler.Alone(ctx); fault.HasCode(err, demo.NotEmpty) {
			return err
		}
	}
	applied, err := a.Migrate(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(filler.Progress, "%-22s %5d  applied\n", "migrations", len(applied))
	if err := a.Prepare(ctx); err != nil || intoExisting {
		return err
	}
	return filler.Alone(ctx)
}

// showDemo prints the demo's address, logins and key.
func showDemo(cmd *cobra.Command, baseURL string, filled demo.Filled) error {
	result := struct {
		Address   string       `json:"address"`
		Tenant    uuid.UUID    `json:"tenant_id"`
		Workspace uuid.UUID    `json:"workspace_id"`
		Logins    []demo.Login `json:"logins"`
		Password  string       `json:"password"`
		Key       string       `json:"key,omitempty"`
	}{baseURL, filled.Tenant.ID, filled.Tenant.Workspace, demo.Logins(), demo.Password, filled.MasterKey}
	return show(cmd, result, func(w io.Writer) {
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintf(table, "\n%s\t%s\ndocumentation\t%s/docs\n\n", demo.Company, baseURL, baseURL)
		for _, login := range demo.Logins() {
			fmt.Fprintf(table, "%s\t%s\t%s\n", login.Email, login.Name, login.Role)
		}
		fmt.Fprintf(table, "password\t%s\n\n", demo.Password)
		_ = table.Flush()
		if filled.MasterKey == "" {
			fmt.Fprintf(w, "The Master Import Key was shown when the demo was filled and cannot be shown again.\n"+
				"Another one: quayside key create --tenant %s --scope '*' --label \"My key\"\n\n", filled.Tenant.ID)
			return
		}
		fmt.Fprintf(w, "Master Import Key, shown this once:\n%s\n\n"+
			"curl -s %s/api/ingest/suppliers -H 'Authorization: Bearer %s' \\\n"+
			"  -d '{\"external_id\": \"SUP-40\", \"name\": \"My first supplier\"}'\n\n", filled.MasterKey, baseURL,
			filled.MasterKey)
	})
}
