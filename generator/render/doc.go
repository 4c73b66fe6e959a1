// Package render makes files of pages: HTML by the layouts of a theme, Markdown,
// JSON, and the files that machines ask for. New loads a theme, and Render makes
// the files of one page.
//
// Layouts and assets are minified once, when the theme is loaded, so that a page
// costs nothing more; the tables of layers and tensors and the long lists, which
// are most of a page, are written by functions that append escaped bytes and
// that layouts call. A layout may range over the same data instead: it says the
// same, in ten to twenty times the time. {{once "header.html" .}} executes a part
// once for all pages of a folder, if it depends on nothing else. Everything that
// comes from graphs and notes is escaped for where it stands.
//
// Only this package knows the theme, and it knows no address.
package render
