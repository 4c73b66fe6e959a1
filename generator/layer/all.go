package layer

// All lists every type, in the order that the reference pages show them.
var All = concatTypes(
	ends,
	linears,
	embeddings,
	norms,
	attentions,
	relatives,
	feedForwards,
	mixtures,
	recurrents,
	convolutions,
	poolings,
	activations,
	shapings,
	merges,
	graphs,
)

var byName = func() map[string]*Type {
	m := make(map[string]*Type, len(All))
	for _, t := range All {
		if m[t.Name] != nil {
			panic("layer: two types are called " + t.Name)
		}
		m[t.Name] = t
	}
	return m
}()

func concatTypes(families ...[]*Type) (all []*Type) {
	for _, f := range families {
		all = append(all, f...)
	}
	return all
}

// Lookup finds a type by the name that graphs use.
func Lookup(name string) (*Type, bool) {
	t, ok := byName[name]
	return t, ok
}
