package layer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A named layer has tensors that a graph can rename.
type named interface{ renames() Names }

func (s Stored) renames() Names  { return s.Names }
func (r renamed) renames() Names { return r.Names }

// path is a name below a component: steps of letters, digits and underscores.
// "{}" stands for the index of a copy.
var path = regexp.MustCompile(`^(\w+|\{\})(\.(\w+|\{\}))*$`)

// checkNames reports names that no state dict could have, and names of roles
// that the layer does not have.
func (c *Call) checkNames(l Layer, weights []Tensor) {
	n, ok := l.(named)
	if !ok {
		return
	}
	names := n.renames()
	roles := make([]string, 0, len(names))
	for role := range names {
		roles = append(roles, role)
	}
	slices.Sort(roles)
	for _, role := range roles {
		name := names[role]
		switch {
		case !path.MatchString(name):
			c.Report(BadParam, "names", "names calls %q %q, must be steps of letters, digits and underscores with dots between them", role, clip(name)).Fix =
				"give the name as the checkpoint has it"
		case !usesName(weights, name):
			c.Report(UnknownParam, "names", "names calls %q %q, but this layer has no tensor of that role", role, name).Fix =
				fmt.Sprintf("remove %q, or correct the role", role)
		}
	}
}

// usesName reports whether a name is one of the weights', or a part of it.
func usesName(weights []Tensor, name string) bool {
	return slices.ContainsFunc(weights, func(w Tensor) bool {
		return strings.Contains("."+w.Name+".", "."+name+".")
	})
}
