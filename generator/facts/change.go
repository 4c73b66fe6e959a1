package facts

import (
	"slices"

	"github.com/strata-catalog/strata/generator/diff"
	"github.com/strata-catalog/strata/generator/verify"
)

// Changes is what a working tree has other than a commit.
type Changes struct {
	Base    string   `json:"base" doc:"the commit that is compared with"`
	Changes []Change `json:"changes" doc:"the graph documents that differ, by their paths"`
}

// A Change is one graph document of a repository that differs from what it was.
type Change struct {
	File        string      `json:"file" doc:"path of the document from the top of the repository; of one that was removed, the path that it had"`
	Was         string      `json:"was" doc:"path that it had before, empty where that is the same"`
	Status      diff.Status `json:"status" enum:"same,changed,added,removed" doc:"same: the text differs, and the graph does not"`
	Before      *Check      `json:"before" doc:"what it was; null when it was added, or cannot be read"`
	BeforeError string      `json:"before_error" doc:"why what it was cannot be read, empty when it can"`
	After       *Check      `json:"after" doc:"what it is; null when it was removed, or cannot be read"`
	AfterError  string      `json:"after_error" doc:"why it cannot be read, empty when it can"`
	Diff        *Diff       `json:"diff" doc:"what sets the two apart, without the rows that are the same; null when one of them is missing or broken"`
}

// New lists the errors and warnings that a document has and did not have.
func (c *Change) New() []Finding {
	if c.After == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.After.Findings), func(f Finding) bool {
		return f.Severity == verify.Advice || f.Accepted != "" || c.Before != nil && slices.ContainsFunc(c.Before.Findings, f.like)
	})
}

// like reports whether a finding says the same, wherever it stands in the file.
func (f Finding) like(g Finding) bool {
	return f.Rule == g.Rule && f.Message == g.Message && f.Repeat == g.Repeat && slices.Equal(f.Components, g.Components)
}
