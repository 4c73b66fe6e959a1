package render

// A browser renders parts of pages from layouts that it has already: to make
// them smaller would take more than it saves.

func minified(_ string, data []byte) ([]byte, error) { return data, nil }

func minifiedLayout(src []byte) ([]byte, error) { return src, nil }

func checksum(map[string][]byte) string { return "" }

func fingerprint([]byte) string { return "" }
