package api

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/ops"
	"github.com/strata-catalog/strata/generator/words"
)

// A route leads to an operation.
type route struct {
	method string
	path   string // below Prefix
	op     *ops.Op
	param  string // the parameter that the path names, "" for none
	asked  []facts.Property
}

// got are the operations that are asked for with GET, since they have an address
// of what they answer.
var got = map[string]struct{ path, param string }{
	"templates": {"templates", ""},
	"show":      {"templates/{template}", "template"},
	"explain":   {"explain/{name}", "name"},
}

// Of these, what can be asked with GET alone: no graph is sent.
var onlyGot = []string{"templates", "explain"}

// routes lists every route, in the order of the operations.
var routes = func() (list []route) {
	for _, o := range ops.All {
		if g, ok := got[o.Name]; ok {
			list = append(list, route{http.MethodGet, g.path, o, g.param, asked(o, g.param)})
		}
		if !slices.Contains(onlyGot, o.Name) {
			list = append(list, route{http.MethodPost, o.Name, o, "", asked(o, "")})
		}
	}
	return list
}()

// Routes lists the addresses of an operation, each after its method.
func Routes(op string) (list []string) {
	for _, r := range routes {
		if r.op.Name == op {
			list = append(list, r.method+" "+Prefix+r.path)
		}
	}
	return list
}

// asked are the parameters that a query may hold: what is no object, and does
// not stand in the path.
func asked(o *ops.Op, param string) (list []facts.Property) {
	for _, p := range o.Parameters().Properties {
		if simple(p.Schema) != "" && p.Name != param {
			list = append(list, p)
		}
	}
	return list
}

// simple is the type of a parameter that fits into a query, "" of one that does
// not.
func simple(s *facts.Schema) string {
	name, _ := s.Type.(string)
	switch name {
	case "boolean", "integer", "string":
		return name
	case "array":
		if simple(s.Items) == "string" {
			return name
		}
	}
	return ""
}

// query makes one JSON object of a query.
func (r route) query(values url.Values) ([]byte, error) {
	object := map[string]any{}
	for name, list := range values {
		i := slices.IndexFunc(r.asked, func(p facts.Property) bool { return p.Name == name })
		if i < 0 {
			names := make([]string, len(r.asked))
			for k, p := range r.asked {
				names[k] = p.Name
			}
			return nil, &refusal{invalid, fmt.Sprintf("the query has %s, expected %s%s", words.Quote(name), strings.Join(names, ", "), words.DidYouMean(name, names))}
		}
		text := list[len(list)-1]
		wrong := func(expected string) error {
			return &refusal{invalid, fmt.Sprintf("the query has %s=%s, expected %s", name, words.Quote(text), expected)}
		}
		switch simple(r.asked[i].Schema) {
		case "boolean":
			is, err := strconv.ParseBool(text)
			if err != nil && text != "" {
				return nil, wrong("true or false")
			}
			object[name] = is || text == ""
		case "integer":
			n, err := strconv.ParseInt(text, 10, 32)
			if err != nil {
				return nil, wrong("a whole number")
			}
			object[name] = n
		case "array":
			object[name] = strings.Split(strings.Join(list, ","), ",")
		default:
			object[name] = text
		}
	}
	return facts.JSON(object)
}

// isOrigin reports whether a text is an origin: a scheme, a host and perhaps a
// port.
func isOrigin(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.Scheme+"://"+u.Host == text
}
