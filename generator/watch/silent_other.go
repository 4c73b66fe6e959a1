//go:build !linux

package watch

// silent names the kind of a folder's file system if no events come from it.
// Elsewhere that is not known beforehand; polling can be asked for.
func silent(string) string { return "" }
