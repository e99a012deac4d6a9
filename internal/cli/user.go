package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
)

func userCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "user", Short: "People", Args: cobra.NoArgs}
	cmd.AddCommand(userCreateCommand(), userResetCommand())
	return cmd
}

func userCreateCommand() *cobra.Command {
	var (
		tenant            idFlag
		email, name, role string
	)
	cmd := &cobra.Command{
		Use:   "create --tenant ID --email E --role R",
		Short: "Create a member; the password is the first line of standard input",
		Long: "Makes a person a member of a company. The first line of standard input is the password of\n" +
			"a new account; somebody who already has an account keeps their password.",
		Example: "  quayside user create --tenant \"$TENANT\" --email ada@example.com --role company_admin < password.txt",
		Args:    cobra.NoArgs,
		RunE: withCheckedApp(func(cmd *cobra.Command, a *app.App) error {
			password, err := firstLine(cmd.InOrStdin())
			if err != nil {
				return err
			}
			member, made, err := a.Accounts.CreateUser(cmd.Context(), auth.Operator(tenant.id), email, name, password,
				auth.Role(role))
			if err != nil {
				return err
			}
			if !made {
				fmt.Fprintln(cmd.ErrOrStderr(), "This person had an account already: their password stays as it was.")
			}
			result := struct {
				ID    uuid.UUID `json:"user_id"`
				Email string    `json:"email"`
				Role  auth.Role `json:"role"`
				Made  bool      `json:"account_created"`
			}{member.ID, member.Email, member.Role, made}
			return show(cmd, result, func(w io.Writer) {
				fmt.Fprintf(w, "user   %s\nemail  %s\nrole   %s\n", member.ID, member.Email, member.Role)
			})
		}),
	}
	cmd.Flags().Var(&tenant, "tenant", "the company's id")
	cmd.Flags().StringVar(&email, "email", "", "the email address to sign in with")
	cmd.Flags().StringVar(&name, "name", "", "the person's name (default: the email address)")
	cmd.Flags().StringVar(&role, "role", "", "company_admin, approver, buyer or viewer")
	for _, flag := range []string{"tenant", "email", "role"} {
		must(cmd.MarkFlagRequired(flag))
	}
	jsonFlag(cmd)
	return cmd
}

func userResetCommand() *cobra.Command {
	var (
		email      string
		keepTokens bool
	)
	cmd := &cobra.Command{
		Use:   "reset --email E",
		Short: "Print a link for choosing a new password",
		Long: "Prints a link for choosing a new password. Using the link ends the person's sessions and, in\n" +
			"every company, their tokens for assistants. The page offers to keep the tokens; with\n" +
			"--keep-tokens that is its default.",
		Args: cobra.NoArgs,
		RunE: withCheckedApp(func(cmd *cobra.Command, a *app.App) error {
			link, err := a.Accounts.OperatorResetLink(cmd.Context(), email)
			if err != nil {
				return err
			}
			if keepTokens {
				link += "&keep-tokens" // read by the page, not by the service
			}
			return show(cmd, map[string]string{"link": link}, func(w io.Writer) {
				fmt.Fprintln(w, link)
				fmt.Fprintln(cmd.ErrOrStderr(), "This is a secret that works once, within 24 hours: hand it to that person only.")
			})
		}),
	}
	cmd.Flags().StringVar(&email, "email", "", "the email address that the person signs in with")
	cmd.Flags().BoolVar(&keepTokens, "keep-tokens", false, "preselect keeping the person's tokens for assistants")
	must(cmd.MarkFlagRequired("email"))
	jsonFlag(cmd)
	return cmd
}

// firstLine reads a secret from standard input, because other users can see flags in the list
// of processes.
func firstLine(in io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(in, 4<<10)).ReadString('\n')
	line = strings.TrimRight(line, "\r\n")
	if line != "" {
		return line, nil
	}
	refusal := fault.New(fault.Invalid, "password",
		"no password came on standard input; try: quayside user create … < password.txt")
	if err != nil && !errors.Is(err, io.EOF) {
		refusal = refusal.Because(err)
	}
	return "", refusal
}
