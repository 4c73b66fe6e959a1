// Command strata builds a site of neural-network architectures from their
// graphs, and checks, counts and compares them. See strata help.
package main

import (
	"context"
	"os"

	"github.com/strata-catalog/strata/generator/cli"
)

func main() {
	os.Exit(cli.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
