package cli

import (
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/strata-catalog/strata/generator/mcp"
	"github.com/strata-catalog/strata/generator/ops"
	"github.com/strata-catalog/strata/generator/serve"
)

var mcpCommand = &Command{
	Name:  "mcp",
	Short: "answer agents over the Model Context Protocol",
	Long: `Serves the Model Context Protocol to an agent: over standard input and output, or
with --http over HTTP at /mcp. Its tools find and show templates, check, plan,
compare, export and import models, explain rules and layer types, and edit copies
of models with the checks in the loop: an edit is answered with the findings that
are new and gone. Templates and diffs are resources, common tasks are prompts.

Most clients start it by themselves:

  {"mcpServers": {"strata": {"command": "strata", "args": ["mcp"]}}}

Files are read below --folder alone, by names that end in .json; no path and no
symbolic link leads out of it, and nothing hidden is touched. Nothing is written,
unless --write is given: then there is a tool that saves copies there. Over HTTP
there is no folder unless one is named, only this machine reaches the server,
and pages of other sites are refused. Templates are read again when they change.

Over standard input nothing but the protocol is printed; notes go to standard
error.

Exit code 0: ended. 1: what came in is not the protocol. 2: wrong usage, a folder that cannot be
read, or an address that cannot be listened on.`,
	Setup: func(fs *flag.FlagSet) func(*Session, []string) error {
		c := &agency{}
		sourceFlag(fs, &c.source)
		fs.StringVar(&c.folder, "folder", "", "`DIR` that files are read in (default: the current one; none with --http)")
		fs.BoolVar(&c.write, "write", false, "save copies there too")
		fs.StringVar(&c.http, "http", "", "`HOST:PORT` to listen on, such as 127.0.0.1:8010")
		return c.run
	},
}

// agency is a server for agents.
type agency struct {
	source, folder, http string
	write                bool
}

func (c *agency) run(s *Session, args []string) error {
	if len(args) > 0 {
		return usage("mcp: takes no argument, found %q; folders are given with flags (see strata help mcp)", args[0])
	}
	if c.http != "" && c.write && c.folder == "" {
		return usage("mcp: --write over HTTP needs --folder, the folder that files are written in")
	}
	config := mcp.Config{
		Env: (&shelf{source: c.source}).env, Write: c.write, Version: Version,
		Log: slog.New(slog.NewTextHandler(s.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	if c.folder == "" && c.http == "" {
		c.folder = "."
	}
	if c.folder != "" {
		root, err := os.OpenRoot(c.folder)
		if err != nil {
			return &Failure{2, fmt.Sprintf("--folder: %v", err)}
		}
		defer root.Close()
		config.Folder = root
	}
	if _, err := config.Env(); err != nil { // said before an agent asks
		var f *Failure
		if c.source != "." || !errors.As(err, &f) {
			return err
		}
		fmt.Fprintf(s.Stderr, "note: %v\n", err)
	}
	ctx, stop := signal.NotifyContext(s, os.Interrupt, syscall.SIGTERM)
	defer stop()
	server := mcp.New(config)
	if c.http == "" {
		if err := server.Talk(ctx, s.Stdin, s.Stdout); err != nil {
			return &Failure{1, fmt.Sprintf("what comes in is not the protocol: %v", err)}
		}
		return nil
	}
	l, err := net.Listen("tcp", c.http)
	if err != nil {
		return &Failure{2, fmt.Sprintf("--http: %v", err)}
	}
	if !loopback(l) {
		fmt.Fprintln(s.Stderr, "note: other machines can reach this server")
	}
	fmt.Fprintf(s.Stderr, "serving %s; Ctrl-C ends\n", serve.Address(l, "/mcp"))
	return server.Serve(ctx, l)
}

// loopback reports whether only this machine reaches a listener.
func loopback(l net.Listener) bool {
	at, ok := l.Addr().(*net.TCPAddr)
	return ok && at.IP.IsLoopback()
}

// A shelf is a catalog that is read again when its files change.
type shelf struct {
	source string
	mu     sync.Mutex
	seen   uint64 // of the files, when they were read
	read   *ops.Env
	err    error
}

// env is the catalog as it is now. Where there is none, and none was named,
// there are no templates.
func (f *shelf) env() (*ops.Env, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.look()
	if f.read == nil || now != f.seen {
		f.seen, f.read, f.err = now, &ops.Env{}, nil
		if ids, _ := templates(f.source); len(ids) > 0 || f.source != "." {
			f.read, f.err = catalogued(f.source)
		}
	}
	return f.read, f.err
}

// look sums up the names, sizes and times of the files of the catalog.
func (f *shelf) look() uint64 {
	sum := fnv.New64a()
	for _, dir := range []string{"templates", "content"} {
		_ = filepath.WalkDir(filepath.Join(f.source, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".json") && !strings.HasSuffix(path, ".md") && !strings.HasSuffix(path, ".yaml") {
				return nil
			}
			if info, err := d.Info(); err == nil {
				fmt.Fprintln(sum, path, info.Size(), info.ModTime().UnixNano())
			}
			return nil
		})
	}
	return sum.Sum64()
}
