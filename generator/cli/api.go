package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/strata-catalog/strata/generator/api"
	"github.com/strata-catalog/strata/generator/ops"
	"github.com/strata-catalog/strata/generator/serve"
)

var apiCommand = &Command{
	Name:  "api",
	Short: "answer programs over HTTP",
	Long: `Answers over HTTP what the commands answer: POST a graph to /api/v1/check, plan,
show or export, two to /api/v1/diff, a Hugging Face configuration to
/api/v1/import; GET /api/v1/templates, templates/ID and explain/NAME. A body is a
graph document, or {"model": GRAPH}, {"config": CONFIG} or {"template": ID} with
further parameters; answers are the JSON that the commands print. An error is
answered with problem details (RFC 9457). /api/v1/openapi.json describes all of
it, /healthz says whether requests are taken, and /metrics is for Prometheus.

No key is needed: an answer follows from the request and from the catalog, which
is read once. Without a catalog under --source there are no templates. Each limit
has a flag. Logs have times, sizes and addresses, and nothing of what is sent.

Only this machine reaches the server, unless --host says otherwise. Ctrl-C and
SIGTERM end it once the requests that have come are answered.

Exit code 0: ended. 1: requests were cut off at the end. 2: wrong usage, a
catalog that cannot be read, or an address that cannot be listened on.`,
	Setup: func(fs *flag.FlagSet) func(*Session, []string) error {
		c := &answering{limits: api.Default()}
		fs.StringVar(&c.host, "host", "127.0.0.1", "`ADDRESS` to listen on; 0.0.0.0 lets other machines in")
		fs.IntVar(&c.port, "port", 8000, "`N` of the port; 0: any")
		choose(fs, &c.log, "log", "`FORMAT` of the log on standard error", "text", "json", "none")
		sourceFlag(fs, &c.source)
		limitFlags(fs, &c.limits)
		return c.run
	},
}

// answering is a server without a site.
type answering struct {
	host, source, log string
	port              int
	limits            api.Limits
}

// limitFlags declares a flag for each limit of requests.
func limitFlags(fs *flag.FlagSet, to *api.Limits) {
	for _, l := range to.List() {
		fs.Var(&limit{l}, l.Name, l.Doc)
	}
}

// limit is the flag of one of them.
type limit struct{ api.Limit }

func (l *limit) String() string {
	if l.Name == "" { // a zero value, as package flag makes for its own use
		return ""
	}
	return l.Limit.String()
}

// placeholder is what stands for the value in help: what it counts.
func (l *limit) placeholder() string { return strings.ToUpper(l.Unit) }

// words marks the flag as one that says itself what it expects.
func (l *limit) words() []string { return nil }

func (c *answering) run(s *Session, args []string) error {
	switch {
	case len(args) > 0:
		return usage("api: takes no argument, found %q (see strata help api)", args[0])
	case c.port < 0 || c.port > 65535:
		return usage("api: --port is %d, want 0 to 65535", c.port)
	}
	ctx, stop := signal.NotifyContext(s, os.Interrupt, syscall.SIGTERM)
	defer stop()
	env, err := c.env()
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", net.JoinHostPort(c.host, strconv.Itoa(c.port)))
	if err != nil {
		return &Failure{2, err.Error()}
	}
	if !serve.Loopback(l) {
		fmt.Fprintln(s.Stderr, "note: other machines can reach this server")
	}
	a := api.New(api.Config{Env: func() *ops.Env { return env }, Limits: c.limits, Version: Version, Log: logger(s.Stderr, c.log)})
	fmt.Fprintf(s.Stdout, "answering %s; Ctrl-C ends\n", serve.Address(l, api.Prefix))
	if err := a.Run(ctx, l); err != nil {
		return &Failure{1, err.Error()}
	}
	return nil
}

// env is the catalog, where there is one.
func (c *answering) env() (*ops.Env, error) {
	ids, err := templates(c.source)
	if errors.Is(err, os.ErrNotExist) && c.source == "." || err == nil && len(ids) == 0 {
		return &ops.Env{}, nil
	}
	return catalogued(c.source)
}

// logger writes what happens, in a format that a choice offers.
func logger(w io.Writer, format string) *slog.Logger {
	switch format {
	case "json":
		return slog.New(slog.NewJSONHandler(w, nil))
	case "none":
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(w, nil))
}
