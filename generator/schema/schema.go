package schema

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/layer"
)

const draft = "https://json-schema.org/draft/2020-12/schema"

// Graph is the JSON Schema of graph documents. id is the address that it is
// published at; "" leaves it out.
func Graph(id string) ([]byte, error) {
	s := object{{"$schema", draft}}
	if id != "" {
		s = append(s, member{"$id", id})
	}
	s = append(s, object{
		{"title", "Graph document"},
		{"description", "A neural network as a graph of layers: flat, or with its repeated parts written once under blocks."},
		{"type", "object"},
		{"required", []string{"components"}},
		{"properties", document()},
		{"$defs", definitions()},
	}...)
	src, err := json.Marshal(s, jsontext.WithIndent(" "))
	return append(src, '\n'), err
}

// An object is a JSON object whose members stay in order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSONTo implements json.MarshalerTo.
func (o object) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, m := range o {
		if err := enc.WriteToken(jsontext.String(m.name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(enc, m.value); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

func ref(name string) object { return object{{"$ref", "#/$defs/" + name}} }

// typed is a value of a kind, or null, which is the same as none.
func typed(kind, doc string, more ...member) object {
	return append(object{{"description", doc}, {"type", []string{kind, "null"}}}, more...)
}

func text(doc string, more ...member) object { return typed("string", doc, more...) }

// ids is a list of words.
func ids(doc string) object {
	return typed("array", doc, member{"items", object{{"type", "string"}}})
}

// filled is a list that is there and has an element.
func filled(doc, element string) object {
	return object{{"description", doc}, {"type", "array"}, {"minItems", 1}, {"items", ref(element)}}
}

// name is a text that is not empty.
func name(doc string) object {
	return object{{"description", doc}, {"type", "string"}, {"minLength", 1}}
}

// document lists the members of the document itself.
func document() object {
	return object{
		{"$schema", text("Address of this schema, for editors.")},
		{"id", text("Name of the model in addresses: lower-case letters and digits, joined by single dots or hyphens. In a catalog it is the name of the folder.", member{"examples", []string{"qwen3-8b"}})},
		{"name", text("Name to show.")},
		{"description", text("One line that says what the model is.")},
		{"category", text("Field and kind.", member{"examples", []string{"NLP/LLM", "Vision/Classification", "Audio", "Recommendation"}})},
		{"tags", ids("Words to find it by.")},
		{"realParamCount", typed("integer", "The published number of parameters of the checkpoint, shown beside the one that is counted.", member{"minimum", 1}, member{"maximum", graph.MaxNumber})},
		{"components", filled("The layers, and the uses of blocks.", "component")},
		{"connections", typed("array", "Edges, beside those that the inputs of the components are.", member{"items", ref("connection")})},
		{"blocks", typed("object", "Parts that are written once and used by reference, by their names.", member{"additionalProperties", ref("block")})},
	}
}

// definitions are the parts that the document refers to: those of the format,
// then the parameters of each layer type.
func definitions() object {
	defs := object{
		{"component", component()},
		{"connection", object{
			{"description", "An edge from one component to another."},
			{"type", "object"},
			{"required", []string{"from", "to"}},
			{"properties", object{{"from", name("Id of the component that feeds.")}, {"to", name("Id of the component that is fed.")}}},
		}},
		{"block", object{
			{"description", "A part that is written once."},
			{"type", "object"},
			{"required", []string{"components", "output"}},
			{"properties", object{
				{"inputs", ids("Names by which its components refer to what the block is fed.")},
				{"components", filled("Its layers, and its uses of other blocks.", "component")},
				{"output", name("Id of the component whose result it yields.")},
			}},
		}},
		{"value", object{
			{"description", "A value that the use of the block gives under with or each."},
			{"type", []string{"string", "null"}},
			{"pattern", `^\$`},
		}},
	}
	for _, t := range layer.All {
		defs = append(defs, member{paramsOf(t), parameters(t)})
	}
	return defs
}

// component is a layer or the use of a block. What parameters a layer takes
// follows from its type.
func component() object {
	var byType []object
	for _, t := range layer.All {
		byType = append(byType, ofType(t))
	}
	return object{
		{"description", "A layer, or the use of a block."},
		{"type", "object"},
		{"required", []string{"id"}},
		{"properties", object{
			{"id", name("Unique name in its scope; where weights have names, the path of the module.")},
			{"type", types()},
			{"name", text("Name to show; the id when it is not given.")},
			{"params", typed("object", "Parameters of the layer.")},
			{"inputs", ids("Ids of the components that feed it, in the order of the operands.")},
			{"sharedWith", text("Id of an earlier component whose weights this one has: a layer, or a use of the same block.")},
			{"block", text("Name of the block that stands here.")},
			{"pattern", ids("Names of the blocks that the instances cycle through.")},
			{"repeat", typed("integer", "Number of instances, one after the other. They are numbered in the paths of their layers; a block without repeat is one instance without a number.", member{"minimum", 1}, member{"maximum", graph.MaxRepeat})},
			{"first", typed("string", "Path step of the first instance, which ends in a number that the others count on, such as layer_1.", member{"pattern", "^$|(^|[^0-9])(0|[1-9][0-9]*)$"}, member{"default", "0"})},
			{"share", typed("boolean", "Whether all instances have the same weights.", member{"default", false})},
			{"with", typed("object", `Values of the block: what "$name" stands for in it.`)},
			{"each", typed("object", "Values that differ from instance to instance: a list as long as the repeat for each name.",
				member{"additionalProperties", object{{"type", []string{"array", "null"}}}})},
		}},
		{"dependentRequired", object{{"first", []string{"repeat"}}}},
		{"oneOf", forms()},
		{"allOf", byType},
	}
}

// forms are what a component can be: a layer, a block, or a pattern of blocks.
func forms() []object {
	absent := object{{"enum", []any{nil, ""}}}
	none := object{{"type", []string{"array", "null"}}, {"maxItems", 0}}
	given := object{{"type", "string"}, {"minLength", 1}}
	return []object{
		{{"title", "Layer"}, {"required", []string{"type"}}, {"properties", object{
			{"type", given}, {"block", absent}, {"pattern", none}, {"repeat", object{{"type", "null"}}}, {"first", absent},
			{"share", object{{"enum", []any{false, nil}}}}, {"with", object{{"maxProperties", 0}}}, {"each", false},
		}}},
		{{"title", "Block"}, {"required", []string{"block"}}, {"properties", object{{"block", given}, {"type", absent}, {"pattern", none}}}},
		{{"title", "Pattern of blocks"}, {"required", []string{"pattern"}}, {"properties", object{
			{"pattern", object{{"type", "array"}, {"minItems", 1}}}, {"type", absent}, {"block", absent},
		}}},
	}
}

// types lists the known types with their words, and allows any other.
func types() object {
	var known []object
	for _, t := range layer.All {
		known = append(known, object{{"const", t.Name}, {"title", t.Display}, {"description", t.Doc.Summary}})
	}
	return object{
		{"description", "Type of the layer."},
		{"anyOf", append(known, object{{"type", []string{"string", "null"}}})},
	}
}
