// Command report says where the time of the checks goes.
//
//	report parts PROGRAM NAME…   runs 'PROGRAM NAME' for each name, one after the other, until
//	                             one fails, and prints how long each took
//	report tests                 reads 'go test -json' and prints each package's line, the output
//	                             of what failed, and the ten slowest tests
//
// Both end with 1 when something failed.
package main

import (
	"fmt"
	"os"
	"os/exec"
)

func main() {
	fine := false
	switch args := os.Args[1:]; {
	case len(args) == 1 && args[0] == "tests":
		fine = readTests(os.Stdin, os.Stdout)
	case len(args) >= 3 && args[0] == "parts":
		fine = runParts(os.Stdout, args[2:], func(name string) *exec.Cmd {
			cmd := exec.Command(args[1], name)
			cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
			return cmd
		})
	default:
		fmt.Fprintln(os.Stderr, "usage: report parts PROGRAM NAME… | report tests < go-test.json")
		os.Exit(2)
	}
	if !fine {
		os.Exit(1)
	}
}
