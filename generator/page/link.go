package page

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/words"
)

// external reports whether an address is of another site.
func external(address string) bool {
	return strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "mailto:")
}

// A prose is a body of Markdown and the page that it stands on. A link in it is
// relative to the file it stands in, as on a code host: to another content file
// ("../about.md"), or to any file of the site; one that begins with a slash
// counts from the root of the site.
type prose struct {
	page string // its address
	content.Options
	text string
	ids  map[string]bool // the fragments that the page has
}

// body renders a prose.
func (s *Site) body(b *Base, p prose) (string, error) {
	if p.text == "" {
		return "", nil
	}
	p.Link = func(address string) (string, error) {
		file, fragment, err := s.resolve(p, address)
		if err != nil || file == "" {
			return fragment, err
		}
		return b.URL(file) + fragment, nil
	}
	return content.HTML(p.text, p.Options)
}

// resolve finds the file that a relative address of a body means, "" for the
// page itself, and the fragment with its mark.
func (s *Site) resolve(p prose, address string) (file, fragment string, err error) {
	file, fragment = target(p.page, address)
	switch {
	case file == "" && !p.ids[strings.TrimPrefix(fragment, "#")]:
		err = fmt.Errorf("the page has no heading %q%s", fragment, words.DidYouMean(strings.TrimPrefix(fragment, "#"), sorted(p.ids)))
	case file != "":
		if found := s.find(file); found != "" {
			return found, fragment, nil
		}
		err = fmt.Errorf("the site has no %s%s", file, words.DidYouMean(file, s.targets()))
	}
	return "", fragment, err
}

// target takes a relative address apart: the path from the root of the site, ""
// for the page that it stands on, and the fragment with its mark.
func target(from, address string) (file, fragment string) {
	to, fragment, found := strings.Cut(address, "#")
	if found {
		fragment = "#" + fragment
	}
	if to == "" {
		return "", fragment
	}
	file = path.Join(path.Dir(from), to)
	if strings.HasPrefix(to, "/") {
		file = path.Join(".", to[1:])
	}
	if strings.HasSuffix(to, "/") {
		file = path.Join(file, Home)
	}
	return file, fragment
}

// find is the file of the site that a path leads to: the page, where it is that
// of a text; "" when the site has none.
func (s *Site) find(file string) string {
	if page, ok := strings.CutSuffix(file, ".md"); ok && s.has(page+".html") {
		return page + ".html"
	}
	if s.has(file) {
		return file
	}
	return ""
}

// links are the relative addresses in a body. A page depends on where they lead,
// and not on any other address of the site.
func (s *Site) links(p prose) []string {
	return s.known.linksOf(s.catalog.Sum(p.File), func() (list []string) {
		add := func(address string) { list = append(list, address) }
		p.Link = func(address string) (string, error) { add(address); return "", nil }
		_, _ = content.HTML(p.text, p.Options) // Link refuses nothing
		for _, link := range destination.FindAllStringSubmatch(p.text, -1) {
			if !external(link[2]) {
				add(link[2])
			}
		}
		slices.Sort(list)
		return slices.Compact(list)
	})
}

// linked are the needs of a page with a body: its file, and where its links lead.
func (s *Site) linked(p prose) needs {
	n := needs{p.File, s.catalog.Sum(p.File)}
	for _, address := range s.links(p) {
		file, _ := target(p.page, address)
		n = append(n, s.find(file))
	}
	return n
}

// checked reports what body does, without making it where all is well.
func (s *Site) checked(p prose) error {
	for _, address := range s.links(p) {
		if file, fragment := target(p.page, address); file == "" && !p.ids[strings.TrimPrefix(fragment, "#")] || file != "" && s.find(file) == "" {
			_, err := s.body(&Base{Site: s, Path: p.page}, p)
			return err
		}
	}
	return nil
}

// destination finds where links in Markdown lead: inline ones, and those that
// are defined on a line of their own.
var destination = regexp.MustCompile(`(\]\(|(?m:^ {0,3}\[[^\]]+\]: +))([^)\s]+)`)

// relink is a body whose links lead from its Markdown twin to where they lead
// from its page. What is no link of the site, in code for instance, stays.
func (s *Site) relink(b *Base, text string) string {
	return destination.ReplaceAllStringFunc(text, func(link string) string {
		parts := destination.FindStringSubmatch(link)
		before, address := parts[1], parts[2]
		if external(address) {
			return link
		}
		to, fragment := target(b.Path, address)
		file := s.find(to)
		if file == "" {
			return link
		}
		return before + b.Absolute(file) + fragment
	})
}

// targets are the addresses that a body may link to.
func (s *Site) targets() []string {
	list := sorted(s.files)
	for _, file := range list {
		if page, ok := strings.CutSuffix(file, ".html"); ok {
			list = append(list, page+".md")
		}
	}
	return list
}
