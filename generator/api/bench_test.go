package api_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/strata-catalog/strata/generator/api"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/ops"
	"github.com/strata-catalog/strata/generator/pipeline"
)

// start serves an API on loopback until the test ends.
func start(t testing.TB, c api.Config) (url string, stop func() error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if c.Env == nil {
		c.Env = func() *ops.Env { return &ops.Env{} }
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- api.New(c).Run(ctx, l) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("the server ends with %v", err)
		}
	})
	return "http://" + l.Addr().String() + api.Prefix, stop
}

// flat is a template, fully expanded, as a client that knows no blocks sends it.
func flat(t testing.TB, id string) []byte {
	t.Helper()
	src, err := os.ReadFile("../../templates/" + id + "/model.json")
	if err != nil {
		t.Fatal(err)
	}
	r, err := pipeline.Run(id, src)
	if err != nil {
		t.Fatal(err)
	}
	return graph.Encode(r.Model.Graph.Flat())
}

// BenchmarkCheck is a check over loopback, by clients that keep their
// connections: requests in a second, and the time within which 99 of 100 are
// answered. Clients and server share the machine.
func BenchmarkCheck(b *testing.B) {
	for _, id := range []string{"phi3-mini", "qwen3-8b"} {
		body := flat(b, id)
		r, err := pipeline.Run(id, body)
		if err != nil {
			b.Fatal(err)
		}
		for _, clients := range []int{1, 8} {
			b.Run(fmt.Sprintf("%d-components/%d-clients", len(r.Model.Nodes), clients), func(b *testing.B) {
				url, _ := start(b, api.Config{Limits: api.Default()})
				transport := &http.Transport{MaxIdleConnsPerHost: clients}
				defer transport.CloseIdleConnections()
				client := http.Client{Transport: transport}
				times := make([][]time.Duration, clients)
				var left atomic.Int64
				left.Store(int64(b.N))
				b.ResetTimer()
				var wg sync.WaitGroup
				for k := range clients {
					wg.Go(func() {
						for left.Add(-1) >= 0 {
							began := time.Now()
							answer, err := client.Post(url+"check", "application/json", bytes.NewReader(body))
							if err != nil {
								b.Error(err)
								return
							}
							_, err = io.Copy(io.Discard, answer.Body)
							answer.Body.Close()
							if err != nil || answer.StatusCode != http.StatusOK {
								b.Errorf("status %d, %v", answer.StatusCode, err)
								return
							}
							times[k] = append(times[k], time.Since(began))
						}
					})
				}
				wg.Wait()
				b.StopTimer()
				all := slices.Sorted(slices.Values(slices.Concat(times...)))
				if len(all) == 0 {
					return
				}
				ms := func(share int) float64 { return float64(all[(len(all)-1)*share/100]) / float64(time.Millisecond) }
				b.ReportMetric(float64(len(all))/b.Elapsed().Seconds(), "req/s")
				b.ReportMetric(ms(50), "p50-ms")
				b.ReportMetric(ms(99), "p99-ms")
			})
		}
	}
}
