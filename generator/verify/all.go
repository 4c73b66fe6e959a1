package verify

// All lists every rule, in the order of the reference. The last ones look at
// what the others have found.
var All = concat(structureRules, shapeRules, attentionRules, trainingRules, numberRules, exportRules)

func concat(groups ...[]*Rule) (all []*Rule) {
	for _, g := range groups {
		all = append(all, g...)
	}
	return all
}

// Lookup finds a rule by its id.
func Lookup(id string) (*Rule, bool) {
	for _, r := range All {
		if r.ID == id {
			return r, true
		}
	}
	return nil, false
}
