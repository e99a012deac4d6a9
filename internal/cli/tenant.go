package cli

import (
	"fmt"
	"io"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/app"
)

func tenantCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "tenant", Short: "Companies", Args: cobra.NoArgs}
	cmd.AddCommand(tenantCreateCommand())
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
			result := struct {
				Tenant    uuid.UUID `json:"tenant_id"`
				Workspace uuid.UUID `json:"workspace_id"`
			}{tenant.ID, tenant.Workspace}
			return show(cmd, result, func(w io.Writer) {
				fmt.Fprintf(w, "tenant     %s\nworkspace  %s\n", tenant.ID, tenant.Workspace)
			})
		}),
	}
	cmd.Flags().StringVar(&name, "name", "", "what the company is called")
	must(cmd.MarkFlagRequired("name"))
	jsonFlag(cmd)
	return cmd
}
