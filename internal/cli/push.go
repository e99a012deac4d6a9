package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/push"
	"github.com/quayside/quayside/internal/secret"
)

func pushCommand() *cobra.Command {
	var job push.Job
	var keyFile, zone string
	cmd := &cobra.Command{
		Use:   "push FILE --table SLUG",
		Short: "Send the records of a file to a table",
		Long: "Sends each record of a CSV, NDJSON, JSON or XLSX file, also gzipped, to a table's endpoint;\n" +
			"FILE may be - for standard input. QUAYSIDE_URL is the service's address, QUAYSIDE_KEY the key\n" +
			"(or --key-file). Records that are refused go to FILE.rejects.ndjson, which can be corrected\n" +
			"and pushed again. Ctrl-C stops it; --resume goes on.",
		Example: "  quayside push orders.csv --table orders --dry-run\n" +
			"  quayside push orders.csv --table orders --map 'Order No=order_number'",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			job.File = args[0]
			if err := completePush(cmd, &job, keyFile, zone); err != nil {
				return err
			}
			ctx, release := stoppable(cmd, &job)
			defer release()
			summary, err := push.Run(ctx, job)
			return showPush(cmd, &job, summary, err)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&job.Table, "table", "", "the table's slug, such as orders")
	flags.StringVar(&job.URL, "url", "", "the service's address (default: QUAYSIDE_URL)")
	flags.StringVar(&keyFile, "key-file", "", "a file with the key in its first line (default: QUAYSIDE_KEY)")
	flags.StringArrayVar(&job.Map, "map", nil,
		"from=to: which column of the table one of the file goes to; from= drops it")
	flags.StringVar(&job.Sequence, "sequence", "",
		"the file's column with the time of each record's last change, or a number that grows with its changes:\n"+
			"a record that is older than what is stored changes nothing")
	flags.BoolVar(&job.DryRun, "dry-run", false, "check every record on the service, but store nothing")
	flags.BoolVar(&job.Resume, "resume", false, "continue a push that was stopped")
	flags.StringVar(&job.Reading.Format, "format", "", "csv, tsv, ndjson, json or xlsx (default: detected)")
	flags.StringVar(&job.Reading.Delimiter, "delimiter", "", "for CSV: one character, or tab (default: detected)")
	flags.StringVar(&job.Reading.Encoding, "encoding", "", "text encoding, such as windows-1252 (default: detected)")
	flags.StringVar(&job.Reading.Sheet, "sheet", "", "for XLSX: the sheet's name (default: the first)")
	flags.StringVar(&job.Reading.Empty, "empty", "skip",
		"what an empty cell does: skip leaves the stored value, null clears it")
	flags.StringVar(&zone, "time-zone", "", "time zone of times in XLSX, such as Europe/Berlin (default: this machine's)")
	flags.StringVar(&job.RejectsPath, "rejects", "", "file for rejected records (default: FILE.rejects.ndjson)")
	flags.IntVar(&job.Concurrency, "concurrency", 16, "maximum number of requests at once")
	flags.DurationVar(&job.MaxWait, "max-wait", 5*time.Minute, "how long to continue without any success")
	flags.BoolVarP(&job.Quiet, "quiet", "q", false, "show errors only")
	must(cmd.MarkFlagRequired("table"))
	jsonFlag(cmd)
	return cmd
}

