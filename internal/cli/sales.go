package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/app"
)

func salesCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "sales", Short: "Sales figures", Args: cobra.NoArgs}
	cmd.AddCommand(salesRebuildCommand())
	return cmd
}

func salesRebuildCommand() *cobra.Command {
	var tenant idFlag
	cmd := &cobra.Command{
		Use:   "rebuild",
		Short: "Compute all sales figures again",
		Long: "Computes the sales by day and week again from orders, lines, products and stock history. The\n" +
			"service keeps these figures by itself; this is for after a repair by hand. Old figures stay\n" +
			"until the new ones replace them, and the service may run meanwhile.",
		Args: cobra.NoArgs,
		RunE: withCheckedApp(func(cmd *cobra.Command, a *app.App) error {
			tenants := []uuid.UUID{tenant.id}
			if tenant.id == uuid.Nil {
				tenants = nil
				companies, err := a.Accounts.Tenants(cmd.Context())
				if err != nil {
					return err
				}
				for _, company := range companies {
					tenants = append(tenants, company.ID)
				}
			}
			result := struct {
				Workspaces int     `json:"workspaces"`
				Seconds    float64 `json:"seconds"`
			}{}
			began := time.Now()
			for _, id := range tenants {
				workspaces, err := a.Sales.RebuildAll(cmd.Context(), id)
				if err != nil {
					return err
				}
				result.Workspaces += workspaces
			}
			result.Seconds = time.Since(began).Seconds()
			return show(cmd, result, func(w io.Writer) {
				fmt.Fprintf(w, "rebuilt %d workspaces in %.1f s\n", result.Workspaces, result.Seconds)
			})
		}),
	}
	cmd.Flags().Var(&tenant, "tenant", "one company's id (default: all)")
	jsonFlag(cmd)
	return cmd
}
