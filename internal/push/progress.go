package push

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"
)

const (
	barEvery  = 120 * time.Millisecond
	lineEvery = 10 * time.Second
	rateOver  = 5 * time.Second // the rate is measured over this period
)

// Progress shows the progress of a push: a bar on a terminal, otherwise a line every ten
// seconds, or nothing.
type Progress struct {
	out      io.Writer
	name     string
	total    int64 // 0: not known
	ledger   *Ledger
	terminal bool
	quiet    bool
	colour   bool

	mu   sync.Mutex // guards the writer and the two fields below
	bars *mpb.Progress
	bar  *mpb.Bar
	stop context.CancelFunc
	done chan struct{}
	rate meter
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && cwriter.IsTerminal(int(file.Fd())) && os.Getenv("TERM") != "dumb"
}

// start begins to show progress.
func (p *Progress) start(total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total, p.done = total, make(chan struct{})
	p.rate.note(time.Now(), p.ledger.Counts().Done())
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	every := lineEvery
	if p.terminal && !p.quiet {
		every = barEvery
		p.bars = mpb.New(mpb.WithOutput(p.out), mpb.WithRefreshRate(barEvery))
		var style mpb.BarFillerBuilder = mpb.BarStyle().Lbound("[").Rbound("]").Filler("=").Tip(">").Padding(" ")
		if total == 0 {
			style = mpb.SpinnerStyle() // the length of a stream is unknown
		}
		p.bar = p.bars.New(max(total, 1), style,
			mpb.PrependDecorators(decor.Name(shortName(p.name))),
			mpb.AppendDecorators(
				decor.Any(func(decor.Statistics) string { return p.amount() }),
				decor.Meta(decor.Any(func(decor.Statistics) string { return p.rejections() }), p.red),
				decor.Any(func(decor.Statistics) string { return p.speed() })))
	}
	go p.watch(ctx, every)
}

// watch polls the ledger, so that senders need not report.
func (p *Progress) watch(ctx context.Context, every time.Duration) {
	defer close(p.done)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			done := p.ledger.Counts().Done()
			p.rate.note(now, done)
			switch {
			case p.bar != nil && p.total > 0:
				p.bar.SetCurrent(min(done, p.total-1)) // finish completes the bar
			case p.bar == nil:
				p.say(p.name + ": " + p.amount() + p.rejections() + p.speed())
			}
		}
	}
}

// finish shows the final state and stops.
func (p *Progress) finish() {
	p.stop()
	<-p.done
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar == nil {
		return
	}
	if done := p.ledger.Counts().Done(); p.total == 0 || done < p.total {
		p.bar.SetCurrent(min(done, max(p.total, 1)-1))
		p.bar.Abort(false)
	} else {
		p.bar.SetCurrent(p.total)
	}
	p.bars.Wait()
	p.bar = nil
}

// say writes a message, above the bar if there is one.
func (p *Progress) say(text string) {
	if p.quiet {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_, _ = p.bars.Write([]byte(text + "\n"))
		return
	}
	fmt.Fprintln(p.out, text)
}

func (p *Progress) amount() string {
	counts := p.ledger.Counts()
	if p.total == 0 {
		return Thousands(counts.Done()) + " done, " + Thousands(counts.Accepted) + " accepted"
	}
	return Thousands(counts.Done()) + "/" + Thousands(p.total) + ", " + Thousands(counts.Accepted) + " accepted"
}

func (p *Progress) rejections() string {
	return ", " + Thousands(p.ledger.Counts().Rejected) + " rejected"
}

func (p *Progress) red(text string) string {
	if !p.colour || p.ledger.Counts().Rejected == 0 {
		return text
	}
	return "\x1b[31m" + text + "\x1b[0m"
}

func (p *Progress) speed() string {
	rate := p.rate.perSecond()
	text := fmt.Sprintf(", %s/s", Thousands(int64(rate)))
	if left := p.total - p.ledger.Counts().Done(); p.total > 0 && left > 0 && rate >= 1 {
		text += ", ETA " + (time.Duration(float64(left)/rate) * time.Second).String()
	}
	return text
}

// shortName shortens a name to leave room for the bar.
func shortName(name string) string {
	if runes := []rune(name); len(runes) > 20 {
		return string(runes[:19]) + "…"
	}
	return name
}

// records formats a number of records.
func records(n int64) string {
	if n == 1 {
		return "1 record"
	}
	return Thousands(n) + " records"
}

// Thousands groups digits.
func Thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	var grouped strings.Builder
	for i, digit := range text {
		if i > 0 && (len(text)-i)%3 == 0 && digit != '-' {
			grouped.WriteByte(',')
		}
		grouped.WriteRune(digit)
	}
	return grouped.String()
}
