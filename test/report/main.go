// Command report says where the time of the checks goes, and which tests run where.
//
//	report parts PROGRAM NAME…        runs 'PROGRAM NAME' for each name, one after the other, until
//	                                  one fails, and prints how long each took; names joined by "+",
//	                                  such as test-race+test-plain, run at the same time
//	report tests                      reads 'go test -json' and prints each package's line, the output
//	                                  of what failed, and the ten slowest tests
//	report race detected|undetected   prints the arguments of 'go test' for the tests that run with the
//	                                  race detector, or for the others
//
// All end with 1 when something failed.
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
		fine = runParts(os.Stdout, args[2:], func(name string) *exec.Cmd { return exec.Command(args[1], name) })
	case len(args) == 2 && args[0] == "race" && (args[1] == "detected" || args[1] == "undetected"):
		err := printJob(os.Stdout, ".", args[1] == "detected")
		if fine = err == nil; !fine {
			fmt.Fprintln(os.Stderr, "report:", err)
		}
	default:
		fmt.Fprintln(os.Stderr, "usage: report parts PROGRAM NAME… | report tests < go-test.json | report race detected|undetected")
		os.Exit(2)
	}
	if !fine {
		os.Exit(1)
	}
}
