// Package content reads what people write for a site: the settings, the notes
// on templates and diffs, the pages. ParseNote, ParseDiffNote, ParsePage and
// ParseSettings are where to start; HTML renders the Markdown of a body.
//
// A file is YAML front matter between lines of ---, then Markdown. The keys are
// declared once, by the tags of the struct they are read into: yaml is the name
// (",required" where it must be given), doc what it means, is the form of the
// value. The decoder, its messages and Keys all go by these tags. Reading is
// strict: a key that nobody knows is an error with the nearest name, and every
// error of a file is reported at once, each with its place.
//
// Markdown is GitHub's: tables, strikethrough, autolinks, task lists, footnotes.
// Raw HTML comes out as the text it is (comments are left out), and only http, https and mailto links
// keep their address. The package knows no address of the site: the caller gives
// a function that resolves links.
package content
