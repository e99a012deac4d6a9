package cli

import (
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/app"
)

func serveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Run the service",
		Long: "Listens on QUAYSIDE_ADDR. On SIGTERM or Ctrl-C it stops taking requests, finishes those\n" +
			"under way and ends. It refuses to start when its role escapes row security or the\n" +
			"database lacks migrations.",
		Args: cobra.NoArgs,
		RunE: withApp(func(cmd *cobra.Command, a *app.App) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGTERM, syscall.SIGINT)
			defer stop()
			return a.Serve(ctx)
		}),
	}
}
