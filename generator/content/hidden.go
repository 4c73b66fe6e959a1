package content

import (
	"slices"
	"strings"
)

// Endings of what editors and tools keep beside a file, or write before it takes
// the file's place.
var endings = []string{"~", ".bak", ".bck", ".orig", ".rej", ".swp", ".swx", ".tmp", ".part", ".crdownload", "___jb_tmp___", "___jb_old___"}

// Hidden reports whether the name of a file or folder is an editor's or a tool's
// own: it is no part of a site.
func Hidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "#") || name == "4913" || // which Vim makes to see whether it may
		slices.ContainsFunc(endings, func(end string) bool { return strings.HasSuffix(name, end) })
}
