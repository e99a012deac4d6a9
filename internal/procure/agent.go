package procure

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/riverqueue/river"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/job"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/playbook"
)

// RunStatus is how far a run is.
type RunStatus string

// The statuses.
const (
	RunQueued  RunStatus = "queued"  // it waits for a worker, or for the queue to be computed
	RunRunning RunStatus = "running" // it has decided, and drafts
	RunDone    RunStatus = "done"
	RunFailed  RunStatus = "failed"
)

// Run is a run of the procurement agent. It decides about all that is to be ordered, once, and then
// does what it decided.
type Run struct {
	ID                              uuid.UUID
	Dry                             bool       // decides, but drafts nothing
	Day                             *time.Time // of a daily run; nil: somebody asked for it
	Status                          RunStatus
	StartedBy                       auth.Actor
	Message                         string // why it failed
	CreatedAt                       time.Time
	DecidedAt, EndedAt, UndoneAt    *time.Time
	UndoneBy                        *auth.Actor
	QueueComputedAt                 string // what it decided from; empty: it has not decided yet
	ConfigVersion, PlaybookRevision int64
	Chosen, Skipped                 int64 // candidates
	Drafted, Submitted, Refused     int64 // of the chosen
	Undone, Kept                    int64 // of the drafted and submitted, when it was undone
}

// Outcomes of decisions to draft.
const (
	OutcomeNone      = "none" // not done yet, or a dry run, or left out
	OutcomeDrafted   = "drafted"
	OutcomeSubmitted = "submitted"
	OutcomeRefused   = "refused" // the rules of purchasing did not allow it; the note says why
	OutcomeUndone    = "undone"
	OutcomeKept      = "kept" // not undone; the note says why
)

// RunDecision is a stored decision with what came of it.
type RunDecision struct {
	N                       int64
	Product, Key, SKU, Name string
	Supplier, SupplierName  string
	Quantity                decimal.Decimal
	Cost                    *decimal.Decimal
	Currency                string
	Rule                    AgentRule
	Sentence                string
	Outcome, Note           string
	Line                    *string
	Version                 int64 // of the line, as the agent left it
	OrderNo                 string
}

// AgentJob is the background job of a run.
type AgentJob struct {
	Tenant    uuid.UUID `json:"tenant"`
	Workspace uuid.UUID `json:"workspace"`
	Run       uuid.UUID `json:"run"`
}

// Kind names the job.
func (AgentJob) Kind() string { return "agent_run" }

// InsertOpts says how it is enqueued.
func (AgentJob) InsertOpts() river.InsertOpts { return job.In(job.Agents) }

// StartRun starts the agent. A workspace has one run at a time.
func (s *Service) StartRun(ctx context.Context, by auth.Principal, dry bool) (Run, error) {
	if err := by.Require(auth.DraftLines); err != nil {
		return Run{}, err
	}
	id := uuid.Must(uuid.NewV7())
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error { return start(ctx, tx, by, id, dry, nil) })
	if err != nil {
		return Run{}, err
	}
	return s.Run(ctx, by, id)
}

// start stores a run, and enqueues its job.
func start(ctx context.Context, tx pgx.Tx, by auth.Principal, id uuid.UUID, dry bool, day *time.Time) error {
	row := q.InsertAgentRunParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: id, Dry: dry, StartedBy: by.Actor.JSON()}
	if day != nil {
		row.Day = pgtype.Date{Time: *day, Valid: true}
	}
	if err := q.New(tx).InsertAgentRun(ctx, row); err != nil {
		return err
	}
	if err := audit.Record(ctx, tx, by, "agent_run.started", id.String(), audit.Data{"dry": dry}); err != nil {
		return err
	}
	return pg.Enqueue(ctx, tx, AgentJob{by.Tenant, by.Workspace, id})
}

// StartDaily starts the agent in every workspace whose config wants it daily, once for each day of
// the queue. Any number of instances may call it at any time.
func (s *Service) StartDaily(ctx context.Context) error {
	var due []q.FindDailyAgentsRow
	// Crosses tenants: it reads where the agent may be due, and then acts as each tenant.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		due, err = q.New(tx).FindDailyAgents(ctx)
		return err
	})
	for _, row := range due {
		failed := s.cells.InTenant(ctx, row.TenantID, func(tx pgx.Tx) error {
			settings, err := playbook.Current(ctx, q.New(tx), row.TenantID, row.WorkspaceID)
			if err != nil || !settings.Config.AgentDaily {
				return err
			}
			by := auth.Principal{Tenant: row.TenantID, Workspace: row.WorkspaceID, Actor: auth.Actor{Type: auth.BySystem}}
			return start(ctx, tx, by, uuid.Must(uuid.NewV7()), false, &row.AsOf.Time)
		})
		if !fault.HasCode(failed, "agent_at_work") && !fault.HasCode(failed, "agent_ran") { // another instance, or a person
			err = errors.Join(err, failed)
		}
	}
	return err
}

