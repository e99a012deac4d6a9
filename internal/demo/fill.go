package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/quayside/quayside/internal/auth"
)

// sayEvery is the time between two lines about the progress of a large step.
const sayEvery = 5 * time.Second

// fillFull adds the made shop.
func (f *Filler) fillFull(ctx context.Context, w *writer, keys map[string]auth.Principal, today time.Time) error {
	made := makeShop(today, f.Scale)
	if f.Truth != nil {
		if err := f.Truth(made); err != nil {
			return fmt.Errorf("truth: %w", err)
		}
	}
	fmt.Fprintf(f.Progress, "now two years of sales of %d articles by %d suppliers\n",
		len(made.Articles), len(made.Suppliers))
	start, said, done, grown := time.Now(), time.Now(), 0, 1000
	sums, order := map[string]int{}, []string{}
	for s := range newFull(made).steps(time.Now) {
		if _, err := w.write(ctx, keys[s.key], s); err != nil {
			return fmt.Errorf("%s: %w", s.slug, err)
		}
		what := fmt.Sprintf("%-22s %%7d  %s\n", s.slug, s.name)
		if sums[what] == 0 {
			order = append(order, what)
		}
		sums[what] += len(s.records)
		if done += len(s.records); done > grown {
			grown = 2 * done
			if err := f.Grown(ctx); err != nil {
				return err
			}
		}
		if time.Since(said) > sayEvery {
			said = time.Now()
			fmt.Fprintf(f.Progress, "  %d records, %.0f a second\n", done, float64(done)/time.Since(start).Seconds())
		}
	}
	for _, what := range order {
		fmt.Fprintf(f.Progress, what, sums[what])
	}
	took := time.Since(start).Seconds()
	fmt.Fprintf(f.Progress, "%d records in %.0f s, %.0f a second\n", done, took, float64(done)/took)
	return f.Grown(ctx)
}
