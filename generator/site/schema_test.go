package site_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/site"
)

// schema is the part of JSON Schema that the published schemas use.
type schema struct {
	Ref                  string `json:"$ref"`
	Type                 any
	Enum                 []string
	AnyOf                []*schema
	Pattern              string
	Items                *schema
	Properties           map[string]*schema
	Required             []string
	AdditionalProperties *schema
	Defs                 map[string]*schema `json:"$defs"`
	Description          string

	root *schema
}

// check reports where a value is not as the schema has it. A key that the
// schema does not describe is a fault too: whoever adds one must declare it.
func (s *schema) check(at string, v any) (faults []string) {
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		d := s.root.Defs[name]
		if d == nil {
			return []string{at + ": no definition " + name}
		}
		d.root = s.root
		return d.check(at, v)
	}
	if len(s.AnyOf) > 0 {
		for _, a := range s.AnyOf {
			a.root = s.root
			if faults = a.check(at, v); len(faults) == 0 {
				return nil
			}
		}
		return faults
	}
	if !s.allows(v) {
		return []string{fmt.Sprintf("%s: %v is no %v", at, v, s.Type)}
	}
	switch v := v.(type) {
	case string:
		if len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
			return []string{fmt.Sprintf("%s: %q is none of %v", at, v, s.Enum)}
		}
		if s.Pattern != "" && !regexp.MustCompile(s.Pattern).MatchString(v) {
			return []string{fmt.Sprintf("%s: %q does not match %s", at, v, s.Pattern)}
		}
	case []any:
		for i, e := range v {
			if s.Items != nil {
				s.Items.root = s.root
				faults = append(faults, s.Items.check(fmt.Sprintf("%s[%d]", at, i), e)...)
			}
		}
	case map[string]any:
		faults = s.object(at, v)
	}
	return faults
}

func (s *schema) object(at string, v map[string]any) (faults []string) {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			faults = append(faults, at+": lacks "+name)
		}
	}
	for name, e := range v {
		p := s.Properties[name]
		if p == nil {
			p = s.AdditionalProperties
		}
		switch {
		case p != nil:
			p.root = s.root
			faults = append(faults, p.check(at+"."+name, e)...)
		case len(s.Properties) > 0:
			faults = append(faults, at+": has the key "+name+", which the schema does not describe")
		}
	}
	return faults
}

func (s *schema) allows(v any) bool {
	var names []string
	switch t := s.Type.(type) {
	case nil:
		return true
	case string:
		names = []string{t}
	case []any:
		for _, n := range t {
			names = append(names, n.(string))
		}
	}
	kind := map[bool]string{true: "integer", false: "number"}
	switch v := v.(type) {
	case nil:
		return slices.Contains(names, "null")
	case bool:
		return slices.Contains(names, "boolean")
	case string:
		return slices.Contains(names, "string")
	case float64:
		return slices.Contains(names, "number") || slices.Contains(names, kind[v == float64(int64(v))])
	case []any:
		return slices.Contains(names, "array")
	}
	return slices.Contains(names, "object")
}

func loadSchema(t *testing.T, m *site.Memory, path string) *schema {
	t.Helper()
	s := &schema{}
	if err := json.Unmarshal([]byte(file(t, m, path)), s); err != nil {
		t.Fatal(err)
	}
	s.root = s
	return s
}

// TestSchemas: what is published is as its schema says, for every graph.
func TestSchemas(t *testing.T) {
	configs := map[string]site.Config{"sample": sample(t), "hostile": hostile()}
	for _, folder := range []string{"../../../shared/zoo", "../../templates"} {
		if _, err := os.Stat(folder); err != nil {
			t.Logf("testing without %s, which is not beside the checkout", folder)
			continue
		}
		configs[folder] = site.Config{Templates: os.DirFS(folder), KeepGoing: true}
	}
	for name, c := range configs {
		t.Run(name, func(t *testing.T) {
			m := &site.Memory{}
			if _, err := site.Build(c, m); err != nil {
				t.Fatal(err)
			}
			index, template, diff := loadSchema(t, m, "schema/index-v1.json"), loadSchema(t, m, "schema/template-v1.json"), loadSchema(t, m, "schema/diff-v1.json")
			for _, path := range m.Paths() {
				var s *schema
				switch {
				case path == "a/index.json":
					s = index
				case strings.HasPrefix(path, "a/") && strings.HasSuffix(path, ".json"):
					s = template
				case strings.HasPrefix(path, "diff/") && strings.HasSuffix(path, ".json"):
					s = diff
				default:
					continue
				}
				var v any
				if err := json.Unmarshal([]byte(file(t, m, path)), &v); err != nil {
					t.Fatal(err)
				}
				for _, fault := range s.check(path, v) {
					t.Error(fault)
				}
			}
		})
	}
}

// Every key that this project's pages declare has its words; package cost
// documents its own in Go.
func TestSchemaWords(t *testing.T) {
	m := build(t, sample(t))
	for _, path := range []string{"schema/index-v1.json", "schema/template-v1.json", "schema/diff-v1.json"} {
		s := loadSchema(t, m, path)
		words(t, path, s)
		for name, d := range s.Defs {
			if !strings.HasPrefix(name, "cost.") {
				words(t, path+" "+name, d)
			}
		}
	}
}

func words(t *testing.T, at string, s *schema) {
	for name, p := range s.Properties {
		if p.Description == "" {
			t.Errorf("%s: %s has no description", at, name)
		}
	}
}
