package cli

import (
	"flag"

	"github.com/strata-catalog/strata/generator/schema"
)

var schemaCommand = &Command{
	Name:  "schema",
	Short: "print the JSON Schema of graph documents",
	Long: `Prints the JSON Schema (draft 2020-12) of graph documents. Editors complete and
check a model.json by it: keep it in a file, and name that file in the document's
"$schema" or in the settings of the editor.`,
	Setup: func(*flag.FlagSet) func(*Session, []string) error { return printSchema },
}

func printSchema(s *Session, args []string) error {
	if len(args) > 0 {
		return usage("schema: takes no argument, found %q", args[0])
	}
	src, err := schema.Graph("")
	if err != nil {
		return err
	}
	_, err = s.Stdout.Write(src)
	return err
}
