package page

import "github.com/strata-catalog/strata/generator/schema"

// GraphSchema is the address of the JSON Schema of graph documents, by which
// editors complete them.
const GraphSchema = "schema/graph-v1.json"

func (s *Site) graphSchema() (any, error) {
	src, err := schema.Graph(s.schemaURL(GraphSchema))
	if err != nil {
		return nil, err
	}
	return &Text{Path: GraphSchema, Body: string(src)}, nil
}
