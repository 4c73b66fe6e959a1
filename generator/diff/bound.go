package diff

// A Bound says how a difference of counts stands to the true one: where a size
// is not known, the count of a side is a lower bound, and the difference bounds
// the true one from one side at most.
type Bound string

// The bounds.
const (
	Exact   Bound = "exact"
	AtLeast Bound = "at_least"  // the count of B is a lower bound
	AtMost  Bound = "at_most"   // the count of A is
	Unknown Bound = "not_known" // both are
)

// BoundOf is the bound that follows from which counts are whole.
func BoundOf(wholeA, wholeB bool) Bound {
	switch {
	case wholeA && wholeB:
		return Exact
	case wholeA:
		return AtLeast
	case wholeB:
		return AtMost
	}
	return Unknown
}

// Back is the bound of the difference that reads the other way.
func (b Bound) Back() Bound {
	switch b {
	case AtLeast:
		return AtMost
	case AtMost:
		return AtLeast
	}
	return b
}

// With is the bound of the sum of two differences.
func (b Bound) With(c Bound) Bound {
	whole := func(x, open Bound) bool { return x != open && x != Unknown }
	return BoundOf(whole(b, AtMost) && whole(c, AtMost), whole(b, AtLeast) && whole(c, AtLeast))
}
