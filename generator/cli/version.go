package cli

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
)

// Version is the version of the generator; it stands in build.json.
const Version = "0.1.0"

var versionCommand = &Command{
	Name:  "version",
	Short: "print the version",
	Long:  "Prints the version of the program, the revision it was built from where that is\nknown, and the Go release that built it.",
	Setup: func(*flag.FlagSet) func(*Session, []string) error { return version },
}

func version(s *Session, args []string) error {
	if len(args) > 0 {
		return usage("version: takes no argument, found %q", args[0])
	}
	revision := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, kv := range info.Settings {
			if kv.Key == "vcs.revision" && len(kv.Value) >= 12 {
				revision = " (" + kv.Value[:12] + ")"
			}
		}
	}
	fmt.Fprintf(s.Stdout, "strata %s%s %s %s/%s\n", Version, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
