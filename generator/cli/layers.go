package cli

import (
	"flag"
	"fmt"
	"strings"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/reference"
)

var layersCommand = &Command{
	Name:  "layers",
	Args:  "[TYPE]",
	Short: "list the layer types, or describe one of them",
	Long: `Lists the layer types that a graph may use, by family. With a TYPE, describes it:
operands, shape rule, tensors, multiply-accumulates, every parameter with its values and default, and
examples with what comes of them. With --format json the answer is a list of
types, or the type.

Exit code 0: listed. 2: a type that does not exist, or wrong usage.`,
	Setup: func(fs *flag.FlagSet) func(*Session, []string) error {
		c := &layers{}
		choose(fs, &c.format, "format", "`FORMAT` of the answer", "text", "json")
		widthFlag(fs, &c.width)
		return c.run
	},
}

type layers struct {
	format string
	width  int
}

func (c *layers) run(s *Session, args []string) error {
	if len(args) > 1 {
		return onlyOne("layers", "type", args)
	}
	list := layer.All
	if len(args) == 1 {
		t, ok := layer.Lookup(args[0])
		if !ok {
			return usage("layers: %q is no layer type%s (see strata layers)", args[0], nearestType(args[0]))
		}
		list = []*layer.Type{t}
	}
	types := make([]reference.Type, len(list))
	for i, t := range list {
		var err error
		if types[i], err = reference.TypeOf(t); err != nil {
			return err
		}
	}
	switch {
	case c.format == "json" && len(args) == 1:
		return s.json(types[0])
	case c.format == "json":
		return s.json(types)
	case len(args) == 1:
		return describeType(s.screen(c.width), &types[0])
	}
	return listTypes(s.screen(c.width), types)
}

// nearestType is the end of a message about an unknown type: what may be meant.
func nearestType(name string) string {
	near, _ := layer.NearestType(name)
	if near == "" {
		return ""
	}
	return fmt.Sprintf("; nearest is %q", near)
}

// listTypes lists the types of each family.
func listTypes(sc *screen, types []reference.Type) error {
	t := &table{columns: []column{{}, {least: 24, wraps: true}}}
	for _, family := range layer.Parts {
		var rows []row
		for i := range types {
			if types[i].Family == family {
				rows = append(rows, row{[]string{"  " + types[i].Name, types[i].Summary}, ordinary})
			}
		}
		if len(rows) == 0 {
			continue
		}
		if len(t.rows) > 0 {
			t.add(ordinary, "", "")
		}
		t.add(bold, string(family), "")
		t.rows = append(t.rows, rows...)
	}
	return t.write(sc)
}

// describeType prints all that is declared of a type.
func describeType(sc *screen, t *reference.Type) error {
	sc.title(t.Display, t.Name)
	sc.paragraph("", t.Summary)
	fmt.Fprintln(sc)
	if len(t.Also) > 0 {
		sc.paragraph("also      ", strings.Join(t.Also, ", "))
	}
	sc.paragraph("family    ", string(t.Family))
	sc.paragraph("operands  ", t.Operands)
	sc.paragraph("shape     ", t.Shape)
	sc.paragraph("tensors   ", orNone(t.Tensors))
	sc.paragraph("macs      ", t.Work)
	sc.paragraph("source    ", t.Source)
	fmt.Fprintln(sc)
	if err := parameterTable(t).write(sc); err != nil {
		return err
	}
	for i := range t.Examples {
		fmt.Fprintln(sc)
		printExample(sc, t.Name, &t.Examples[i])
	}
	return nil
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

func parameterTable(t *reference.Type) *table {
	w := &table{columns: []column{{head: "Parameter"}, {head: "Values"}, {head: "Default"}, {head: "Unit", goes: 1}, {head: "What it is", least: 24, wraps: true}}}
	for i := range t.Parameters {
		p := &t.Parameters[i]
		usual, values, doc := p.Default, p.Values(), p.Doc
		if p.Required {
			usual = "required"
		}
		if len(p.Enum) > 0 {
			values, doc = string(p.Kind), doc+": "+oneOf(p.Enum)
		}
		if len(p.Aliases) > 0 {
			doc += "; also " + strings.Join(p.Aliases, ", ")
		}
		w.add(ordinary, p.Name, values, usual, p.Unit, doc)
	}
	if len(w.rows) == 0 {
		return &table{columns: []column{{}}, rows: []row{{[]string{"It has no parameters."}, ordinary}}}
	}
	return w
}

// printExample prints one use of a type and what comes of it.
func printExample(sc *screen, name string, e *reference.Example) {
	sc.paragraph("example   ", fmt.Sprintf(`{"type": %q, "params": %s}`, name, e.Params))
	in := make([]string, len(e.In))
	for i, x := range e.In {
		in[i] = x.String()
	}
	line := facts.ShapeText(e.Out)
	if len(in) > 0 {
		line = strings.Join(in, ", ") + " → " + line
	}
	if e.Parameters != nil && *e.Parameters > 0 {
		line += "; " + format.Exact64(*e.Parameters) + " parameters"
	}
	if e.MACs != nil && e.MACs.Sign() > 0 {
		line += "; " + format.Exact(e.MACs) + " MACs"
	}
	sc.paragraph("          ", line)
	if len(e.Weights) > 0 {
		sc.paragraph("          ", weights(name, e.Weights))
	}
	for _, p := range e.Problems {
		sc.paragraph("          ", "the verifier says: "+p)
	}
}

// weights lists tensors with their shapes.
func weights(name string, list []reference.Weight) string {
	texts := make([]string, 0, len(list))
	for _, w := range list {
		if w.Name == "" {
			w.Name = name // a free tensor has the name of its component
		}
		text := w.Name + " " + w.Shape.Brackets()
		if w.Copies > 1 {
			text += fmt.Sprintf(" ×%d", w.Copies)
		}
		if w.Buffer {
			text += " (a buffer)"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}
