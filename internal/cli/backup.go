package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/backup"
)

func backupCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "backup", Short: "Dump the database, check a dump, and settle a restored database", Args: cobra.NoArgs}
	cmd.AddCommand(backupCreateCommand(), backupVerifyCommand(), backupRestoredCommand())
	return cmd
}

// backupJSON is a dump as the command line prints it.
type backupJSON struct {
	File     string    `json:"file"`
	Manifest string    `json:"manifest"`
	MadeAt   time.Time `json:"made_at"`
	Tables   int       `json:"tables"`
	Rows     int64     `json:"rows"`
}

func showBackup(cmd *cobra.Command, file string, manifest backup.Manifest) error {
	result := backupJSON{File: file, Manifest: backup.ManifestOf(file), MadeAt: manifest.MadeAt, Tables: len(manifest.Rows)}
	for _, rows := range manifest.Rows {
		result.Rows += rows
	}
	return show(cmd, result, func(w io.Writer) {
		fmt.Fprintf(w, "%s is whole: %d rows of %d tables, as of %s\n", file, result.Rows, result.Tables,
			result.MadeAt.UTC().Format(time.RFC3339))
	})
}

func backupCreateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "create FILE",
		Short: "Dump the database into a new file, and verify it",
		Long: "Runs pg_dump as quayside_backup, which sees every row, with the login of QUAYSIDE_MIGRATE_URL. The\n" +
			"rows of every table are counted in the same snapshot and written to FILE.manifest.json; then the\n" +
			"file is read again and compared. The service goes on meanwhile.",
		Args: cobra.ExactArgs(1),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return withOwner(func(cmd *cobra.Command, a *app.App) error {
			manifest, err := a.Backup(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return showBackup(cmd, args[0], manifest)
		})(cmd, args)
	}
	jsonFlag(cmd)
	return cmd
}

func backupVerifyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Compare the rows in a dump with its manifest",
		Long:  "Reads the dump to its end with pg_restore. It needs no database.",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			manifest, err := backup.Verify(cmd.Context(), args[0])
			if err != nil {
				return &failure{err: err}
			}
			return showBackup(cmd, args[0], manifest)
		},
	}
	jsonFlag(cmd)
	return cmd
}

func backupRestoredCommand() *cobra.Command {
	var (
		file    string
		nothing bool
	)
	cmd := &cobra.Command{
		Use:   "restored",
		Short: "Make a restored database safe to serve from",
		Long: "Run it after 'quayside migrate' and before 'quayside serve'. With --manifest it first compares the\n" +
			"rows of every table with what was dumped. Then it ends all sessions, withdraws invitations and\n" +
			"password links, marks mails to suppliers that were waiting as unknown, drops mails of alerts and\n" +
			"pauses connections to inventory systems: what happened after the backup is not known here any more.\n" +
			"Until it has run, the service answers but sends nothing.\n\n" +
			"If the database was only moved or upgraded, and nothing is lost, say so with --nothing-lost.",
		Example: "  quayside backup restored --manifest nightly.dump.manifest.json",
		Args:    cobra.NoArgs,
		RunE: withCheckedOwner(func(cmd *cobra.Command, a *app.App) error {
			if nothing {
				if err := a.Cells.Settle(cmd.Context()); err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), "the database belongs here now; nothing else was changed")
				return nil
			}
			var manifest backup.Manifest
			if file != "" {
				var err error
				if manifest, err = backup.ReadManifest(file); err != nil {
					return err
				}
			}
			settled, err := a.Restored(cmd.Context(), manifest)
			if err != nil {
				return err
			}
			return show(cmd, settled, func(w io.Writer) { printSettled(w, settled, manifest) })
		}),
	}
	cmd.Flags().StringVar(&file, "manifest", "", "the manifest of the restored dump")
	cmd.Flags().BoolVar(&nothing, "nothing-lost", false, "the database was moved or upgraded, not set back")
	cmd.MarkFlagsMutuallyExclusive("manifest", "nothing-lost")
	jsonFlag(cmd)
	return cmd
}

func printSettled(w io.Writer, settled backup.Settled, manifest backup.Manifest) {
	if manifest.Rows != nil {
		fmt.Fprintf(w, "every table has the rows of the backup of %s\n", manifest.MadeAt.UTC().Format(time.RFC3339))
	}
	fmt.Fprintf(w, "%d companies: %d sessions ended, %d invitations withdrawn, %d mails of alerts dropped\n", settled.Companies,
		settled.Sessions, settled.Invitations, settled.Alerts)
	fmt.Fprintf(w, "%d mails to suppliers are marked unknown: people see them in their orders and decide\n", settled.Mails)
	fmt.Fprintf(w, "%d connections to inventory systems are paused: compare, then resume each in the app\n", settled.Connections)
	fmt.Fprintf(w, "%d keys and %d tokens are alive; those that were revoked after the backup must be revoked again\n",
		settled.Keys, settled.Tokens)
	fmt.Fprintln(w, "next: 'quayside audit verify', with the heads that you kept; then 'quayside serve'")
}
