package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/registry"
)

// columnTrialJSON is what a column's rules would have refused, as the command line prints it.
type columnTrialJSON struct {
	Column  string            `json:"column"`
	New     bool              `json:"new"`
	Retyped bool              `json:"retyped"`
	Rows    triedJSON         `json:"rows"`
	Sources []sourceTrialJSON `json:"sources"`
	Since   time.Time         `json:"since"`
}

type triedJSON struct {
	Looked     int64              `json:"looked"`
	Of         int64              `json:"of,omitempty"`
	Refused    int64              `json:"refused"`
	Missing    int64              `json:"missing"`
	Unreadable int64              `json:"unreadable"`
	Converted  int64              `json:"converted"`
	Examples   []trialExampleJSON `json:"examples"`
}

type sourceTrialJSON struct {
	By   auth.Actor `json:"by"`
	Name string     `json:"name,omitempty"`
	triedJSON
}

type trialExampleJSON struct {
	Record  string  `json:"record"`
	Key     string  `json:"key"`
	Value   *string `json:"value,omitempty"`
	Code    string  `json:"code"`
	Message string  `json:"message"`
}

// tryDefinition tries every column that a definition would add or change, and changes nothing.
func tryDefinition(cmd *cobra.Command, a *app.App, by auth.Principal, definition registry.Definition) error {
	slug, columns, err := a.Tables.Planned(cmd.Context(), by, definition)
	if err != nil {
		return eachRefusal(err)
	}
	trials := make([]columnTrialJSON, 0, len(columns))
	for _, column := range columns {
		trial, err := a.Records.Try(cmd.Context(), by, slug, 0, column)
		if err != nil {
			return eachRefusal(err)
		}
		names, err := a.HTTP.Query.Names(cmd.Context(), by.Tenant, trial.Actors())
		if err != nil {
			return err
		}
		trials = append(trials, toColumnTrial(column.Name, trial, names))
	}
	return show(cmd, trials, func(w io.Writer) {
		if len(trials) == 0 {
			fmt.Fprintln(w, "No column of a table that exists would be added or changed.")
		}
		for _, trial := range trials {
			printTrial(w, trial)
		}
	})
}

func toColumnTrial(column string, trial ingest.Trial, names map[auth.Actor]string) columnTrialJSON {
	out := columnTrialJSON{Column: column, New: trial.New, Retyped: trial.Retyped, Rows: toTried(trial.Rows),
		Sources: []sourceTrialJSON{}, Since: trial.Since}
	for _, source := range trial.Sources {
		out.Sources = append(out.Sources, sourceTrialJSON{source.By, names[source.By], toTried(source.Tried)})
	}
	return out
}

func toTried(tried ingest.Tried) triedJSON {
	out := triedJSON{Looked: tried.Looked, Of: tried.Of, Refused: tried.Refused, Missing: tried.Missing,
		Unreadable: tried.Unreadable, Converted: tried.Converted, Examples: []trialExampleJSON{}}
	for _, e := range tried.Examples {
		out.Examples = append(out.Examples, trialExampleJSON{e.Record, e.Key, e.Value, e.Code, e.Message})
	}
	return out
}

// printTrial writes a trial for people.
func printTrial(w io.Writer, trial columnTrialJSON) {
	fmt.Fprintf(w, "%s:\n", trial.Column)
	printTried(w, trial.Rows, "stored rows (they stay as they are)")
	for _, source := range trial.Sources {
		name := source.Name
		if name == "" {
			name = string(source.By.Type) + " " + source.By.ID
		}
		printTried(w, source.triedJSON, "last records of "+name)
	}
	if trial.New {
		fmt.Fprintln(w, "  The table does not have the column yet: whether a source sent it is not known.")
	}
	if trial.Retyped {
		fmt.Fprintf(w, "  Of the stored values, %d can be converted and %d cannot.\n", trial.Rows.Converted, trial.Rows.Unreadable)
	}
}

func printTried(w io.Writer, tried triedJSON, what string) {
	fmt.Fprintf(w, "  %d of the %d %s would be refused", tried.Refused, tried.Looked, what)
	if tried.Missing > 0 {
		fmt.Fprintf(w, ", and %d have no value", tried.Missing)
	}
	if tried.Of > tried.Looked {
		fmt.Fprintf(w, "; the newest of %d were looked at", tried.Of)
	}
	fmt.Fprintln(w)
	for _, e := range tried.Examples {
		fmt.Fprintf(w, "    %s  %s\n", e.Key, e.Message)
	}
}
