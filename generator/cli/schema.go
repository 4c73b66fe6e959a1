package cli

import (
	"flag"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/schema"
	"github.com/strata-catalog/strata/generator/words"
)

// schemas are the schemas that the program prints, by what they describe; the
// first is the default.
var schemas = []struct {
	of   string
	make func(id string) ([]byte, error)
}{
	{"graph", schema.Graph},
	{"policy", schema.Policy},
}

var schemaCommand = &Command{
	Name:  "schema",
	Args:  "[" + strings.Join(schemaNames(), "|") + "]",
	Short: "print the JSON Schema of graph documents or of policies",
	Long: `Prints the JSON Schema (draft 2020-12) of graph documents, or of the files of
check --policy. Editors complete and check a file by it: keep it beside, and name
it in the "$schema" of a model.json, in the first line of a policy,
# yaml-language-server: $schema=FILE, or in the settings of the editor.`,
	Setup: func(*flag.FlagSet) func(*Session, []string) error { return printSchema },
}

func schemaNames() (names []string) {
	for _, s := range schemas {
		names = append(names, s.of)
	}
	return names
}

func printSchema(s *Session, args []string) error {
	names := schemaNames()
	of := append(slices.Clone(args), names[0])[0]
	i := slices.Index(names, of)
	switch {
	case len(args) > 1:
		return usage("schema: takes one name, found %q too", args[1])
	case i < 0:
		return usage("schema: there is no schema of %q%s; there are those of %s", of, words.DidYouMean(of, names), strings.Join(names, " and "))
	}
	src, err := schemas[i].make("")
	if err != nil {
		return err
	}
	_, err = s.Stdout.Write(src)
	return err
}
