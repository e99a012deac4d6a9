package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/fault"
)

// lifeJSON is what became of a company, as the command line prints it.
type lifeJSON struct {
	ID          uuid.UUID  `json:"tenant_id"`
	SuspendedAt *time.Time `json:"suspended_at"`
	Because     string     `json:"suspended_because,omitempty"`
	DeleteAfter *time.Time `json:"delete_after,omitempty"`
}

func showLife(cmd *cobra.Command, tenant uuid.UUID, life account.Life, says string) error {
	return show(cmd, lifeJSON{tenant, life.SuspendedAt, life.Because, life.DeleteAfter}, func(w io.Writer) { fmt.Fprintln(w, says) })
}

// tenantFlag adds the flag that names a company.
func tenantFlag(cmd *cobra.Command) *idFlag {
	tenant := &idFlag{}
	cmd.Flags().Var(tenant, "tenant", "the company's id")
	must(cmd.MarkFlagRequired("tenant"))
	jsonFlag(cmd)
	return tenant
}

func tenantSuspendCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "suspend --tenant ID",
		Short: "Keep everybody of a company out; nothing is deleted",
		Long: "From their next call on, people, API keys and tokens of the company get 403 on every instance, and its\n" +
			"background jobs wait. 'quayside tenant resume' takes it back.",
		Args: cobra.NoArgs,
	}
	tenant := tenantFlag(cmd)
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the audit log")
	cmd.RunE = withCheckedApp(func(cmd *cobra.Command, a *app.App) error {
		life, err := a.Accounts.Suspend(cmd.Context(), tenant.id, reason)
		if err != nil {
			return err
		}
		return showLife(cmd, tenant.id, life, "suspended")
	})
	return cmd
}

func tenantResumeCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "resume --tenant ID", Short: "Let a suspended company go on, and take a planned deletion back", Args: cobra.NoArgs}
	tenant := tenantFlag(cmd)
	cmd.RunE = withCheckedApp(func(cmd *cobra.Command, a *app.App) error {
		life, err := a.Accounts.Resume(cmd.Context(), tenant.id)
		if err != nil {
			return err
		}
		return showLife(cmd, tenant.id, life, "the company goes on as before")
	})
	return cmd
}

func tenantExportCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "export --tenant ID --to FILE",
		Short: "Write everything of a company into a new zip file, without secrets",
		Long: "Every row of every table as a line of JSON, a file for each table, as of one moment. Hashes of keys and\n" +
			"tokens and stored secrets are left out. Works for suspended companies too.",
		Args: cobra.NoArgs,
	}
	tenant := tenantFlag(cmd)
	cmd.Flags().StringVar(&file, "to", "", "the new file")
	must(cmd.MarkFlagRequired("to"))
	cmd.RunE = withCheckedOwner(func(cmd *cobra.Command, a *app.App) error {
		rows, err := exportTo(cmd, a, tenant.id, file)
		if err != nil {
			return err
		}
		return show(cmd, rows, func(w io.Writer) {
			var all int64
			for _, count := range rows {
				all += count
			}
			fmt.Fprintf(w, "%s has %d rows of %d tables\n", file, all, len(rows))
		})
	})
	return cmd
}

func exportTo(cmd *cobra.Command, a *app.App, tenant uuid.UUID, file string) (rows map[string]int64, err error) {
	out, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the operator's own file
	if err != nil {
		return nil, fault.New(fault.Conflict, "file", "%s cannot be made: %s", file, err)
	}
	rows, err = a.ExportTenant(cmd.Context(), tenant, out)
	if err == nil && rows["control.tenants"] == 0 {
		err = fault.New(fault.NotFound, "unknown_tenant", "there is no tenant %s", tenant)
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return nil, errors.Join(err, os.Remove(file))
	}
	return rows, nil
}

// deleteWait is how long a company is kept after somebody asked for its deletion.
const deleteWait = 30

func tenantDeleteCommand() *cobra.Command {
	var (
		days uint16
		now  bool
	)
	cmd := &cobra.Command{
		Use:   "delete --tenant ID",
		Short: "Plan the deletion of a company; after the waiting period, delete it with --now",
		Long: "Suspends the company and plans its deletion. After the waiting period --now deletes it with all of its data,\n" +
			"including its audit log, and proves that no row of it remains in any table. User accounts are kept: they may\n" +
			"belong to other companies. It locks the tables meanwhile; choose a quiet hour. Until then\n" +
			"'quayside tenant resume' takes it back, and 'quayside tenant export' saves the data.",
		Args: cobra.NoArgs,
	}
	tenant := tenantFlag(cmd)
	cmd.Flags().Uint16Var(&days, "wait", deleteWait, "days until it may be deleted")
	cmd.Flags().BoolVar(&now, "now", false, "delete it; only after the waiting period")
	cmd.MarkFlagsMutuallyExclusive("wait", "now")
	cmd.RunE = withCheckedOwner(func(cmd *cobra.Command, a *app.App) error {
		if now {
			if err := a.DeleteTenant(cmd.Context(), tenant.id); err != nil {
				return err
			}
			return showLife(cmd, tenant.id, account.Life{}, "deleted; no row of it remains")
		}
		life, err := a.Accounts.PlanDeletion(cmd.Context(), tenant.id, time.Duration(days)*24*time.Hour)
		if err != nil {
			return err
		}
		return showLife(cmd, tenant.id, life, fmt.Sprintf("suspended; 'quayside tenant delete --now' deletes it after %s",
			life.DeleteAfter.UTC().Format(time.RFC3339)))
	})
	return cmd
}
