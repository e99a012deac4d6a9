package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/spool"
)

// openSpool opens the folder for dead letters that PostgreSQL cannot take, and loads those that
// an earlier run left there. Only serve calls it: other commands take no records.
func (a *App) openSpool(ctx context.Context) error {
	if a.cfg.SpoolDir == "" {
		a.log.WarnContext(ctx, "no spool: dead letters that PostgreSQL cannot take are not kept, and their senders get 503")
		return nil
	}
	if err := a.Spool.Open(); err != nil {
		return fault.New(fault.Unavailable, "spool",
			"the spool's folder cannot be used; set QUAYSIDE_SPOOL_DIR to one that this user may write, or to 'off'").Because(err)
	}
	if err := a.Records.LoadSpooled(ctx); err != nil {
		a.log.ErrorContext(ctx, "spooled dead letters are not loaded", "err", err)
	}
	return nil
}

// closeSpool tries once more to load the waiting dead letters, and releases the folder.
func (a *App) closeSpool() {
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	if err := a.Records.LoadSpooled(ctx); err != nil {
		a.log.ErrorContext(ctx, "spooled dead letters are not loaded", "err", err)
	}
	if waiting, _ := a.Spool.Held(); waiting > 0 {
		a.log.WarnContext(ctx, "dead letters stay in the spool", "letters", waiting, "folder", a.Spool.Folder())
	}
	if err := a.Spool.Close(); err != nil {
		a.log.ErrorContext(ctx, "the spool was not closed", "err", err)
	}
}

// observeSpool adds metrics of the waiting dead letters.
func (a *App) observeSpool() {
	a.metrics.Gauge("quayside_spool_entries", "Dead letters that wait in local files for PostgreSQL.", func() float64 {
		entries, _ := a.Spool.Held()
		return float64(entries)
	})
	a.metrics.Gauge("quayside_spool_bytes", "Bytes of the files in which dead letters wait.", func() float64 {
		_, bytes := a.Spool.Held()
		return float64(bytes)
	})
	a.metrics.Gauge("quayside_spool_oldest_seconds", "How long the oldest dead letter has waited in local files.", func() float64 {
		if since := a.Spool.Since(); !since.IsZero() {
			return time.Since(since).Seconds()
		}
		return 0
	})
}

// SpoolFolder returns the folder in which dead letters wait, or an empty text.
func (a *App) SpoolFolder() string { return a.cfg.SpoolDir }

// CheckSpool returns an error if dead letters wait in the spool.
func (a *App) CheckSpool() error {
	if a.cfg.SpoolDir == "" {
		return nil
	}
	found, err := spool.Look(a.cfg.SpoolDir)
	switch {
	case err != nil:
		return err
	case len(found.SetAside) > 0:
		return fmt.Errorf("PostgreSQL or the disk refused what is in %s; docs/ingest.md says what to do",
			strings.Join(found.SetAside, ", "))
	case found.Entries > 0:
		return fmt.Errorf("%d dead letters (%d KiB) wait in %s; serve loads them within seconds when PostgreSQL is there, and its log says why if it does not",
			found.Entries, (found.Bytes+1023)>>10, a.cfg.SpoolDir)
	}
	return nil
}
