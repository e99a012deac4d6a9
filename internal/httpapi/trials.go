package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/ingest"
)

type (
	columnTrialJSON struct {
		Rows    TriedJSON         `json:"rows" doc:"The stored rows of all workspaces. They stay as they are."`
		Sources []sourceTrialJSON `json:"sources" doc:"The last 1,000 records of each source, as they were stored. Those with the most refusals first, 50 at most."`
		Since   time.Time         `json:"since" doc:"Since when the records of the sources were looked at."`
		New     bool              `json:"new" doc:"The table does not have the column yet. Fields that a table does not have are not kept, so whether a source sent it is not known."`
		Retyped bool              `json:"retyped" doc:"The column would get another type."`
	}
	// TriedJSON counts values that were tried.
	TriedJSON struct {
		Looked     int64              `json:"looked" example:"12400" doc:"How many were tried, the newest first."`
		Of         int64              `json:"of,omitempty" example:"12400" doc:"How many there are. Absent if that is not known. More than looked: the time was up."`
		Refused    int64              `json:"refused" example:"37" doc:"Values that the rules refuse."`
		Missing    int64              `json:"missing" doc:"Records without a value that a new record must have. A change of a stored record does not need it."`
		Unreadable int64              `json:"unreadable" doc:"Of those refused: values that are not of the column's type and cannot be converted."`
		Converted  int64              `json:"converted" doc:"Values that can be converted to the new type."`
		Examples   []trialExampleJSON `json:"examples" doc:"The newest of those refused or missing, 20 at most."`
	}
	sourceTrialJSON struct {
		ByType string `json:"by_type" example:"key" doc:"Who sent them: key, user, sync, agent, operator or system."`
		ByID   string `json:"by_id,omitempty"`
		ByName string `json:"by_name,omitempty" example:"Shop sync" doc:"The key's label or the person's name. Absent if it is no longer known."`
		TriedJSON
	}
	trialExampleJSON struct {
		Record    string     `json:"record" doc:"Our id of the record."`
		Key       string     `json:"key" example:"D-17" doc:"What identifies it."`
		Workspace uuid.UUID  `json:"workspace"`
		At        *time.Time `json:"at,omitempty" doc:"When it was sent. Absent for a stored row."`
		Value     *string    `json:"value,omitempty" example:"paused" doc:"As text, shortened. Absent if there is none."`
		Code      string     `json:"code" example:"choice"`
		Message   string     `json:"message" doc:"As a sender would be told."`
	}
)

// trialOperations try a column's rules before they are saved.
func (s *Server) trialOperations(a *appAPI, tag, this string) {
	register(a, operation{
		id: "tryTableColumn", method: http.MethodPost, path: this + "/columns/{column}/trial", tag: tag, needs: auth.DefineTables,
		summary: "Try the rules of a column",
		about:   "Takes the same body as putTableColumn, and tells what these rules would have refused: of the stored rows, and of the last 1,000 records of each source. It changes nothing, and refuses what putTableColumn would refuse, except another type. It looks for a few seconds at most, and says how far it came.",
	}, func(ctx context.Context, in *struct {
		OneColumn
		Body ColumnRules
	}) (*body[columnTrialJSON], error) {
		trial, err := s.Records.Try(ctx, by(ctx).Principal, in.Definition, 0, in.Body.definition(in.Column))
		if err != nil {
			return nil, err
		}
		names, err := s.Query.Names(ctx, by(ctx).Tenant, trial.Actors())
		return &body[columnTrialJSON]{toTrial(trial, names)}, err
	})
	register(a, operation{
		id: "convertTableColumn", method: http.MethodPost, path: this + "/columns/{column}/convert", tag: tag, needs: auth.DefineTables,
		summary: "Give a column another type",
		about:   "The column has the new type and rules at once, and its stored values are converted in the background (converting). Values that cannot be converted are emptied; the history keeps them. If there are more of them than lose, nothing is changed (more_lost): try it first. A column that refers to records keeps its type.",
	}, func(ctx context.Context, in *struct {
		OneColumn
		Conditional
		Body struct {
			ColumnRules
			Lose int64 `json:"lose" minimum:"0" doc:"How many values may be lost, because they cannot be converted: rows.unreadable of the trial."`
		}
	}) (*versioned[tableDefinitionJSON], error) {
		version, err := in.version()
		if err != nil {
			return nil, err
		}
		return toVersionedDefinition(s.Records.Retype(ctx, by(ctx).Principal, in.Definition, version,
			in.Body.definition(in.Column), in.Body.Lose))
	})
}

func toTrial(trial ingest.Trial, names map[auth.Actor]string) columnTrialJSON {
	out := columnTrialJSON{Rows: toTried(trial.Rows), Sources: []sourceTrialJSON{}, Since: trial.Since, New: trial.New,
		Retyped: trial.Retyped}
	for _, source := range trial.Sources {
		out.Sources = append(out.Sources, sourceTrialJSON{ByType: string(source.By.Type), ByID: source.By.ID,
			ByName: names[source.By], TriedJSON: toTried(source.Tried)})
	}
	return out
}

func toTried(tried ingest.Tried) TriedJSON {
	out := TriedJSON{Looked: tried.Looked, Of: tried.Of, Refused: tried.Refused, Missing: tried.Missing,
		Unreadable: tried.Unreadable, Converted: tried.Converted, Examples: []trialExampleJSON{}}
	for _, example := range tried.Examples {
		one := trialExampleJSON{Record: example.Record, Key: example.Key, Workspace: example.Workspace, Value: example.Value,
			Code: example.Code, Message: example.Message}
		if !example.At.IsZero() {
			one.At = &example.At
		}
		out.Examples = append(out.Examples, one)
	}
	return out
}
