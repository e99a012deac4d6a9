// Command quayside is the whole service and its tools.
package main

import (
	"context"
	"os"

	"github.com/quayside/quayside/internal/cli"
)

func main() {
	os.Exit(cli.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
