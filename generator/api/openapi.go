package api

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/ops"
)

// An object is a part of the description. Its members are written by name.
type object map[string]any

// describe writes the OpenAPI description of every route.
func (a *API) describe() []byte {
	d := &description{schemas: map[string]*facts.Schema{}}
	paths := object{
		"/healthz":              object{"get": plain("health", "Whether requests are taken.", jsonType, d.add("health", healthy{}, "Whether requests are taken."))},
		"/metrics":              object{"get": plain("metrics", "Figures for Prometheus.", "text/plain", &facts.Schema{Type: "string"})},
		Prefix + "openapi.json": object{"get": plain("description", "This description.", jsonType, &facts.Schema{Type: "object"})},
	}
	d.add("problem", Problem{}, "What an error is answered with (RFC 9457).")
	for _, r := range routes {
		path := Prefix + r.path
		if paths[path] == nil {
			paths[path] = object{}
		}
		paths[path].(object)[strings.ToLower(r.method)] = d.operation(r)
	}
	src, err := facts.JSON(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "Strata", "version": a.Version,
			"description": "Checks, plans, compares and exports neural-network architectures given as graphs. " +
				"Every operation is a pure function of what is sent and of the catalog; no key is needed. " +
				"Integers beyond 2^53 are strings of digits, in what is sent and in what is answered. Units stand in the keys. " +
				"Where parameters are about one model, the body may be a bare graph document; simple parameters can then stand in the query.",
		},
		"servers": []object{{"url": "/"}},
		"paths":   paths, "components": object{"schemas": d.schemas},
	})
	if err != nil {
		panic("api: " + err.Error()) // it is made of declarations alone
	}
	return src
}

// plain is an operation without parameters.
func plain(id, summary, mediaType string, s *facts.Schema) object {
	return object{"operationId": id, "summary": summary, "responses": object{"200": object{"description": summary, "content": content(mediaType, s)}}}
}

func content(mediaType string, s *facts.Schema) object {
	return object{mediaType: object{"schema": s}}
}

// description is what is described so far.
type description struct{ schemas map[string]*facts.Schema }

// add puts a schema among those of the description, and refers to it.
func (d *description) add(name string, v any, words string) *facts.Schema {
	return d.put(name, facts.SchemaOf(v, "", "", words))
}

func (d *description) put(name string, s *facts.Schema) *facts.Schema {
	for def, of := range s.Defs {
		if d.schemas[def] == nil {
			moved(of)
			d.schemas[def] = of
		}
	}
	s.Schema, s.Title, s.Defs = "", "", nil
	moved(s)
	d.schemas[name] = s
	return &facts.Schema{Ref: components + name}
}

const components = "#/components/schemas/"

// moved points the references of a schema to where definitions are now.
func moved(s *facts.Schema) {
	if s == nil {
		return
	}
	s.Ref = strings.Replace(s.Ref, "#/$defs/", components, 1)
	for _, p := range s.Properties {
		moved(p.Schema)
	}
	for _, one := range s.AnyOf {
		moved(one)
	}
	moved(s.Items)
	moved(s.Values)
}

func (d *description) operation(r route) object {
	o := r.op
	id := o.Name
	if r.param != "" && r.path != r.op.Name+"/{"+r.param+"}" {
		id += "_" + r.param // the operation has a second address
	}
	answer := content(jsonType, d.put(o.Name+".answer", o.Result()))
	if o.Name == "export" {
		answer[pythonType] = object{"schema": &facts.Schema{Type: "string", Description: "the file itself"}}
	}
	op := object{
		"operationId": id, "summary": o.Summary, "description": o.Doc, "parameters": r.parameters(),
		"responses": d.responses(o, answer),
	}
	if r.method == http.MethodPost {
		body := d.put(o.Name+".parameters", o.Parameters())
		if takesGraph(o) {
			body = &facts.Schema{AnyOf: []*facts.Schema{body, {Ref: components + "graph"}}}
			d.schemas["graph"] = &facts.Schema{
				Type: "object", Required: []string{"components"}, Description: "a graph document; strata schema prints its whole schema",
				Properties: facts.Properties{{Name: "components", Schema: &facts.Schema{Type: "array", Items: &facts.Schema{Type: "object"}, Description: "the layers"}}},
			}
		}
		op["requestBody"] = object{"required": true, "content": content(jsonType, body)}
	}
	return op
}

// takesGraph reports whether parameters are about one model.
func takesGraph(o *ops.Op) bool {
	names := o.ParamNames()
	return len(names) > 0 && names[0] == "model"
}

// parameters are those of the path and of the query.
func (r route) parameters() []object {
	list := []object{}
	for _, p := range r.op.Parameters().Properties {
		if p.Name == r.param {
			list = append(list, object{"name": p.Name, "in": "path", "required": true, "description": p.Description, "schema": &facts.Schema{Type: p.Type}})
		}
	}
	for _, p := range r.asked {
		one := object{"name": p.Name, "in": "query", "description": p.Description, "schema": &facts.Schema{Type: p.Type, Items: p.Items}}
		switch simple(p.Schema) {
		case "array":
			one["explode"] = false
		case "boolean":
			one["allowEmptyValue"] = true // ?tensors
		}
		list = append(list, one)
	}
	return list
}

// responses are the answer, and the problems by status.
func (d *description) responses(o *ops.Op, answer object) object {
	list := object{"200": object{"description": o.Answer, "content": answer}}
	for _, k := range kinds {
		if k == wrongMethod || k == missing || k == ending {
			continue // not of an operation
		}
		status, words := fmt.Sprint(k.status), k.title
		if had, ok := list[status].(object); ok {
			words = fmt.Sprintf("%s; or %s", had["description"], strings.ToLower(words[:1])+words[1:])
		}
		list[status] = object{"description": words, "content": content(ProblemType, &facts.Schema{Ref: components + "problem"})}
	}
	return list
}
