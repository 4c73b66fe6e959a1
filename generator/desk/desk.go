// Package desk lays a catalog out for the operations of package ops.
package desk

import (
	"iter"

	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/ops"
)

// A Desk is a catalog as operations use it.
type Desk struct {
	catalog     *catalog.Catalog
	assumptions cost.Assumptions
}

// Of is the desk of a catalog. The error says that the assumptions in its
// settings cannot be used; it is a *graph.Error.
func Of(c *catalog.Catalog) (*Desk, error) {
	a, err := c.Assumptions()
	return &Desk{c, a}, err
}

// Model implements ops.Catalog.
func (d *Desk) Model(id string) *ops.Model {
	e, ok := d.catalog.Entry(id)
	if !ok {
		return nil
	}
	return d.model(e)
}

// Models implements ops.Catalog.
func (d *Desk) Models() iter.Seq[*ops.Model] {
	return func(yield func(*ops.Model) bool) {
		for _, e := range d.catalog.Entries {
			if !yield(d.model(e)) {
				return
			}
		}
	}
}

func (d *Desk) model(e *catalog.Entry) *ops.Model {
	return &ops.Model{
		Report: e.Report, ID: e.ID, File: e.File, Listed: true,
		Description: e.Summary(), Tags: e.Tags(), Published: e.Published().Parameters, Sources: e.Sources(),
		Organisation: e.Organisation(), Released: e.Released(), Assumptions: e.Assumed(d.assumptions),
	}
}
