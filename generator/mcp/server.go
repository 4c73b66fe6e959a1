package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/ops"
)

// Config is what a server may use of the world.
type Config struct {
	// Env is the catalog as it is now. An error says why it cannot be read.
	Env     func() (*ops.Env, error)
	Folder  *os.Root // that files are read in; nil: none
	Write   bool     // they may be written too
	Version string
	Log     *slog.Logger
}

// instructions are what every agent reads once.
const instructions = `Models are graphs of layers (JSON). "of" names one: a template's id, a .json file, or a copy.
To change a model: open it, edit the copy until no finding is left, then save it or read it. explain tells the parameters of a layer type, and what a rule wants.
Answers are short; limit shows more lines, and full gives the JSON of the HTTP API, whose parameters work here too.`

// A Server has all tools, resources and prompts. Every agent that it talks to
// may use the copies that it was told of.
type Server struct{ *sdk.Server }

// New makes a server.
func New(c Config) Server {
	s := &server{Config: c, copies: &copies{}, busy: make(chan struct{}, runtime.GOMAXPROCS(0))}
	m := sdk.NewServer(&sdk.Implementation{Name: "strata", Title: "Strata", Version: c.Version}, &sdk.ServerOptions{
		Instructions: instructions, Logger: c.Log, CompletionHandler: s.complete,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}, Prompts: &sdk.PromptCapabilities{}},
	})
	for _, t := range s.tools() {
		m.AddTool(t.declared(), s.handler(t))
	}
	s.resources(m)
	s.prompts(m)
	return Server{m}
}

// server is what the tools share.
type server struct {
	Config
	copies *copies
	busy   chan struct{} // so many calls are worked on at once
}

// patience is how long a call may take.
const patience = time.Minute

// handler is a tool as the SDK calls it. Whatever is wrong is an answer, so
// that an agent can read it and go on.
func (s *server) handler(t *tool) sdk.ToolHandler {
	return func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		select {
		case s.busy <- struct{}{}:
			defer func() { <-s.busy }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		text, err := s.call(ctx, t, r.Params.Arguments)
		if err != nil {
			return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: said(err)}}}, nil
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
	}
}

// said is an error with what the caller can do about it.
func said(err error) string {
	var own *ops.Error
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("this takes longer than %v; ask about a smaller graph, or for less of it", patience)
	}
	if !errors.As(err, &own) {
		return err.Error()
	}
	var b strings.Builder
	b.WriteString(own.Error())
	for i, r := range own.Reasons {
		if i > 0 {
			fmt.Fprintf(&b, "\n%s (%s): %s", r.Layer, r.Type, r.Why)
		}
	}
	for _, f := range own.Findings {
		b.WriteString("\n" + finding(f))
	}
	switch {
	case own.Findings != nil:
		b.WriteString("\nopen it and edit the copy to mend it")
	case own.Kind == ops.Unknown && strings.Contains(own.Error(), "no template"):
		b.WriteString("; the tool templates finds ids")
	}
	return b.String()
}

// Talk answers one agent over a pair of streams, until the first of them ends
// or the context does. It closes neither.
func (s Server) Talk(ctx context.Context, in io.Reader, out io.Writer) error {
	err := s.Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(in), Writer: unclosed{out}, MaxLineLength: 2 * graph.MaxBytes})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// Limits of the door over HTTP.
const (
	header = 10 * time.Second // for the header of a request
	idle   = 30 * time.Minute // after which a session ends
	grace  = 3 * time.Second  // for calls under way at the end; streams are cut
)

// Serve answers over HTTP until the context ends, at any path. Pages of other
// sites are refused: a browser says where a request comes from, and a name that
// was made to mean this machine is not its own.
func (s Server) Serve(ctx context.Context, l net.Listener) error {
	protocol := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.Server }, &sdk.StreamableHTTPOptions{SessionTimeout: idle})
	server := &http.Server{
		Handler:           http.NewCrossOriginProtection().Handler(protocol),
		ReadHeaderTimeout: header, IdleTimeout: idle, MaxHeaderBytes: 16 << 10,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if server.Shutdown(late) != nil { // streams that clients keep open
		return server.Close()
	}
	return nil
}
