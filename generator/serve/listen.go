package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"
)

// tries is how many ports after a taken one are tried before any free one.
const tries = 20

// Listen listens on a port of a host, or where that is taken on one of the next
// ports, or on any. Port 0 is any.
func Listen(host string, port int) (net.Listener, error) {
	for p := port; port != 0 && p <= min(port+tries, 65535); p++ {
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(p)))
		if err == nil || !errors.Is(err, syscall.EADDRINUSE) {
			return l, err
		}
	}
	return net.Listen("tcp", net.JoinHostPort(host, "0"))
}

// Address is how a browser on this machine reaches a listener.
func Address(l net.Listener, root string) string {
	at, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return l.Addr().String()
	}
	host := at.IP.String()
	if at.IP.IsUnspecified() {
		host = "localhost"
	}
	return fmt.Sprintf("http://%s%s", net.JoinHostPort(host, strconv.Itoa(at.Port)), root)
}

// Loopback reports whether only this machine reaches a listener.
func Loopback(l net.Listener) bool {
	at, ok := l.Addr().(*net.TCPAddr)
	return ok && at.IP.IsLoopback()
}

// patience is how long requests may take to end when the server does.
const patience = 3 * time.Second

// Run answers what a listener hears, until the context ends. Nothing of it is
// left once it returns.
func (s *Server) Run(ctx context.Context, l net.Listener) error {
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		s.Close()
		return errors.Join(err, server.Close())
	case <-ctx.Done():
	}
	s.Close()
	late, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := server.Shutdown(late)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	<-ended
	return err
}
