package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/token"
)

func tokenCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "token", Short: "Tokens with which agents call /mcp", Args: cobra.NoArgs}
	cmd.AddCommand(tokenCreateCommand(), tokenListCommand(), tokenRevokeCommand())
	return cmd
}

// tokenJSON is a token as the command line prints it.
type tokenJSON struct {
	ID        uuid.UUID    `json:"id"`
	Token     string       `json:"token,omitempty"` // the secret; only in the output of create
	Prefix    string       `json:"prefix"`
	Label     string       `json:"label"`
	Agent     *uuid.UUID   `json:"agent_id,omitempty"`
	Person    *uuid.UUID   `json:"user_id,omitempty"`
	Scopes    []auth.Scope `json:"scopes"`
	Workspace uuid.UUID    `json:"workspace_id"`
	CreatedAt time.Time    `json:"created_at"`
	ExpiresAt *time.Time   `json:"expires_at,omitempty"`
	RevokedAt *time.Time   `json:"revoked_at,omitempty"`
}

func toTokenJSON(t token.Token) tokenJSON {
	return tokenJSON{
		ID: t.ID, Prefix: t.Prefix, Label: t.Label, Agent: t.Agent, Person: t.Person, Scopes: t.Scopes,
		Workspace: t.Workspace,
		CreatedAt: t.CreatedAt, ExpiresAt: t.ExpiresAt, RevokedAt: t.RevokedAt,
	}
}

func tokenCreateCommand() *cobra.Command {
	var (
		tenant, workspace idFlag
		scopes            []string
		days              int
		want              = token.Request{Agent: true}
	)
	cmd := &cobra.Command{
		Use:   "create --tenant ID --agent NAME --scope SCOPES",
		Short: "Create a token for an agent and print it once",
		Long: "Creates a token for an agent. An agent is identified by its name: with a new token of the same name it\n" +
			"still owns the drafts that it made. People make tokens for themselves in the settings.",
		Example: "  quayside token create --tenant ID --agent 'Night buyer' --scope read,write,failed_imports",
		Args:    cobra.NoArgs,
		RunE: withCheckedApp(func(cmd *cobra.Command, a *app.App) error {
			by, err := operatorIn(cmd, a, tenant.id, workspace.id)
			if err != nil {
				return err
			}
			for _, scope := range scopes {
				want.Scopes = append(want.Scopes, auth.Scope(strings.TrimSpace(scope)))
			}
			if days > 0 {
				until := time.Now().AddDate(0, 0, days)
				want.ExpiresAt = &until
			}
			made, secret, err := a.Tokens.Issue(cmd.Context(), by, want)
			if err != nil {
				return err
			}
			result := toTokenJSON(made)
			result.Token = secret
			return show(cmd, result, func(w io.Writer) {
				fmt.Fprintf(w, "token   %s\nid      %s\nagent   %s\nscopes  %s\n", secret, made.ID, made.Label, joined(made.Scopes))
				fmt.Fprintln(cmd.ErrOrStderr(), "This is a secret and cannot be shown again: store it now.")
			})
		}),
	}
	cmd.Flags().Var(&tenant, "tenant", "the company's id")
	cmd.Flags().Var(&workspace, "workspace", "the workspace's id (default: the company's first)")
	cmd.Flags().StringVar(&want.Label, "agent", "", "the agent's name")
	cmd.Flags().StringSliceVar(&scopes, "scope", nil, "what it allows: read, write, failed_imports, admin")
	cmd.Flags().IntVar(&days, "days", 0, "how many days it is valid (default: until it is revoked)")
	for _, name := range []string{"tenant", "agent", "scope"} {
		must(cmd.MarkFlagRequired(name))
	}
	jsonFlag(cmd)
	return cmd
}

// operatorIn returns the command line's principal in the wanted workspace, or in the company's
// first one.
func operatorIn(cmd *cobra.Command, a *app.App, tenant, wanted uuid.UUID) (auth.Principal, error) {
	by := auth.Operator(tenant)
	workspaces, err := a.Accounts.Workspaces(cmd.Context(), by)
	if err != nil {
		return by, err
	}
	for _, workspace := range workspaces {
		if wanted == uuid.Nil || workspace.ID == wanted {
			by.Workspace = workspace.ID
			return by, nil
		}
	}
	if len(workspaces) == 0 {
		return by, fault.New(fault.NotFound, "unknown_tenant", "no tenant %s; 'quayside tenant create' makes one", tenant)
	}
	return by, fault.New(fault.NotFound, "unknown_workspace", "the tenant has no workspace %s", wanted)
}

func tokenListCommand() *cobra.Command {
	var tenant idFlag
	cmd := &cobra.Command{
		Use:   "list --tenant ID",
		Short: "List a company's tokens, including those that have ended",
		Args:  cobra.NoArgs,
		RunE: withCheckedApp(func(cmd *cobra.Command, a *app.App) error {
			tokens, _, err := a.Tokens.List(cmd.Context(), auth.Operator(tenant.id), page.All)
			if err != nil {
				return err
			}
			result := make([]tokenJSON, 0, len(tokens))
			for _, one := range tokens {
				result = append(result, toTokenJSON(one))
			}
			return show(cmd, result, func(w io.Writer) { printTokens(w, tokens...) })
		}),
	}
	cmd.Flags().Var(&tenant, "tenant", "the company's id")
	must(cmd.MarkFlagRequired("tenant"))
	jsonFlag(cmd)
	return cmd
}

func tokenRevokeCommand() *cobra.Command {
	var tenant, id idFlag
	cmd := &cobra.Command{
		Use:   "revoke ID --tenant ID",
		Short: "Revoke a token: its next call is refused",
		Args:  oneID(&id),
		RunE: withCheckedApp(func(cmd *cobra.Command, a *app.App) error {
			ended, err := a.Tokens.Revoke(cmd.Context(), auth.Operator(tenant.id), id.id)
			if err != nil {
				return err
			}
			return show(cmd, toTokenJSON(ended), func(w io.Writer) { printTokens(w, ended) })
		}),
	}
	cmd.Flags().Var(&tenant, "tenant", "the company's id")
	must(cmd.MarkFlagRequired("tenant"))
	jsonFlag(cmd)
	return cmd
}

func printTokens(w io.Writer, tokens ...token.Token) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tPREFIX\tFOR\tLABEL\tSCOPES\tCREATED\tSTATUS")
	for _, one := range tokens {
		whose := "a person"
		if one.Agent != nil {
			whose = "an agent"
		}
		fmt.Fprintf(table, "%s\t%s…\t%s\t%s\t%s\t%s\t%s\n",
			one.ID, one.Prefix, whose, one.Label, joined(one.Scopes), one.CreatedAt.UTC().Format(time.DateTime),
			one.Status(time.Now()))
	}
	_ = table.Flush()
}

func joined(scopes []auth.Scope) string {
	names := make([]string, 0, len(scopes))
	for _, scope := range scopes {
		names = append(names, string(scope))
	}
	return strings.Join(names, ",")
}