// completePush adds settings from the environment, and refuses invalid ones.
func completePush(cmd *cobra.Command, job *push.Job, keyFile, zone string) (err error) {
	if job.URL == "" {
		job.URL = os.Getenv("QUAYSIDE_URL")
	}
	job.URL = strings.TrimRight(job.URL, "/")
	if job.Key, err = secret.FromEnv("QUAYSIDE_KEY"); err != nil {
		return err
	}
	if keyFile != "" {
		text, err := os.ReadFile(keyFile) //nolint:gosec // the file that was asked for
		if err != nil {
			return fmt.Errorf("the key file: %w", err)
		}
		job.Key, _, _ = strings.Cut(string(text), "\n")
	}
	job.Key = strings.TrimSpace(job.Key)
	switch {
	case job.URL == "":
		return errors.New("QUAYSIDE_URL is not set; it is the service's address, such as https://quayside.example")
	case job.Key == "":
		return errors.New("QUAYSIDE_KEY is not set; it is a key of the workspace, or use --key-file")
	case strings.ContainsFunc(job.Key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("the key holds characters that no key has; keys look like pk_ and 48 hexadecimal characters")
	case job.Concurrency < 1 || job.Concurrency > 256:
		return errors.New("--concurrency is from 1 to 256")
	case job.DryRun && job.Resume:
		return errors.New("--dry-run stores nothing that --resume could go on with")
	}
	if zone != "" {
		if job.Reading.Zone, err = time.LoadLocation(zone); err != nil {
			return fmt.Errorf("--time-zone %q is not known; zones look like Europe/Berlin", zone)
		}
	}
	job.Stdin, job.Messages = cmd.InOrStdin(), cmd.ErrOrStderr()
	job.Colour = os.Getenv("NO_COLOR") == ""
	return nil
}

// stoppable lets requests in progress finish after the first Ctrl-C, and abandons them after
// the second.
func stoppable(cmd *cobra.Command, job *push.Job) (ctx context.Context, release func()) {
	ctx, cancel := context.WithCancel(cmd.Context())
	stop := make(chan struct{})
	job.Stop = stop
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		select {
		case <-signals:
			close(stop)
		case <-ctx.Done():
			return
		}
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel()
	}
}

// aboutTheFile are the flags that describe one file. They do not apply to the file of its
// rejects.
var aboutTheFile = []string{"map", "resume", "format", "sheet", "delimiter", "encoding", "empty", "time-zone",
	"rejects", "sequence"}

// showPush prints the summary and turns err into an exit code.
func showPush(cmd *cobra.Command, job *push.Job, summary push.Summary, err error) error {
	if fault.HasCode(err, push.Misused) {
		return err
	}
	asJSON, _ := cmd.Flags().GetBool("json")
	if asJSON || !job.Quiet && summary.Mapping != nil {
		if err := show(cmd, summary, func(w io.Writer) { summary.Print(w) }); err != nil {
			return &failure{err: err}
		}
	}
	onward, inRejects := "", []string(nil)
	if job.Sequence != "" {
		inRejects = []string{"sequence=_sequence"} // each record of the rejects has its own as a note
	}
	switch {
	case summary.Resumable:
		onward = "\nGo on with:\n  " + commandLine(cmd, job.File, nil, []string{"resume"})
	case job.File == "-" && summary.Done() > 0 && !job.DryRun:
		onward = "\nStandard input cannot be resumed; pushed again from the start, what is stored already stays as it is."
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, push.ErrInterrupted):
		return &failure{fmt.Errorf("interrupted after %s records%s", push.Thousands(summary.Done()), onward), exitInterrupted}
	case errors.Is(err, push.ErrRejected) && job.DryRun:
		return &failure{fmt.Errorf("%s of %s records would be rejected", push.Thousands(summary.Rejected),
			push.Thousands(summary.Done())), exitRejected}
	case errors.Is(err, push.ErrRejected):
		return &failure{fmt.Errorf("%s of %s records were rejected. Correct them in %s and push that:\n  %s",
			push.Thousands(summary.Rejected), push.Thousands(summary.Done()), summary.Rejects,
			commandLine(cmd, summary.Rejects, aboutTheFile, inRejects)), exitRejected}
	}
	var known *fault.Error
	if errors.As(err, &known) { // explain prints the message of a fault
		with := *known
		with.Message += onward
		err = &with
	}
	return &failure{err: err}
}

// commandLine returns the command as it was given, but for another file and with some flags
// removed or added.
func commandLine(cmd *cobra.Command, file string, without, with []string) string {
	words := []string{cmd.CommandPath(), shellQuote(file)}
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if slices.Contains(without, flag.Name) || slices.Contains(with, flag.Name) {
			return
		}
		switch list, isList := flag.Value.(pflag.SliceValue); {
		case isList:
			for _, value := range list.GetSlice() {
				words = append(words, "--"+flag.Name, shellQuote(value))
			}
		case flag.Value.Type() == "bool":
			words = append(words, "--"+flag.Name)
		default:
			words = append(words, "--"+flag.Name, shellQuote(flag.Value.String()))
		}
	})
	for _, name := range with {
		words = append(words, "--"+name)
	}
	return strings.Join(words, " ")
}

// shellQuote returns the word, quoted if a shell would change it.
func shellQuote(word string) string {
	plain := !strings.ContainsFunc(word, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("._-/:,=+@", r)
	})
	if plain && word != "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
