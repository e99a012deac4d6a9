package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/app"
)

func secretsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "secrets", Short: "Stored secrets of other systems", Args: cobra.NoArgs}
	cmd.AddCommand(secretsRotateCommand())
	return cmd
}

func secretsRotateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rotate",
		Short: "Encrypt all stored secrets with the newest key",
		Long: "Encrypts every stored secret again with the first key of QUAYSIDE_SECRET_KEYS. Afterwards\n" +
			"'quayside doctor' tells which older keys can be removed. The service may run meanwhile, if it\n" +
			"knows the new key already.",
		Args: cobra.NoArgs,
		RunE: withCheckedApp(func(cmd *cobra.Command, a *app.App) error {
			done, err := a.Vault.Rotate(cmd.Context())
			if done.Key == "" {
				return err
			}
			shown := show(cmd, done, func(w io.Writer) {
				fmt.Fprintf(w, "%d secrets encrypted again with the key %s, %d failed\n", done.Sealed, done.Key, done.Failed)
			})
			if err != nil {
				return err
			}
			return shown
		}),
	}
	jsonFlag(cmd)
	return cmd
}
