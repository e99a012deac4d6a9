package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/fault"
)

func tenantCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "tenant", Short: "Companies", Args: cobra.NoArgs}
	cmd.AddCommand(tenantCreateCommand(), tenantListCommand(), tenantShowCommand(), tenantSetCommand(), tenantSuspendCommand(),
		tenantResumeCommand(), tenantExportCommand(), tenantDeleteCommand())
	return cmd
}

// tenantJSON is a company as the command line prints it, with its first workspace.
type tenantJSON struct {
	ID        uuid.UUID `json:"tenant_id"`
	Workspace uuid.UUID `json:"workspace_id"`
	Name      string    `json:"name"`

	SuspendedAt *time.Time `json:"suspended_at,omitempty"`
	Because     string     `json:"suspended_because,omitempty"`
	DeleteAfter *time.Time `json:"delete_after,omitempty"`

	OutboundAllow *[]string `json:"outbound_allow,omitempty"` // absent: all that the installation allows
}

func toTenantJSON(tenant account.Tenant) tenantJSON {
	shown := tenantJSON{ID: tenant.ID, Workspace: tenant.Workspace, Name: tenant.Name, SuspendedAt: tenant.SuspendedAt,
		Because: tenant.Because, DeleteAfter: tenant.DeleteAfter}
	if texts := tenant.Reach.Texts(); texts != nil {
		shown.OutboundAllow = &texts
	}
	return shown
}

// state says in words what became of a company.
func (t tenantJSON) state() string {
	switch {
	case t.DeleteAfter != nil:
		return "deleted after " + t.DeleteAfter.UTC().Format(time.RFC3339)
	case t.SuspendedAt != nil:
		return "suspended since " + t.SuspendedAt.UTC().Format(time.RFC3339)
	}
	return "active"
}

func tenantListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List companies, with their first workspaces",
		Args:  cobra.NoArgs,
		RunE: withCheckedApp(func(cmd *cobra.Command, a *app.App) error {
			tenants, err := a.Accounts.Tenants(cmd.Context())
			result := make([]tenantJSON, 0, len(tenants))
			for _, tenant := range tenants {
				result = append(result, toTenantJSON(tenant))
			}
			if err != nil {
				return err
			}
			return show(cmd, result, func(w io.Writer) {
				table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
				fmt.Fprintln(table, "TENANT\tWORKSPACE\tSTATE\tOUTBOUND\tNAME")
				for _, tenant := range result {
					fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", tenant.ID, tenant.Workspace, tenant.state(), tenant.allowed(), tenant.Name)
				}
				_ = table.Flush()
			})
		}),
	}
	jsonFlag(cmd)
	return cmd
}

func tenantCreateCommand() *cobra.Command {
	var name, file string
	cmd := &cobra.Command{
		Use:   "create --name NAME | --file FILE",
		Short: "Create a company with its first workspace, or one for each line of a file",
		Long: "Create a company with its first workspace. With --file, one for each line, which is its name; each is\n" +
			"printed as a line of JSON when it is made, so that after an interruption the rest of the file can be run.",
		Args: cobra.NoArgs,
		RunE: withCheckedApp(func(cmd *cobra.Command, a *app.App) error {
			if file != "" {
				return createTenants(cmd, a, file)
			}
			tenant, err := a.Accounts.CreateTenant(cmd.Context(), name)
			if err != nil {
				return err
			}
			return show(cmd, toTenantJSON(tenant), func(w io.Writer) {
				fmt.Fprintf(w, "tenant     %s\nworkspace  %s\n", tenant.ID, tenant.Workspace)
			})
		}),
	}
	cmd.Flags().StringVar(&name, "name", "", "the company's name")
	cmd.Flags().StringVar(&file, "file", "", "a file of names, a line each, or - for standard input")
	cmd.MarkFlagsOneRequired("name", "file")
	cmd.MarkFlagsMutuallyExclusive("name", "file")
	jsonFlag(cmd)
	return cmd
}

// createTenants makes a company for each line that is not empty.
func createTenants(cmd *cobra.Command, a *app.App, file string) error {
	names := cmd.InOrStdin()
	if file != "-" {
		opened, err := os.Open(file) //nolint:gosec // the operator's own file
		if err != nil {
			return fault.New(fault.NotFound, "file", "%s cannot be read", file).Because(err)
		}
		defer func() { _ = opened.Close() }()
		names = opened
	}
	out := json.NewEncoder(cmd.OutOrStdout())
	lines := bufio.NewScanner(names)
	for number := 1; lines.Scan(); number++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		tenant, err := a.Accounts.CreateTenant(cmd.Context(), lines.Text())
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		if err := out.Encode(toTenantJSON(tenant)); err != nil {
			return err
		}
	}
	return lines.Err()
}
