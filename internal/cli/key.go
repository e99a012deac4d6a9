package cli

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/apikey"
	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/page"
)

func keyCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "key", Short: "API keys that external systems write with", Args: cobra.NoArgs}
	cmd.AddCommand(keyCreateCommand(), keyListCommand(), keyRevokeCommand())
	return cmd
}

// keyJSON is a key as the command line prints it.
type keyJSON struct {
	ID        uuid.UUID  `json:"id"`
	Key       string     `json:"key,omitempty"` // the secret; only in the output of create
	Prefix    string     `json:"prefix"`
	Scope     string     `json:"scope"`
	Label     string     `json:"label"`
	Workspace uuid.UUID  `json:"workspace_id"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
	RevokedAt *time.Time `json:"revoked_at,omitempty"`

	OrderDraftedHere bool `json:"order_drafted_here"`
}

func toKeyJSON(key apikey.Key) keyJSON {
	return keyJSON{
		ID: key.ID, Prefix: key.Prefix, Scope: key.Scope, Label: key.Label, Workspace: key.WorkspaceID,
		CreatedAt: key.CreatedAt, ExpiresAt: key.ExpiresAt, RevokedAt: key.RevokedAt, OrderDraftedHere: key.OrderDraftedHere,
	}
}

func keyCreateCommand() *cobra.Command {
	var tenant, workspace idFlag
	var want apikey.Request
	cmd := &cobra.Command{
		Use:   "create --tenant ID --scope SLUG --label LABEL",
		Short: "Create a key and print it once",
		Args:  cobra.NoArgs,
		RunE: withCheckedApp(func(cmd *cobra.Command, a *app.App) error {
			want.Workspace = workspace.id
			key, secret, err := a.Keys.Issue(cmd.Context(), auth.Operator(tenant.id), want)
			if err != nil {
				return err
			}
			result := toKeyJSON(key)
			result.Key = secret
			return show(cmd, result, func(w io.Writer) {
				fmt.Fprintf(w, "key    %s\nid     %s\nscope  %s\nlabel  %s\n", secret, key.ID, key.Scope, key.Label)
				if key.OrderDraftedHere {
					fmt.Fprintln(w, "It may order what was drafted here.")
				}
				fmt.Fprintln(cmd.ErrOrStderr(), "This is a secret and cannot be shown again: store it now.")
			})
		}),
	}
	cmd.Flags().Var(&tenant, "tenant", "the company's id")
	cmd.Flags().Var(&workspace, "workspace", "the workspace's id (default: the company's first)")
	cmd.Flags().StringVar(&want.Scope, "scope", "",
		"the slug of the one table it may write, or '*' for all (a Master Import Key)")
	cmd.Flags().StringVar(&want.Label, "label", "", "what the key is for")
	cmd.Flags().BoolVar(&want.OrderDraftedHere, "order-drafted-here", false,
		"it may order purchase order lines that were drafted in Quayside, without an approval")
	for _, name := range []string{"tenant", "scope", "label"} {
		must(cmd.MarkFlagRequired(name))
	}
	jsonFlag(cmd)
	return cmd
}

func keyListCommand() *cobra.Command {
	var tenant idFlag
	cmd := &cobra.Command{
		Use:   "list --tenant ID",
		Short: "List a company's keys, including revoked ones",
		Args:  cobra.NoArgs,
		RunE: withCheckedApp(func(cmd *cobra.Command, a *app.App) error {
			keys, _, err := a.Keys.List(cmd.Context(), auth.Operator(tenant.id), page.All)
			if err != nil {
				return err
			}
			result := make([]keyJSON, 0, len(keys))
			for _, key := range keys {
				result = append(result, toKeyJSON(key.Key))
			}
			return show(cmd, result, func(w io.Writer) { printKeys(w, keys...) })
		}),
	}
	cmd.Flags().Var(&tenant, "tenant", "the company's id")
	must(cmd.MarkFlagRequired("tenant"))
	jsonFlag(cmd)
	return cmd
}

func keyRevokeCommand() *cobra.Command {
	var id idFlag
	cmd := &cobra.Command{
		Use:   "revoke ID",
		Short: "Revoke a key: its next call is refused",
		Args:  oneID(&id),
		RunE: withCheckedApp(func(cmd *cobra.Command, a *app.App) error {
			tenant, err := a.Keys.Tenant(cmd.Context(), id.id)
			if err != nil {
				return err
			}
			key, err := a.Keys.Revoke(cmd.Context(), auth.Operator(tenant), id.id)
			if err != nil {
				return err
			}
			return show(cmd, toKeyJSON(key), func(w io.Writer) { printKeys(w, apikey.Used{Key: key}) })
		}),
	}
	jsonFlag(cmd)
	return cmd
}

// oneID accepts exactly one argument, an id.
func oneID(id *idFlag) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := cobra.ExactArgs(1)(cmd, args); err != nil {
			return err
		}
		return id.Set(args[0])
	}
}

func printKeys(w io.Writer, keys ...apikey.Used) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tPREFIX\tSCOPE\tLABEL\tCREATED\tORDERS DRAFTS\tSTATUS")
	for _, key := range keys {
		fmt.Fprintf(table, "%s\t%s…\t%s\t%s\t%s\t%s\t%s\n", key.ID, key.Prefix, key.Scope, key.Label,
			key.CreatedAt.UTC().Format(time.DateTime), map[bool]string{true: "yes", false: "no"}[key.OrderDraftedHere],
			keyStatus(key.Key, time.Now()))
	}
	_ = table.Flush()
}

func keyStatus(key apikey.Key, now time.Time) string {
	switch status := key.Status(now); status {
	case "revoked":
		return status + " " + key.RevokedAt.UTC().Format(time.DateTime)
	case "expired":
		return status + " " + key.ExpiresAt.UTC().Format(time.DateTime)
	default:
		return status
	}
}

// idFlag is a flag whose value is an id.
type idFlag struct{ id uuid.UUID }

func (f *idFlag) String() string {
	if f.id == uuid.Nil {
		return ""
	}
	return f.id.String()
}

func (f *idFlag) Set(value string) error {
	id, err := uuid.Parse(value)
	if err != nil || id == uuid.Nil {
		return fmt.Errorf("%q is not an id; ids look like 0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e", value)
	}
	f.id = id
	return nil
}

func (f *idFlag) Type() string { return "id" }
