package cli

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/event"
	"github.com/quayside/quayside/internal/fault"
)

func historyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Show how long events and record history are kept, and what was dropped",
		Args:  cobra.NoArgs,
		RunE: withCheckedApp(func(cmd *cobra.Command, a *app.App) error {
			history, err := a.History(cmd.Context())
			if err != nil {
				return err
			}
			return show(cmd, historyOut(history), func(w io.Writer) { printHistory(w, history) })
		}),
	}
	jsonFlag(cmd)
	cmd.AddCommand(historyKeepCommand())
	return cmd
}

func historyKeepCommand() *cobra.Command {
	var days int64
	return &cobra.Command{
		Use:   "keep DAYS",
		Short: "Set how many days events and record history are kept",
		Long: "Sets for all instances how many days events and record history are kept. Older days are\n" +
			"dropped a few an hour, the first of them a day from now: until then a mistake can be taken\n" +
			"back by setting the number again.",
		Args: func(_ *cobra.Command, args []string) (err error) {
			if len(args) == 1 {
				days, err = strconv.ParseInt(args[0], 10, 64)
			}
			if len(args) != 1 || err != nil {
				return errors.New("give a number of days")
			}
			return nil
		},
		RunE: withCheckedApp(func(cmd *cobra.Command, a *app.App) error {
			if err := event.KeepFor(cmd.Context(), a.Cells, days); err != nil {
				return err
			}
			history, err := a.History(cmd.Context())
			if err == nil {
				printHistory(cmd.OutOrStdout(), history)
			}
			return err
		}),
	}
}

// historyJSON is the history as the command line prints it.
type historyJSON struct {
	KeptDays int64        `json:"kept_days"`
	Oldest   string       `json:"oldest_day,omitempty"`
	Days     int          `json:"days"`
	Bytes    int64        `json:"bytes"`
	Due      int64        `json:"days_due"`
	Held     string       `json:"held,omitempty"`
	Dropped  []droppedDay `json:"dropped"`
}

type droppedDay struct {
	Day      string    `json:"day"`
	At       time.Time `json:"dropped_at"`
	Bytes    int64     `json:"bytes"`
	KeptDays int64     `json:"kept_days"`
}

func historyOut(h event.History) historyJSON {
	out := historyJSON{KeptDays: h.KeptDays, Days: len(h.Days), Due: h.Due, Held: h.Held, Dropped: []droppedDay{}}
	for _, day := range h.Days {
		out.Bytes += day.Bytes
	}
	if len(h.Days) > 0 {
		out.Oldest = h.Days[0].Day.Format(time.DateOnly)
	}
	for _, d := range h.Dropped {
		out.Dropped = append(out.Dropped, droppedDay{d.Day.Day.Format(time.DateOnly), d.At, d.Bytes, d.KeptDays})
	}
	return out
}

func printHistory(w io.Writer, h event.History) {
	out := historyOut(h)
	fmt.Fprintf(w, "kept       %s\n", inDays(out.KeptDays))
	if out.Days > 0 {
		fmt.Fprintf(w, "stored     %s since %s, %d MiB\n", inDays(int64(out.Days)), out.Oldest, out.Bytes>>20)
	}
	if out.Due > 0 {
		fmt.Fprintf(w, "to drop    %s\n", inDays(out.Due))
	}
	if out.Held != "" && (out.Due > 0 || !h.Passes) {
		fmt.Fprintf(w, "held       %s\n", out.Held)
	}
	for _, d := range out.Dropped {
		fmt.Fprintf(w, "dropped    %s, %d MiB, on %s\n", d.Day, d.Bytes>>20, d.At.UTC().Format(time.RFC3339))
	}
}

func inDays(n int64) string {
	if n == 1 {
		return "1 day"
	}
	return fmt.Sprintf("%d days", n)
}

// history fails if somebody has to do something before old events are dropped.
func history(h event.History, err error) error {
	if err == nil && h.Due > 0 && h.Held != "" && !h.Passes {
		return fault.New(fault.Unavailable, "history_held", "%d days of old events are not dropped: %s", h.Due, h.Held)
	}
	return err
}
