package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/registry"
)

func tableCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "table", Short: "Tables that a company defines", Args: cobra.NoArgs}
	cmd.AddCommand(tableDefineCommand(), tableListCommand(), tableRetireCommand(true), tableRetireCommand(false))
	return cmd
}

// tableJSON is a table as the command line prints it: a definition, and what became of it.
type tableJSON struct {
	registry.Definition
	BuiltIn   bool       `json:"built_in,omitempty"` // the columns are those that the company has added
	Version   int64      `json:"version"`
	RetiredAt *time.Time `json:"retired_at,omitempty"`
	Retired   []string   `json:"retired_columns,omitempty"`
}

func toTableJSON(table *registry.Defined) tableJSON {
	out := tableJSON{BuiltIn: table.BuiltIn, Version: table.Version, RetiredAt: table.RetiredAt, Definition: registry.Definition{
		Title: table.Title, Slug: table.Slug, Description: table.Description, Columns: []registry.ColumnDefinition{},
	}}
	for i := range table.Columns {
		if column := &table.Columns[i]; column.RetiredAt != nil {
			out.Retired = append(out.Retired, column.Name)
		} else {
			out.Columns = append(out.Columns, column.ColumnDefinition)
		}
	}
	if table.Sequence != "" {
		out.Sequence = &table.Sequence
	}
	return out
}

// mostDefinition limits what is read from standard input.
const mostDefinition = 4 << 20

func tableDefineCommand() *cobra.Command {
	var tenant idFlag
	var file string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "define --tenant ID --file FILE [--dry-run]",
		Short: "Make a table, or change the columns that the file names",
		Long: "Make a table, or change the table that has this slug. The file is JSON:\n" +
			"  {\"name\": \"Decisions\", \"slug\": \"decisions\", \"description\": \"…\",\n" +
			"   \"columns\": [{\"name\": \"status\", \"type\": \"text\", \"required\": true, \"choices\": [\"open\", \"done\"]}]}\n" +
			"\"sequence\": \"changed_at\" names the column whose values order the deliveries of a record.\n" +
			"Columns that the file does not name stay as they are. Applying the same file again changes nothing.\n" +
			"With the slug of a built-in table, such as products, the file only adds columns to it, and has no name.\n" +
			"With --dry-run nothing is changed: it tells what the columns' rules would have refused of the stored rows\n" +
			"and of the last 1,000 records of each source.",
		Args: cobra.NoArgs,
		RunE: withCheckedApp(func(cmd *cobra.Command, a *app.App) error {
			definition, err := readDefinition(cmd.InOrStdin(), file)
			if err != nil {
				return err
			}
			if dryRun {
				return tryDefinition(cmd, a, auth.Operator(tenant.id), definition)
			}
			table, err := a.Tables.Define(cmd.Context(), auth.Operator(tenant.id), definition)
			if err != nil {
				return eachRefusal(err)
			}
			return show(cmd, toTableJSON(table), func(w io.Writer) {
				printTables(w, table)
				fmt.Fprintf(cmd.ErrOrStderr(), "Records go to POST /api/ingest/%s.\n", table.Slug)
			})
		}),
	}
	cmd.Flags().Var(&tenant, "tenant", "the company's id")
	cmd.Flags().StringVar(&file, "file", "", "the definition, or - for standard input")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only tell what the rules would have refused")
	must(cmd.MarkFlagRequired("tenant"))
	must(cmd.MarkFlagRequired("file"))
	jsonFlag(cmd)
	return cmd
}

// readDefinition reads a definition from a file, or from standard input.
func readDefinition(stdin io.Reader, file string) (definition registry.Definition, err error) {
	var text []byte
	if file == "-" {
		text, err = io.ReadAll(io.LimitReader(stdin, mostDefinition))
	} else {
		text, err = os.ReadFile(file) //nolint:gosec // the operator names the file
	}
	if err != nil {
		return definition, err
	}
	if definition, err = registry.ReadDefinition(text); err != nil {
		return definition, fmt.Errorf("%s is not a definition: %w", file, err)
	}
	return definition, nil
}

// eachRefusal puts everything that is wrong with a definition into the message, one line each.
func eachRefusal(err error) error {
	var refusal *fault.Error
	if !errors.As(err, &refusal) || len(refusal.Fields) == 0 {
		return err
	}
	lines := make([]string, 0, len(refusal.Fields))
	for _, field := range refusal.Fields {
		lines = append(lines, field.Field+": "+field.Message)
	}
	return fault.New(refusal.Kind, refusal.Code, "%s", strings.Join(lines, "\n  "))
}

func tableListCommand() *cobra.Command {
	var tenant idFlag
	cmd := &cobra.Command{
		Use:   "list --tenant ID",
		Short: "List the tables that a company has defined, including retired ones, and the columns that it has added to built-in tables",
		Args:  cobra.NoArgs,
		RunE: withCheckedApp(func(cmd *cobra.Command, a *app.App) error {
			tables, err := a.Tables.Definitions(cmd.Context(), auth.Operator(tenant.id))
			if err != nil {
				return err
			}
			result := make([]tableJSON, 0, len(tables))
			for _, table := range tables {
				result = append(result, toTableJSON(table))
			}
			return show(cmd, result, func(w io.Writer) { printTables(w, tables...) })
		}),
	}
	cmd.Flags().Var(&tenant, "tenant", "the company's id")
	must(cmd.MarkFlagRequired("tenant"))
	jsonFlag(cmd)
	return cmd
}

// tableRetireCommand is retire, or restore.
func tableRetireCommand(retired bool) *cobra.Command {
	var tenant idFlag
	var slug, column string
	use, short := "restore", "Bring a retired table or column back"
	if retired {
		use, short = "retire", "Hide a table or a column and keep its data"
	}
	cmd := &cobra.Command{
		Use:   use + " SLUG --tenant ID [--column NAME]",
		Short: short,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := cobra.ExactArgs(1)(cmd, args); err != nil {
				return err
			}
			slug = args[0]
			return nil
		},
		RunE: withCheckedApp(func(cmd *cobra.Command, a *app.App) (err error) {
			var table *registry.Defined
			if column != "" {
				table, err = a.Tables.SetColumnRetired(cmd.Context(), auth.Operator(tenant.id), slug, column, 0, retired)
			} else {
				table, err = a.Tables.SetRetired(cmd.Context(), auth.Operator(tenant.id), slug, 0, retired)
			}
			if err != nil {
				return err
			}
			return show(cmd, toTableJSON(table), func(w io.Writer) { printTables(w, table) })
		}),
	}
	cmd.Flags().Var(&tenant, "tenant", "the company's id")
	cmd.Flags().StringVar(&column, "column", "", "the column (default: the whole table)")
	must(cmd.MarkFlagRequired("tenant"))
	jsonFlag(cmd)
	return cmd
}

func printTables(w io.Writer, tables ...*registry.Defined) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "SLUG\tNAME\tSTATUS\tCOLUMNS")
	for _, one := range tables {
		status := "in use"
		if one.BuiltIn {
			status = "built in"
		}
		if one.RetiredAt != nil {
			status = "retired " + one.RetiredAt.UTC().Format(time.DateOnly)
		}
		names := []string{}
		for i := range one.Columns {
			name := one.Columns[i].Name
			if one.Columns[i].RetiredAt != nil {
				name += " (retired)"
			}
			names = append(names, name)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", one.Slug, one.Title, status, strings.Join(names, ", "))
	}
	_ = table.Flush()
}
