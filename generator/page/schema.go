package page

// Addresses of the JSON Schemas by which editors complete what people write:
// graph documents, and policies.
const (
	GraphSchema  = "schema/graph-v1.json"
	PolicySchema = "schema/policy-v1.json"
)

// schemaText is the schema at an address, made for it.
func (s *Site) schemaText(path string, schema func(id string) ([]byte, error)) func() (any, error) {
	return func() (any, error) {
		src, err := schema(s.schemaURL(path))
		return &Text{Path: path, Body: string(src)}, err
	}
}
