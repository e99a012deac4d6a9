package main

import (
	"fmt"
	"io"
	"os/exec"
	"time"
)

// part is one command that was run.
type part struct {
	name      string
	took, cpu time.Duration
	failed    bool
}

// runParts runs one command for each name and stops at the first that fails. It prints the
// parts' times at the end, also after a failure, and returns false if one failed.
//
// The processor time includes the commands that a part waited for. It does not include a
// server that it left running, such as PostgreSQL.
func runParts(w io.Writer, names []string, command func(name string) *exec.Cmd) bool {
	var done []part
	fine := true
	for _, name := range names {
		fmt.Fprintf(w, "\n== %s\n", name)
		p := run(w, name, command(name))
		done = append(done, p)
		if p.failed {
			fine = false
			break
		}
	}
	printParts(w, done, names[len(done):])
	return fine
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

func printParts(w io.Writer, done []part, left []string) {
	fmt.Fprintf(w, "\n%-16s %10s %10s\n", "part", "took", "processor")
	var sum part
	for _, p := range done {
		verdict := ""
		if p.failed {
			verdict = "  FAILED"
		}
		fmt.Fprintf(w, "%-16s %10s %10s%s\n", p.name, clock(p.took), clock(p.cpu), verdict)
		sum.took += p.took
		sum.cpu += p.cpu
	}
	for _, name := range left {
		fmt.Fprintf(w, "%-16s %10s\n", name, "not run")
	}
	fmt.Fprintf(w, "%-16s %10s %10s\n", "all", clock(sum.took), clock(sum.cpu))
}

// clock formats a duration as minutes and seconds.
func clock(d time.Duration) string {
	seconds := int(d.Round(time.Second) / time.Second)
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}
