package verify

import "embed"

// A browser finds the stories on the site, in the reference of the rules.
var stories embed.FS
