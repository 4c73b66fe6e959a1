package page

import (
	"strconv"

	"github.com/strata-catalog/strata/generator/card"
	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/format"
)

// Card is the social card of a template.
type Card struct {
	Path string
	card.Card
}

// urls are the addresses of a template, with that of its card where the site
// has those.
func (s *Site) urls(e *catalog.Entry) URLs {
	u := s.known.urlsOf(e)
	if s.Cards {
		path := "a/" + e.ID + ".png"
		u.Card = &path
	}
	return u
}

func (s *Site) card(e *catalog.Entry, u URLs) (any, error) {
	defer s.shared[e].done()
	t := s.entry(e)
	bound := func(whole bool) string {
		if whole {
			return ""
		}
		return "≥ "
	}
	c := &Card{*u.Card, card.Card{
		Site: s.Title, ID: e.ID, Name: t.Name, Summary: t.Description, Parts: cost.Parts(e.Model), Picture: s.picture(e),
		Facts: []card.Fact{{Value: bound(t.ParametersWhole) + format.Count64(t.Parameters), Label: "parameters"}},
	}}
	if t.ActiveParameters != t.Parameters {
		c.Facts = append(c.Facts, card.Fact{Value: format.Count64(t.ActiveParameters), Label: "active"})
	} else {
		c.Facts = append(c.Facts, card.Fact{Value: strconv.Itoa(t.Layers), Label: "layers"})
	}
	if t.MACs.Sign() > 0 {
		c.Facts = append(c.Facts, card.Fact{Value: bound(t.MACsWhole) + format.Metric(t.MACs, ""), Label: "MACs"})
	}
	return c, nil
}
