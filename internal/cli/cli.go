// Package cli is the command line: one file per command.
//
// Data goes to standard output, everything else to standard error. Exit codes: 0 success, 1
// failure, 2 wrong usage, 3 some records were rejected, 4 not allowed, 130 interrupted.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/telemetry"
)

const (
	exitFailed      = 1
	exitUsage       = 2
	exitRejected    = 3
	exitNotAllowed  = 4
	exitInterrupted = 130
)

// Run executes one command line and returns the exit code.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := &cobra.Command{
		Use:           "quayside",
		Short:         "Collects records through one endpoint per table and turns them into purchase orders",
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       thisBuild().String(),
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(migrateCommand(), serveCommand(), tenantCommand(), userCommand(), keyCommand(), tableCommand(), tokenCommand(),
		pushCommand(), auditCommand(), secretsCommand(), salesCommand(), historyCommand(), retentionCommand(), backupCommand(), demoCommand(), devCommand(), doctorCommand(), versionCommand(),
		openapiCommand())

	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	var failed *failure
	if !errors.As(err, &failed) {
		fmt.Fprintf(stderr, "%s: %s\nRun '%s --help' for how it is used.\n", cmd.CommandPath(), err, cmd.CommandPath())
		return exitUsage
	}
	fmt.Fprintf(stderr, "%s: %s\n", cmd.CommandPath(), explain(failed.err))
	if failed.code != 0 {
		return failed.code
	}
	if fault.Is(err, fault.Unauthenticated) || fault.Is(err, fault.Forbidden) {
		return exitNotAllowed
	}
	return exitFailed
}

// explain returns the message for people first, and its cause on separate lines.
func explain(err error) string {
	var e *fault.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	if cause := errors.Unwrap(e); cause != nil {
		return e.Message + "\n  " + strings.ReplaceAll(cause.Error(), "\n", "\n  ")
	}
	return e.Message
}

// failure marks an error of a command that ran. Other errors mean wrong usage.
type failure struct {
	err  error
	code int // the exit code; 0: derived from the error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// withApp returns a command's RunE that reads the configuration, constructs the service, calls
// run and closes the service. Only withOwner gives a command the owner's login.
func withApp(run func(cmd *cobra.Command, a *app.App) error) func(*cobra.Command, []string) error {
	return with(app.ReadConfig, run)
}

// withOwner is withApp for commands that act as the owner of the schema.
func withOwner(run func(cmd *cobra.Command, a *app.App) error) func(*cobra.Command, []string) error {
	return with(app.ReadOwnerConfig, run)
}

func with(read func() (app.Config, error), run func(cmd *cobra.Command, a *app.App) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		cfg, err := read()
		if err != nil {
			return &failure{err: err}
		}
		a, err := app.New(cmd.Context(), cfg, telemetry.NewLogger(cmd.ErrOrStderr(), cfg.LogLevel))
		if err != nil {
			return &failure{err: err}
		}
		defer a.Close()
		if err := run(cmd, a); err != nil {
			return &failure{err: err}
		}
		return nil
	}
}

// withCheckedApp is withApp for commands that need a working database. They fail where serve
// would fail, with the same message.
func withCheckedApp(run func(cmd *cobra.Command, a *app.App) error) func(*cobra.Command, []string) error {
	return withApp(checked(run))
}

// withCheckedOwner is withCheckedApp for commands that act as the owner of the schema.
func withCheckedOwner(run func(cmd *cobra.Command, a *app.App) error) func(*cobra.Command, []string) error {
	return withOwner(checked(run))
}

func checked(run func(cmd *cobra.Command, a *app.App) error) func(cmd *cobra.Command, a *app.App) error {
	return func(cmd *cobra.Command, a *app.App) error {
		if err := a.Check(cmd.Context()); err != nil {
			return err
		}
		return run(cmd, a)
	}
}

// jsonFlag adds --json.
func jsonFlag(cmd *cobra.Command) {
	cmd.Flags().Bool("json", false, "print the result as JSON")
}

// show prints value as JSON if --json is set, and calls human otherwise.
func show(cmd *cobra.Command, value any, human func(io.Writer)) error {
	if asked, _ := cmd.Flags().GetBool("json"); !asked {
		human(cmd.OutOrStdout())
		return nil
	}
	encoder := json.NewEncoder(cmd.OutOrStdout())
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// must panics if a command is declared wrongly.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
