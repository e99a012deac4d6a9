package cli

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/retention"
)

func retentionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "retention",
		Short: "Show how long failed imports, imports and other things are kept",
		Args:  cobra.NoArgs,
		RunE:  withCheckedApp(showRetention),
	}
	jsonFlag(cmd)
	cmd.AddCommand(retentionKeepCommand())
	return cmd
}

func retentionKeepCommand() *cobra.Command {
	var days int64
	cmd := &cobra.Command{
		Use:   "keep NAME DAYS",
		Short: "Set how many days something is kept",
		Long: "Sets for all instances how many days something is kept. 'quayside retention' lists the names.\n" +
			"What is older is deleted, the first of it a day from now: until then a mistake can be taken\n" +
			"back by setting the number again.",
		Args: func(_ *cobra.Command, args []string) (err error) {
			if len(args) == 2 {
				days, err = strconv.ParseInt(args[1], 10, 64)
			}
			if len(args) != 2 || err != nil {
				return errors.New("give a name and a number of days")
			}
			return nil
		},
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return withCheckedApp(func(cmd *cobra.Command, a *app.App) error {
			if err := a.Retention.Keep(cmd.Context(), args[0], days); err != nil {
				return err
			}
			return showRetention(cmd, a)
		})(cmd, args)
	}
	jsonFlag(cmd)
	return cmd
}

// keptJSON is how long something is kept, as the command line prints it.
type keptJSON struct {
	Name  string `json:"name"`
	About string `json:"about"`
	Days  int64  `json:"kept_days"`
	Due   int64  `json:"due_rows"`
}

func showRetention(cmd *cobra.Command, a *app.App) error {
	all, err := a.Retention.List(cmd.Context())
	if err != nil {
		return err
	}
	out := make([]keptJSON, 0, len(all))
	for _, kept := range all {
		out = append(out, keptJSON(kept))
	}
	return show(cmd, out, func(w io.Writer) { printRetention(w, all) })
}

func printRetention(w io.Writer, all []retention.Kept) {
	for _, kept := range all {
		fmt.Fprintf(w, "%-20s %-10s %s\n", kept.Name, inDays(kept.Days), kept.About)
		if kept.Due > 0 {
			fmt.Fprintf(w, "%-20s %d rows are older and not deleted yet\n", "", kept.Due)
		}
	}
}
