package page

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/words"
)

// external reports whether an address is of another site.
func external(address string) bool {
	return strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "mailto:")
}

// body renders a Markdown body for a page. A link in it is relative to the
// file it stands in, as on a code host: to another content file
// ("../about.md"), or to any file of the site; one that begins with a slash
// counts from the root of the site. ids are the fragments that the page has.
func (s *Site) body(b *Base, o content.Options, text string, ids map[string]bool) (string, error) {
	if text == "" {
		return "", nil
	}
	o.Link = func(address string) (string, error) { return s.resolve(b, address, ids) }
	return content.HTML(text, o)
}

// resolve turns a relative address of a body into a link on the page.
func (s *Site) resolve(b *Base, address string, ids map[string]bool) (string, error) {
	file, fragment, err := s.target(b, address, ids)
	if err != nil || file == "" {
		return fragment, err
	}
	return b.URL(file) + fragment, nil
}

// target is the file that a relative address of a body means, "" for the page
// itself, and the fragment with its mark.
func (s *Site) target(b *Base, address string, ids map[string]bool) (file, fragment string, err error) {
	to, fragment, found := strings.Cut(address, "#")
	if found {
		fragment = "#" + fragment
	}
	if to == "" {
		if !ids[strings.TrimPrefix(fragment, "#")] {
			err = fmt.Errorf("the page has no heading %q%s", fragment, words.DidYouMean(strings.TrimPrefix(fragment, "#"), sorted(ids)))
		}
		return "", fragment, err
	}
	file = path.Join(path.Dir(b.Path), to)
	if strings.HasPrefix(to, "/") {
		file = path.Join(".", to[1:])
	}
	if strings.HasSuffix(to, "/") {
		file = path.Join(file, Home)
	}
	if page, ok := strings.CutSuffix(file, ".md"); ok && s.files[page+".html"] {
		file = page + ".html"
	}
	if !s.files[file] {
		return "", "", fmt.Errorf("the site has no %s%s", file, words.DidYouMean(file, s.targets()))
	}
	return file, fragment, nil
}

// destination finds where links in Markdown lead: inline ones, and those that
// are defined on a line of their own.
var destination = regexp.MustCompile(`(\]\(|(?m:^ {0,3}\[[^\]]+\]: +))([^)\s]+)`)

// relink is a body whose links lead from its Markdown twin to where they lead
// from its page. What is no link of the site, in code for instance, stays.
func (s *Site) relink(b *Base, text string, ids map[string]bool) string {
	return destination.ReplaceAllStringFunc(text, func(link string) string {
		parts := destination.FindStringSubmatch(link)
		before, target := parts[1], parts[2]
		if external(target) || strings.HasPrefix(target, "#") {
			return link
		}
		file, fragment, err := s.target(b, target, ids)
		if err != nil {
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
