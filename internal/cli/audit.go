package cli

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
)

func auditCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "audit", Short: "Verify the audit log", Args: cobra.NoArgs}
	cmd.AddCommand(auditVerifyCommand())
	return cmd
}

func auditVerifyCommand() *cobra.Command {
	var (
		tenant      idFlag
		head, heads string
	)
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Recompute the audit log's hash chains and report tampering",
		Long: "Recomputes every company's hash chain and prints its head, or what is wrong with it. Keep the\n" +
			"printed heads where the database's owner cannot write, and pass them to a later run with\n" +
			"--heads: it then also detects a chain that was cut short or rewritten.",
		Example: "  quayside audit verify > heads-today.txt\n" +
			"  quayside audit verify --heads heads-of-last-month.txt",
		Args: cobra.NoArgs,
		RunE: withCheckedApp(func(cmd *cobra.Command, a *app.App) error {
			kept, err := keptHeads(tenant.id, head, heads)
			if err != nil {
				return err
			}
			companies, err := a.Accounts.Tenants(cmd.Context())
			if err != nil {
				return err
			}
			tenants, err := toVerify(companies, tenant.id, kept)
			if err != nil {
				return err
			}
			return verifyAudits(cmd, a, tenants, kept)
		}),
	}
	cmd.Flags().Var(&tenant, "tenant", "one company's id (default: all)")
	cmd.Flags().StringVar(&head, "head", "", "a kept head of that company, NUMBER:HASH")
	cmd.Flags().StringVar(&heads, "heads", "", "a file with kept heads, as printed by this command")
	jsonFlag(cmd)
	return cmd
}

// keptHeads returns the heads that the caller has kept, by company.
func keptHeads(tenant uuid.UUID, head, file string) (map[uuid.UUID][]audit.Head, error) {
	kept := map[uuid.UUID][]audit.Head{}
	if file != "" {
		text, err := os.Open(file) //nolint:gosec // the file that was asked for
		if err != nil {
			return nil, err
		}
		defer func() { _ = text.Close() }()
		if kept, err = audit.ReadHeads(text); err != nil {
			return nil, err
		}
	}
	if head == "" {
		return kept, nil
	}
	if tenant == uuid.Nil {
		return nil, fault.New(fault.BadRequest, "head", "--head needs --tenant: say whose head it is")
	}
	one, err := audit.ParseHead(head)
	kept[tenant] = append(kept[tenant], one)
	return kept, err
}

// toVerify returns the companies to verify. They include deleted companies with a kept head.
func toVerify(companies []account.Tenant, only uuid.UUID, kept map[uuid.UUID][]audit.Head) (
	tenants []uuid.UUID, err error) {
	for _, company := range companies {
		tenants = append(tenants, company.ID)
	}
	if only != uuid.Nil {
		if !slices.Contains(tenants, only) && kept[only] == nil {
			return nil, fault.New(fault.NotFound, "unknown_tenant", "no tenant %s", only)
		}
		return []uuid.UUID{only}, nil
	}
	for tenant := range kept {
		if !slices.Contains(tenants, tenant) {
			tenants = append(tenants, tenant)
		}
	}
	return tenants, nil
}

// auditJSON is a verified audit as the command line prints it.
type auditJSON struct {
	Tenant   uuid.UUID       `json:"tenant_id"`
	Head     string          `json:"head"`
	Rows     int64           `json:"rows"`
	Waiting  int64           `json:"waiting"`
	NotKept  int64           `json:"not_kept"`
	Problems int64           `json:"problems"`
	Findings []audit.Finding `json:"findings"`
}

// verifyAudits verifies the companies in turn and prints each result at once.
func verifyAudits(cmd *cobra.Command, a *app.App, tenants []uuid.UUID, kept map[uuid.UUID][]audit.Head) error {
	asJSON, _ := cmd.Flags().GetBool("json")
	results := make([]auditJSON, 0, len(tenants))
	var broken, problems int64
	for _, tenant := range tenants {
		report, err := a.Audit.Verify(cmd.Context(), auth.Operator(tenant), kept[tenant]...)
		if err != nil {
			return err
		}
		if problems += report.Problems; report.Problems > 0 {
			broken++
		}
		if asJSON {
			results = append(results, auditJSON{tenant, report.Head.String(), report.Rows, report.Waiting, report.NotKept, report.Problems,
				append([]audit.Finding{}, report.Findings...)})
		} else {
			showAudit(cmd.OutOrStdout(), report)
		}
	}
	if err := show(cmd, results, func(io.Writer) {}); err != nil {
		return err
	}
	switch {
	case broken > 0:
		return fault.New(fault.Conflict, "tampered", "%d problems, in the audits of %d of %d companies", problems, broken,
			len(tenants))
	case len(kept) == 0:
		fmt.Fprintln(cmd.ErrOrStderr(),
			"No tampering found. Keep these heads where the database's owner cannot write: "+
				"only a run with --heads detects entries that were removed from the end.")
	}
	return nil
}

// showAudit prints one line for the company, and its problems on lines that begin with a space.
// The output can therefore serve as a file of kept heads.
func showAudit(w io.Writer, report audit.Report) {
	result := "ok"
	if report.Problems > 0 {
		result = fmt.Sprintf("%d problems", report.Problems)
	}
	notKept := ""
	if report.NotKept > 0 {
		notKept = fmt.Sprintf(", %d no longer kept", report.NotKept)
	}
	fmt.Fprintf(w, "%s  %s  %d rows, %d waiting%s  %s\n", report.Tenant, report.Head, report.Rows, report.Waiting, notKept, result)
	for _, finding := range report.Findings {
		fmt.Fprintln(w, " ", finding.Detail)
	}
	if more := report.Problems - int64(len(report.Findings)); more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
}
