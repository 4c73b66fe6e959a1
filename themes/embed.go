// Package themes holds the themes that the program brings along. A theme is a
// folder: layouts/ has a template of Go's html/template for each kind of page
// and layouts/parts/ what they share, assets/ the style sheets, scripts and
// pictures. A site replaces any of the files by one of the same name.
package themes

import "io/fs"

// Default is the theme that is used where nothing else is said.
func Default() fs.FS {
	theme, err := fs.Sub(files, "default")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return theme
}
