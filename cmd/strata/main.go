// Command strata builds a site of neural-network architectures from their
// graphs, and checks, counts and compares them. See strata help.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/strata-catalog/strata/generator/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
