//go:build !js

package verify

import "embed"

//go:embed testdata/*.txtar
var stories embed.FS
