package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/strata-catalog/strata/generator/api"
	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/desk"
	"github.com/strata-catalog/strata/generator/ops"
	"github.com/strata-catalog/strata/generator/serve"
	"github.com/strata-catalog/strata/generator/site"
	"github.com/strata-catalog/strata/generator/watch"
	"github.com/strata-catalog/strata/themes"
)

var serveCommand = &Command{
	Name:  "serve",
	Short: "show the site while it is written",
	Long: `Reads and analyses what the site is made of, makes each page when it is asked
for, and watches the folders. When a file changes, it alone is read again, and the
pages that are open in a browser follow: a style sheet is put in its place, a page
is loaded anew where it changed. What is wrong with the input is printed and laid
over the page; the last good site stays until it is mended. Nothing is written to
disk, and nothing is added to the site: build publishes it. Where build has left a
folder .strata-cache/, lists of diffs come faster.

Where the file system does not tell of changes, or has too many folders to watch,
the files are looked at twice a second, and a note says so; --poll asks for that.
A port that is taken is passed over for the next free one. Only this machine
reaches the server, unless --host says otherwise. Ctrl-C ends it.

With --api programs are answered too, below /api/v1/, from the catalog that is
shown; strata help api tells what they can ask. The limits are about them.

Exit code 0: ended by Ctrl-C. 2: wrong usage, a folder that cannot be read, or an
address that cannot be listened on.`,
	Setup: func(fs *flag.FlagSet) func(*Session, []string) error {
		p := &preview{}
		p.flags(fs)
		fs.StringVar(&p.base, "base-url", "", "`URL` where the site is published; it is shown under the same path here")
		fs.StringVar(&p.host, "host", "127.0.0.1", "`ADDRESS` to listen on; 0.0.0.0 lets other machines in")
		fs.IntVar(&p.port, "port", 8000, "`N` of the port, or of the first that is tried; 0: any")
		fs.IntVar(&p.jobs, "jobs", 0, "`N` pages worked on at once (default: one for each processor)")
		fs.BoolVar(&p.browse, "open", false, "open the site in a browser")
		fs.BoolVar(&p.poll, "poll", false, "look at the files twice a second instead of waiting for word of changes")
		fs.BoolVar(&p.keepGoing, "keep-going", false, "show what is good although there are problems")
		fs.BoolVar(&p.strict, "strict", false, "a verdict of fail is a problem too")
		fs.BoolVar(&p.answers, "api", false, "answer programs too, below /api/v1/ (see strata help api)")
		choose(fs, &p.log, "log", "with --api: `FORMAT` of its log on standard error", "none", "text", "json")
		p.limits = api.Default()
		limitFlags(fs, &p.limits)
		return p.run
	},
}

// preview is a site that is built again and again.
type preview struct {
	sources
	base, host string
	port, jobs int

	browse, poll, keepGoing, strict bool

	s      *Session
	engine *site.Engine
	site   *site.Preview
	server *serve.Server

	answers bool // programs too
	log     string
	limits  api.Limits
}

func (p *preview) run(s *Session, args []string) error {
	switch {
	case len(args) > 0:
		return usage("serve: takes no argument, found %q; folders are given with flags (see strata help serve)", args[0])
	case p.jobs < 0:
		return usage("serve: --jobs is %d, want 0 or more", p.jobs)
	case p.port < 0 || p.port > 65535:
		return usage("serve: --port is %d, want 0 to 65535", p.port)
	}
	ctx, stop := signal.NotifyContext(s, os.Interrupt, syscall.SIGTERM)
	defer stop()
	p.s = s
	p.engine = site.NewEngine(site.Config{BaseURL: p.base, Version: Version, Jobs: p.jobs, Strict: p.strict, KeepGoing: p.keepGoing, Workbench: themes.Workbench()})
	p.site = site.NewPreview(p.engine)
	p.server = serve.New(p.site)
	if err := p.open(&p.engine.Config); err != nil { // what is not there now is a slip of the pen
		return err
	}
	p.close()
	l, err := serve.Listen(p.host, p.port)
	if err != nil {
		return &Failure{2, err.Error()}
	}
	watched := p.folders()
	w := p.watch(watched) // before anything is read: what changes meanwhile counts
	defer func() { w.Close() }()
	p.engine.Recall(p.cache())
	p.update(nil)
	p.greet(l)

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- p.serve(ctx, l) }()
	for {
		select {
		case changed := <-w.Changes():
			p.update(changed)
			if now := p.folders(); !slices.Equal(now, watched) { // another theme
				w.Close()
				watched, w = now, p.watch(now)
				p.update(nil)
			}
		case err := <-ended:
			if err != nil {
				return &Failure{2, err.Error()}
			}
			return nil
		}
	}
}

