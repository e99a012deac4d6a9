package cli

import (
	"fmt"
	"io"
	"net/netip"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/fault"
)

// What --outbound-allow may say instead of a list.
const (
	reachNone         = "none"
	reachInstallation = "installation"
)

// allowed returns what --outbound-allow would set.
func (t tenantJSON) allowed() string {
	switch {
	case t.OutboundAllow == nil:
		return reachInstallation
	case len(*t.OutboundAllow) == 0:
		return reachNone
	}
	return strings.Join(*t.OutboundAllow, ",")
}

// reach says in words what the connections of a company may reach.
func (t tenantJSON) reach() string {
	switch {
	case t.OutboundAllow == nil:
		return "all of QUAYSIDE_OUTBOUND_ALLOW"
	case len(*t.OutboundAllow) == 0:
		return "none: only public addresses, over https"
	}
	return t.allowed() + ", as far as QUAYSIDE_OUTBOUND_ALLOW has them"
}

func tenantShowCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "show --tenant ID", Short: "Show what is set for a company", Args: cobra.NoArgs}
	tenant := tenantFlag(cmd)
	cmd.RunE = withCheckedApp(func(cmd *cobra.Command, a *app.App) error { return showTenant(cmd, a, tenant.id) })
	return cmd
}

// showTenant prints one company.
func showTenant(cmd *cobra.Command, a *app.App, id uuid.UUID) error {
	tenants, err := a.Accounts.Tenants(cmd.Context())
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		if tenant.ID != id {
			continue
		}
		found := toTenantJSON(tenant)
		return show(cmd, found, func(w io.Writer) {
			fmt.Fprintf(w, "tenant           %s\nname             %s\nworkspace        %s\nstate            %s\noutbound allow   %s\n",
				found.ID, found.Name, found.Workspace, found.state(), found.reach())
		})
	}
	return fault.New(fault.NotFound, "unknown_tenant", "there is no tenant %s", id)
}

func tenantSetCommand() *cobra.Command {
	var allow reachFlag
	cmd := &cobra.Command{
		Use:   "set --tenant ID --outbound-allow LIST",
		Short: "Narrow which of your own networks the connections of a company may reach",
		Long: "QUAYSIDE_OUTBOUND_ALLOW lists your own networks that connections to other systems may reach, for the whole\n" +
			"installation. A company's list narrows it: its connections reach only what is in both. '" + reachNone + "' leaves only\n" +
			"public addresses, and '" + reachInstallation + "' takes the list away. It holds from the next call on, on every instance.",
		Example: "  quayside tenant set --tenant ID --outbound-allow 10.1.0.0/16,10.2.7.0/24",
		Args:    cobra.NoArgs,
	}
	tenant := tenantFlag(cmd)
	cmd.Flags().Var(&allow, "outbound-allow", "networks such as 10.1.0.0/16, separated by commas; '"+reachNone+"' or '"+reachInstallation+"'")
	must(cmd.MarkFlagRequired("outbound-allow"))
	cmd.RunE = withCheckedApp(func(cmd *cobra.Command, a *app.App) error {
		if err := a.Accounts.SetReach(cmd.Context(), tenant.id, account.Reach(allow)); err != nil {
			return err
		}
		return showTenant(cmd, a, tenant.id)
	})
	return cmd
}

// reachFlag is a list of networks, or a word.
type reachFlag account.Reach

// String implements pflag.Value.
func (f *reachFlag) String() string { return strings.Join(account.Reach(*f).Texts(), ",") }

// Type implements pflag.Value.
func (*reachFlag) Type() string { return "list" }

// Set implements pflag.Value.
func (f *reachFlag) Set(text string) error {
	switch text = strings.TrimSpace(text); text {
	case reachInstallation:
		*f = reachFlag{}
		return nil
	case reachNone:
		*f = reachFlag{Narrowed: true}
		return nil
	}
	f.Narrowed, f.Networks = true, nil
	for part := range strings.SplitSeq(text, ",") {
		network, err := netip.ParsePrefix(strings.TrimSpace(part))
		if err != nil {
			return fmt.Errorf("%q is not a network such as 10.1.0.0/16; '%s' and '%s' are possible too", part, reachNone, reachInstallation)
		}
		f.Networks = append(f.Networks, network)
	}
	return nil
}