// mayRead lets those in who may read, and agents that may start runs.
func mayRead(by auth.Principal) error {
	if by.Require(auth.DraftLines) == nil {
		return nil
	}
	return by.Require(auth.Read)
}

// Runs returns runs, the newest first, and whether there are more.
func (s *Service) Runs(ctx context.Context, by auth.Principal, want page.Request) (runs []Run, more bool, err error) {
	if err := mayRead(by); err != nil {
		return nil, false, err
	}
	err = s.cells.Reading(ctx, by.Tenant, readTimeout, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListAgentRuns(ctx, q.ListAgentRunsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace,
			Before: want.Before(), Most: want.Limit()})
		if err != nil {
			return err
		}
		rows, more = page.Cut(want, rows)
		for _, row := range rows {
			run, err := toRun(row)
			if err != nil {
				return err
			}
			runs = append(runs, run)
		}
		return nil
	})
	return runs, more, err
}

// Run returns one run.
func (s *Service) Run(ctx context.Context, by auth.Principal, id uuid.UUID) (run Run, err error) {
	if err := mayRead(by); err != nil {
		return run, err
	}
	err = s.cells.Reading(ctx, by.Tenant, readTimeout, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListAgentRuns(ctx, q.ListAgentRunsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: &id,
			Before: uuid.Max, Most: 1})
		if err == nil && len(rows) == 0 {
			return errNoRun
		}
		if err != nil {
			return err
		}
		run, err = toRun(rows[0])
		return err
	})
	return run, err
}

var errNoRun = fault.New(fault.NotFound, "unknown_run", "there is no such run of the agent")

func toRun(r q.ListAgentRunsRow) (Run, error) {
	run := Run{
		ID: r.ID, Dry: r.Dry, Day: at(r.Day), Status: RunStatus(r.Status), Message: r.Message, CreatedAt: r.CreatedAt,
		DecidedAt: r.DecidedAt, EndedAt: r.EndedAt, UndoneAt: r.UndoneAt, QueueComputedAt: r.QueueComputedAt,
		ConfigVersion: r.ConfigVersion, PlaybookRevision: r.PlaybookRevision, Chosen: r.Chosen, Skipped: r.Skipped,
		Drafted: r.Drafted, Submitted: r.Submitted, Refused: r.Refused, Undone: r.Undone, Kept: r.Kept,
	}
	err := json.Unmarshal(r.StartedBy, &run.StartedBy)
	if r.UndoneBy != nil {
		err = errors.Join(err, json.Unmarshal(r.UndoneBy, &run.UndoneBy))
	}
	return run, err
}

// Which says which decisions of a run are wanted.
type Which string

// The choices.
const (
	AllDecisions Which = ""
	Chosen       Which = "chosen"
	Skipped      Which = "skipped"
)

// Decisions returns decisions of a run after one (0: from the first on), and whether there are more.
func (s *Service) Decisions(ctx context.Context, by auth.Principal, run uuid.UUID, which Which, after int64, most int) (
	decisions []RunDecision, more bool, err error) {
	if _, err := s.Run(ctx, by, run); err != nil {
		return nil, false, err
	}
	err = s.cells.Reading(ctx, by.Tenant, readTimeout, func(tx pgx.Tx) error {
		decisions, err = listDecisions(ctx, q.New(tx), by.Tenant, run, which, after, most+1)
		return err
	})
	if len(decisions) > most {
		return decisions[:most], true, err
	}
	return decisions, false, err
}

func listDecisions(ctx context.Context, queries *q.Queries, tenant, run uuid.UUID, which Which, after int64, most int) (
	decisions []RunDecision, err error) {
	params := q.ListAgentDecisionsParams{TenantID: tenant, RunID: run, After: after, Most: int32(min(most, math.MaxInt32))} //nolint:gosec // bounded
	if which != AllDecisions {
		params.Chosen = new(which == Chosen)
	}
	rows, err := queries.ListAgentDecisions(ctx, params)
	for _, r := range rows {
		d := RunDecision{N: r.N, Product: r.ProductID, Key: r.RecommendationKey, SKU: r.Sku, Name: r.Name, Supplier: r.SupplierID,
			SupplierName: r.SupplierName, Quantity: r.Quantity, Cost: r.Cost, Currency: r.Currency, Rule: AgentRule(r.Rule),
			Sentence: r.Sentence, Outcome: r.Outcome, Note: r.Note, Line: r.LineID, OrderNo: r.OrderNo}
		if r.LineVersion != nil {
			d.Version = *r.LineVersion
		}
		decisions = append(decisions, d)
	}
	return decisions, err
}
