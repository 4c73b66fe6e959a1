//go:build !js

package themes

import (
	"embed"
	"io/fs"
)

//go:embed default
var files embed.FS

// The folder is empty but for its .gitignore until make builds what stands in
// it.
//
//go:embed all:workbench
var built embed.FS

// Workbench is what the default theme has beside Default where the program was
// built with it: the part of the program that runs in browsers, as WebAssembly.
// It is nil where the program was built without.
func Workbench() fs.FS {
	if _, err := fs.Stat(built, "workbench/assets"); err != nil {
		return nil
	}
	theme, err := fs.Sub(built, "workbench")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return theme
}
