package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/shop"
)

const (
	// sayEvery is the time between two lines about the progress.
	sayEvery = 5 * time.Second
	// firstRows is the number of a table's records after which Grown is called first. The
	// planner would otherwise read the whole table for each of the following records.
	firstRows = 1000
	// growth is the factor by which a table has grown when Grown is called again.
	growth = 8
)

// fillFull adds the made shop.
func (f *Filler) fillFull(ctx context.Context, w *writer, keys map[string]auth.Principal, today time.Time) error {
	shopOf := makeShop
	if f.shopOf != nil {
		shopOf = f.shopOf
	}
	made := shopOf(today, f.Scale)
	if f.Truth != nil {
		if err := f.Truth(made); err != nil {
			return fmt.Errorf("truth: %w", err)
		}
	}
	p := progress{Filler: f, start: time.Now(), said: time.Now(), sums: map[string]int{}}
	p.begin(made)
	rows, next := map[string]int{}, map[string]int{} // by table: the records written, and when Grown is called
	for s := range newFull(made).steps(time.Now) {
		if next[s.slug] == 0 {
			next[s.slug] = firstRows
		}
		for left := s; len(left.records) > 0; {
			part := left
			if rows[s.slug] < firstRows {
				part.records = left.records[:min(firstRows-rows[s.slug], len(left.records))]
			}
			left.records = left.records[len(part.records):]
			if _, err := w.write(ctx, keys[s.key], part); err != nil {
				return fmt.Errorf("%s: %w", s.slug, err)
			}
			if rows[s.slug] += len(part.records); rows[s.slug] >= next[s.slug] {
				next[s.slug] = growth * rows[s.slug]
				if err := f.Grown(ctx); err != nil {
					return err
				}
			}
			p.wrote(part)
		}
	}
	p.end()
	return f.Grown(ctx)
}

// progress prints how far the made shop is filled.
type progress struct {
	*Filler
	start, said time.Time
	done        int
	sums        map[string]int // by line
	lines       []string       // in the order of their first records
}

func (p *progress) begin(made *shop.Shop) {
	fmt.Fprintf(p.Progress, "now two years of sales of %d articles by %d suppliers\n", len(made.Articles),
		len(made.Suppliers))
}

func (p *progress) wrote(s step) {
	line := fmt.Sprintf("%-22s %%7d  %s\n", s.slug, s.name)
	if p.sums[line] == 0 {
		p.lines = append(p.lines, line)
	}
	p.sums[line] += len(s.records)
	p.done += len(s.records)
	if time.Since(p.said) > sayEvery {
		p.said = time.Now()
		fmt.Fprintf(p.Progress, "  %d records, %.0f a second\n", p.done, p.rate())
	}
}

func (p *progress) rate() float64 { return float64(p.done) / time.Since(p.start).Seconds() }

func (p *progress) end() {
	for _, line := range p.lines {
		fmt.Fprintf(p.Progress, line, p.sums[line])
	}
	fmt.Fprintf(p.Progress, "%d records in %.0f s, %.0f a second\n", p.done, time.Since(p.start).Seconds(), p.rate())
}
