package cli

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/app"
)

func tenantCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "tenant", Short: "Companies", Args: cobra.NoArgs}
	cmd.AddCommand(tenantCreateCommand(), tenantListCommand())
	return cmd
}

// tenantJSON is a company as the command line prints it, with its first workspace.
type tenantJSON struct {
	ID        uuid.UUID `json:"tenant_id"`
	Workspace uuid.UUID `json:"workspace_id"`
	Name      string    `json:"name"`
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
				result = append(result, tenantJSON(tenant))
			}
			if err != nil {
				return err
			}
			return show(cmd, result, func(w io.Writer) {
				table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
				fmt.Fprintln(table, "TENANT\tWORKSPACE\tNAME")
				for _, tenant := range tenants {
					fmt.Fprintf(table, "%s\t%s\t%s\n", tenant.ID, tenant.Workspace, tenant.Name)
				}
				_ = table.Flush()
			})
		}),
	}
	jsonFlag(cmd)
	return cmd
}

func tenantCreateCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "create --name NAME",
		Short: "Create a company with its first workspace",
		Args:  cobra.NoArgs,
		RunE: withCheckedApp(func(cmd *cobra.Command, a *app.App) error {
			tenant, err := a.Accounts.CreateTenant(cmd.Context(), name)
			if err != nil {
				return err
			}
			return show(cmd, tenantJSON(tenant), func(w io.Writer) {
				fmt.Fprintf(w, "tenant     %s\nworkspace  %s\n", tenant.ID, tenant.Workspace)
			})
		}),
	}
	cmd.Flags().StringVar(&name, "name", "", "the company's name")
	must(cmd.MarkFlagRequired("name"))
	jsonFlag(cmd)
	return cmd
}
