package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/pg"
)

func migrateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Update the database schema",
		Long: "Applies the migrations that the database lacks, with the login of QUAYSIDE_MIGRATE_URL,\n" +
			"and lets the login of QUAYSIDE_DATABASE_URL act as " + pg.AppRole + ". Safe to run again.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := app.ReadOwnerConfig()
			if err != nil {
				return &failure{err: err}
			}
			applied, err := pg.Migrate(cmd.Context(), cfg.MigrateURL, cfg.DatabaseURL)
			if err != nil {
				for _, name := range applied {
					fmt.Fprintln(cmd.ErrOrStderr(), "applied", name)
				}
				return &failure{err: err}
			}
			result := struct {
				Applied []string `json:"applied"`
			}{append([]string{}, applied...)}
			return show(cmd, result, func(w io.Writer) {
				for _, name := range applied {
					fmt.Fprintln(w, "applied", name)
				}
				if len(applied) == 0 {
					fmt.Fprintln(w, "nothing to do: the schema is up to date")
				}
			})
		},
	}
	jsonFlag(cmd)
	return cmd
}
