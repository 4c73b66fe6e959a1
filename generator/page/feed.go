package page

import "sort"

// Feed is feed.xml: the templates, newest first.
type Feed struct {
	Base
	ID      string // an IRI that stays the same
	Self    string // address of the feed, absolute
	Home    string // of the page that lists the same, absolute
	Updated string // RFC 3339
	Entries []FeedEntry
}

// A FeedEntry is a template in the feed.
type FeedEntry struct {
	ID      string // an IRI that stays the same
	Title   string
	URL     string // absolute
	Updated string // RFC 3339
	Summary string
}

// undated stands for a date that is not known: the format asks for one, and the
// clock would make each build another.
const undated = "1970-01-01"

func (s *Site) feed() (any, error) {
	f := &Feed{
		Base: Base{Site: s, Path: FeedPath, Title: s.Title, Description: s.Description},
		ID:   s.urn(""), Self: s.absolute(FeedPath), Home: s.absolute(Home),
	}
	for _, e := range s.catalog.Entries {
		date := undated
		if released := e.Released(); released != "" {
			date = released
		}
		if len(date) == len("2006-01") {
			date += "-01"
		}
		f.Entries = append(f.Entries, FeedEntry{
			ID: s.urn(e.ID), Title: e.Name(), URL: s.absolute(TemplateURLs(e.ID).HTML),
			Updated: date + "T00:00:00Z", Summary: e.Summary(),
		})
	}
	sort.SliceStable(f.Entries, func(i, j int) bool { return f.Entries[i].Updated > f.Entries[j].Updated })
	if size := s.catalog.Settings.FeedSize; size > 0 && len(f.Entries) > size {
		f.Entries = f.Entries[:size]
	}
	f.Updated = undated + "T00:00:00Z"
	if len(f.Entries) > 0 {
		f.Updated = f.Entries[0].Updated
	}
	return f, nil
}
