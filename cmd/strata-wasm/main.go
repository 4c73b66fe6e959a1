//go:build js && wasm

// Command strata-wasm is the program in a browser: the page of a graph, made
// where its reader changes it. It sets the object strata.
package main

import (
	"runtime/debug"
	"strconv"

	"github.com/strata-catalog/strata/generator/browser"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/workbench"
)

func main() {
	debug.SetGCPercent(400) // there is one thread, and what is collected is waited for
	var bench *workbench.Bench
	text := func(data []byte, err error) (string, error) { return string(data), err }
	browser.Serve("strata", map[string]browser.Method{
		"open": func(args []string) (_ string, err error) {
			bench, err = workbench.New(args[0])
			return "", err
		},
		"know":    func(args []string) (string, error) { return "", bench.Know(args[0]) },
		"check":   func(args []string) (string, error) { return text(facts.JSONLine(bench.Check(args[0]))) },
		"section": func(args []string) (string, error) { return bench.Section(args[0]) },
		"file":    func(args []string) (string, error) { return bench.File(args[0]) },
		"compare": func(args []string) (string, error) { return bench.Compare(args[0]) },
		"component": func(args []string) (string, error) {
			row, err := strconv.Atoi(args[0])
			if err != nil {
				return "", err
			}
			c, err := bench.Component(row)
			if err != nil {
				return "", err
			}
			return text(facts.JSONLine(c))
		},
		"operations": func([]string) (string, error) { return text(facts.JSONLine(workbench.Operations())) },
		"apply": func(args []string) (string, error) {
			c, err := bench.Apply(args[0], args[1], args[2])
			if err != nil {
				return "", err
			}
			return text(facts.JSONLine(c))
		},
		"difference": func(args []string) (string, error) { return text(facts.JSON(workbench.Difference(args[0], args[1]))) },
	})
}
