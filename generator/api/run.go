package api

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"

	"golang.org/x/net/netutil"
)

// Run serves until the context ends, and then until every request that has come
// is answered, or the grace is over. The error says that requests were cut off,
// or that nothing can be served.
func (a *API) Run(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: a, ReadHeaderTimeout: a.Limits.Header, IdleTimeout: a.Limits.Idle, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(a.Log.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(netutil.LimitListener(l, int(a.Limits.Connections))) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	a.ending.Store(true)
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.Limits.Grace)
	defer cancel()
	err := server.Shutdown(grace)
	if err != nil {
		err = errors.Join(errors.New("requests were cut off after "+a.Limits.Grace.String()), server.Close())
	}
	return err
}
