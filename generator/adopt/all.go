package adopt

import "slices"

// All lists every importer.
var All = slices.Concat(dense, sparse, older, remote, encoders, modern, relative, pairs, speech, others, vision, segmenters, images)
