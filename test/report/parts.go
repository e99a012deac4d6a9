package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// part is one command that was run.
type part struct {
	name      string
	took, cpu time.Duration
	failed    bool
}

// runParts runs one command for each name, in order. Names that are joined by "+" run at the
// same time; the output of each is printed in one piece when it has ended. After a failure, what
// runs at that time still ends, and nothing else starts. runParts prints the parts' times at the
// end, also after a failure, and returns false if one failed.
//
// The processor time includes the commands that a part waited for. It does not include a
// server that it left running, such as PostgreSQL.
func runParts(w io.Writer, steps []string, command func(name string) *exec.Cmd) bool {
	began := time.Now()
	var done []part
	var left []string
	fine := true
	for _, step := range steps {
		names := strings.Split(step, "+")
		if !fine {
			left = append(left, names...)
			continue
		}
		ended := runStep(w, names, command)
		done = append(done, ended...)
		fine = !slices.ContainsFunc(ended, func(p part) bool { return p.failed })
	}
	printParts(w, done, left, time.Since(began))
	return fine
}

// runStep runs the parts of a step at the same time. If it is interrupted, it prints what those that run have printed so far
// and ends the program.
func runStep(w io.Writer, names []string, command func(name string) *exec.Cmd) []part {
	ended := make([]part, len(names))
	var printing sync.Mutex
	var running sync.WaitGroup
	under := &underway{outputs: map[string]string{}}
	defer under.interruptible(w, &printing)()
	if len(names) > 1 {
		fmt.Fprintf(w, "\n== at the same time: %s\n", strings.Join(names, ", "))
	}
	for i, name := range names {
		cmd := command(name)
		if len(names) == 1 {
			fmt.Fprintf(w, "\n== %s\n", name)
			cmd.Stdout, cmd.Stderr = w, w
			ended[i] = run(w, name, cmd)
			continue
		}
		running.Go(func() {
			var out string
			ended[i], out = under.run(name, cmd)
			printing.Lock()
			defer printing.Unlock()
			fmt.Fprintf(w, "\n== %s\n%s", name, out)
		})
	}
	running.Wait()
	return ended
}

// underway holds the files with the outputs of the parts that run, by the parts' names.
type underway struct {
	mu      sync.Mutex
	outputs map[string]string
}

// interruptible prints the outputs when the program is interrupted, until the returned function is called.
func (u *underway) interruptible(w io.Writer, printing *sync.Mutex) (end func()) {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	go func() {
		interrupt, interrupted := <-interrupts
		if !interrupted {
			return
		}
		printing.Lock()
		u.mu.Lock()
		for name, path := range u.outputs {
			out, _ := os.ReadFile(path)
			fmt.Fprintf(w, "\n== %s, until the %s\n%s", name, interrupt, out)
		}
		os.Exit(1)
	}()
	return func() {
		signal.Stop(interrupts)
		close(interrupts)
	}
}

// run runs a part and returns its output. The output goes through a file: with a pipe, a
// process that the part left running would be waited for.
func (u *underway) run(name string, cmd *exec.Cmd) (part, string) {
	file, err := os.CreateTemp("", "part-")
	if err != nil {
		return part{name: name, failed: true}, err.Error()
	}
	u.mu.Lock()
	u.outputs[name] = file.Name()
	u.mu.Unlock()
	defer func() {
		u.mu.Lock()
		delete(u.outputs, name)
		u.mu.Unlock()
		_ = file.Close()
		_ = os.Remove(file.Name())
	}()
	cmd.Stdout, cmd.Stderr = file, file
	p := run(file, name, cmd)
	out, err := os.ReadFile(file.Name())
	if err != nil {
		return part{name: name, failed: true}, err.Error()
	}
	return p, string(out)
}

func run(w io.Writer, name string, cmd *exec.Cmd) part {
	start := time.Now()
	err := cmd.Run()
	p := part{name: name, took: time.Since(start), failed: err != nil}
	if err != nil {
		fmt.Fprintf(w, "%s: %s\n", name, err)
	}
	if cmd.ProcessState != nil {
		p.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return p
}

// printParts prints a line for each part. Those that ran at the same time took longer than alone,
// so the last line's time is less than the sum.
func printParts(w io.Writer, done []part, left []string, took time.Duration) {
	fmt.Fprintf(w, "\n%-16s %10s %10s\n", "part", "took", "processor")
	var cpu time.Duration
	for _, p := range done {
		verdict := ""
		if p.failed {
			verdict = "  FAILED"
		}
		fmt.Fprintf(w, "%-16s %10s %10s%s\n", p.name, clock(p.took), clock(p.cpu), verdict)
		cpu += p.cpu
	}
	for _, name := range left {
		fmt.Fprintf(w, "%-16s %10s\n", name, "not run")
	}
	fmt.Fprintf(w, "%-16s %10s %10s\n", "all", clock(took), clock(cpu))
}

// clock formats a duration as minutes and seconds.
func clock(d time.Duration) string {
	seconds := int(d.Round(time.Second) / time.Second)
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}