// serve answers readers, and with --api programs beside them, until the context
// ends.
func (p *preview) serve(ctx context.Context, l net.Listener) error {
	if !p.answers {
		return p.server.Run(ctx, l)
	}
	context.AfterFunc(ctx, p.server.Close) // or streams of events would go on
	return api.New(api.Config{Env: p.current, Limits: p.limits, Version: Version, Log: logger(p.s.Stderr, p.log), Else: p.server}).Run(ctx, l)
}

// current is the catalog that is shown, for operations.
func (p *preview) current() *ops.Env {
	c := p.site.Catalog()
	if c == nil {
		return &ops.Env{}
	}
	d, err := desk.Of(c)
	if err != nil { // pages say so
		return &ops.Env{}
	}
	return &ops.Env{Catalog: d}
}

// folders are what the site is made of.
func (p *preview) folders() []string {
	list := []string{p.engine.TemplatesName}
	for _, folder := range []string{p.engine.ContentName, p.themed} {
		if folder != "" {
			list = append(list, folder)
		}
	}
	return list
}

func (p *preview) watch(folders []string) *watch.Watcher {
	return watch.New(folders, watch.Options{Ignore: content.Hidden, Poll: p.poll, Note: func(why string) {
		fmt.Fprintf(p.s.Stderr, "note: looking at the files twice a second: %s\n", printable(why))
	}})
}

// greet says where the site is, and opens it if that is asked for.
func (p *preview) greet(l net.Listener) {
	address := serve.Address(l, p.root())
	if at, ok := l.Addr().(*net.TCPAddr); ok && p.port != 0 && at.Port != p.port {
		fmt.Fprintf(p.s.Stderr, "note: port %d is taken\n", p.port)
	}
	if !serve.Loopback(l) {
		fmt.Fprintln(p.s.Stderr, "note: other machines can reach this server")
	}
	fmt.Fprintf(p.s.Stdout, "serving %s; Ctrl-C ends\n", address)
	if !p.browse {
		return
	}
	c := browser(address)
	if err := c.Start(); err != nil {
		fmt.Fprintf(p.s.Stderr, "note: no browser opens: %v\n", err)
		return
	}
	_ = c.Process.Release() // it goes on without us
}

// update shows the site with some files that changed, or all of them.
func (p *preview) update(changed []string) {
	began := time.Now()
	var found []error
	err := p.open(&p.engine.Config)
	if err == nil {
		found, err = p.site.Update(changed, p.server.Open())
	}
	p.close()

	var problems site.Problems
	if err != nil && !errors.As(err, &problems) {
		found = append(found, err)
	}
	var texts []string
	for _, problem := range found {
		texts = append(texts, problem.Error())
		fmt.Fprintln(p.s.Stderr, printable(problem.Error()))
	}
	if err != nil {
		p.server.Fail(texts)
		fmt.Fprintf(p.s.Stderr, "not shown: %s\n", count(len(texts), "problem"))
		return
	}
	p.server.Publish(p.root(), texts)
	fmt.Fprintf(p.s.Stdout, "%s: shown in %s\n", p.cause(changed), time.Since(began).Round(time.Millisecond))
}

// cause names what was changed.
func (p *preview) cause(changed []string) string {
	switch len(changed) {
	case 0:
		return "the site"
	case 1:
		return printable(changed[0])
	}
	return fmt.Sprintf("%s and %d more", printable(changed[0]), len(changed)-1)
}

// root is the path that the site is shown under: that of where it is published.
func (p *preview) root() string {
	base := p.base
	if base == "" {
		base = p.baseURL
	}
	u, err := url.Parse(base)
	if err != nil || strings.Trim(u.Path, "/") == "" {
		return "/"
	}
	return "/" + strings.Trim(u.Path, "/") + "/"
}

// browser is how a system opens an address.
func browser(address string) *exec.Cmd {
	switch runtime.GOOS {
	case "darwin":
		return exec.Command("open", address)
	case "windows":
		return exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	}
	return exec.Command("xdg-open", address)
}
