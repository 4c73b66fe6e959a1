package themes

import "embed"

// A browser has the assets already; a drawing in a file of its own takes its
// style along.
//
//go:embed default/layouts default/assets/tokens.css default/assets/diagram.css
var files embed.FS
