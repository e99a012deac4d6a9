package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/demo"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/shop"
)

func demoCommand() *cobra.Command {
	var flags demoFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Fill an empty database with a sample company, and serve it",
		Long: "Migrates, creates the company " + demo.Company + " with people, keys and records in every table, and\n" +
			"serves. The company has sold 1,200 articles for two years, until yesterday. A second run finds\n" +
			"the company and only serves. The password is public: run the demo where nobody else can reach\n" +
			"it.",
		Args:    cobra.NoArgs,
		PreRunE: func(*cobra.Command, []string) error { return flags.check() },
		RunE: withOwner(func(cmd *cobra.Command, a *app.App) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGTERM, syscall.SIGINT)
			defer stop()
			return runDemo(ctx, cmd, a, flags)
		}),
	}
	cmd.Flags().BoolVar(&flags.noServe, "no-serve", false, "exit after filling")
	cmd.Flags().BoolVar(&flags.intoExisting, "into-existing", false, "add the demo next to existing companies")
	cmd.Flags().BoolVar(&flags.small, "small", false, "only some hundred records, without the two years of sales")
	cmd.Flags().IntVar(&flags.scale, "scale", 1, "multiply articles, suppliers and sales")
	cmd.Flags().StringVar(&flags.truth, "truth", "",
		"write the true demand for each article and day to this file, as NDJSON")
	cmd.Flags().BoolVar(&flags.live, "live", false, "send an order every few seconds while serving")
	jsonFlag(cmd)
	cmd.AddCommand(demoResetCommand())
	return cmd
}

func demoResetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reset",
		Short: "Remove the demo's company and all of its data",
		Long: "Removes the company " + demo.Company + " with its records, keys and audit log. The accounts of its\n" +
			"people are kept, and so is everything of other companies. Stop the service first.",
		Args: cobra.NoArgs,
		RunE: withCheckedOwner(func(cmd *cobra.Command, a *app.App) error {
			tenant, found, err := (&demo.Filler{Accounts: a.Accounts}).Find(cmd.Context())
			if err != nil {
				return err
			}
			if !found {
				fmt.Fprintln(cmd.ErrOrStderr(), "there is no demo to remove")
				return nil
			}
			if err := a.RemoveTenant(cmd.Context(), tenant.ID); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%s is removed\n", tenant.Name)
			return nil
		}),
	}
}

// demoFlags are the flags of demo.
type demoFlags struct {
	noServe, intoExisting, small, live bool
	scale                              int
	truth                              string
}

// check refuses flags that contradict each other.
func (f demoFlags) check() error {
	switch {
	case f.scale < 1 || f.scale > demo.MaxScale:
		return fmt.Errorf("--scale is a number from 1 to %d", demo.MaxScale)
	case f.small && (f.scale != 1 || f.truth != ""):
		return errors.New("--small leaves out the sales that --scale and --truth are about")
	case f.live && f.noServe:
		return errors.New("--live sends orders while serving, and --no-serve does not serve")
	}
	return nil
}

// runDemo fills the database, prints the result and serves.
func runDemo(ctx context.Context, cmd *cobra.Command, a *app.App, flags demoFlags) error {
	filler := &demo.Filler{Accounts: a.Accounts, Keys: a.Keys, Records: a.Records, Meter: a.Meter, Alerts: a.Alerts,
		Progress: cmd.ErrOrStderr(), Grown: a.Analyze}
	if !flags.small {
		filler.Scale = flags.scale
	}
	if flags.truth != "" {
		filler.Truth = func(made *shop.Shop) error { return writeTruth(flags.truth, made) }
	}
	filled, err := fillDemo(ctx, a, filler, flags.intoExisting)
	if err != nil {
		return err
	}
	if filled.MasterKey == "" && (flags.truth != "" || flags.scale != 1) {
		return fault.New(fault.Conflict, "filled_before",
			"the demo is already there; remove it with 'quayside demo reset' before you use --scale or --truth")
	}
	// Printed before it serves, so that the key is shown even if the address is in use.
	if err := showDemo(cmd, a.BaseURL(), filled); err != nil || flags.noServe || ctx.Err() != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	var dripping sync.WaitGroup
	defer dripping.Wait()
	defer stop()
	if flags.live {
		dripping.Go(func() { filler.Drip(ctx, filled.Tenant.ID) })
	}
	return a.Serve(ctx)
}

// writeTruth writes the truth about a made shop to a file.
func writeTruth(path string, made *shop.Shop) error {
	file, err := os.Create(path) //nolint:gosec // the operator names it
	if err != nil {
		return err
	}
	return errors.Join(made.WriteTruth(file), file.Close())
}

// fillDemo migrates and fills the database until ctx ends, and computes sales, demand and the queue. When it
// returns without an error, the demo is complete and can be shown.
func fillDemo(ctx context.Context, a *app.App, filler *demo.Filler, intoExisting bool) (filled demo.Filled, err error) {
	if err = readyForDemo(ctx, a, filler, intoExisting); err == nil {
		filled, err = filler.Fill(ctx, time.Now())
	}
	if err == nil {
		err = a.Sales.CatchUp(ctx, filled.Tenant.ID, filled.Tenant.Workspace)
	}
	if err == nil {
		err = a.Forecasts.Daily(ctx, time.Now())
	}
	if err == nil {
		err = a.Procure.CatchUp(ctx)
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
	fmt.Fprintf(filler.Progress, "%-22s %7d  applied\n", "migrations", len(applied))
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
