package api_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/strata-catalog/strata/generator/api"
)

var requests = flag.Int("requests", 400, "hostile requests to send")

// TestHostile sends requests that are malformed, cut off, slow or too large, by
// many clients at once. Memory does not grow with their number, nothing is left
// running, and the server answers as before.
func TestHostile(t *testing.T) {
	limits := api.Default()
	limits.Body, limits.Components = 64<<10, 5000
	limits.Header, limits.Read, limits.Write, limits.Idle = 100*time.Millisecond, 100*time.Millisecond, time.Second, 100*time.Millisecond
	routines := settled(1 << 20)
	url, stop := start(t, api.Config{Env: env(t), Limits: limits})
	address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), api.Prefix)
	statuses := map[int]int{}
	var mu sync.Mutex
	send := func(n int) {
		var next atomic.Int64
		var wg sync.WaitGroup
		for w := range 32 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(w), 1))
				for next.Add(1) <= int64(n) {
					status := attack(address, r)
					mu.Lock()
					statuses[status]++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
	}
	send(*requests / 5)
	before := memory()
	send(*requests - *requests/5)
	after := memory()
	t.Logf("%d requests, by status (0: none, the connection was closed): %v; heap in use %d KB after a fifth, %d KB at the end", *requests, statuses, before>>10, after>>10)
	if after > before+before/4+4<<20 {
		t.Errorf("heap in use grew from %d KB to %d KB", before>>10, after>>10)
	}
	for status, n := range statuses {
		if !slices.Contains([]int{0, 400, 408, 413, 422, 431, 503}, status) {
			t.Errorf("%d hostile requests are answered with %d", n, status)
		}
	}
	for range 3 {
		if r := post(context.Background(), url+"check", tiny); r.err != nil || r.status != http.StatusOK {
			t.Errorf("afterwards a good request is answered with %+v", r)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if left := settled(routines); left > routines {
		stacks := make([]byte, 1<<16)
		t.Errorf("%d goroutines, before there were %d:\n%s", left, routines, stacks[:runtime.Stack(stacks, true)])
	}
}

// settled counts goroutines once those that end have ended, or there are few
// enough.
func settled(enough int) int {
	n, same := -1, 0
	for range 500 {
		time.Sleep(10 * time.Millisecond)
		now := runtime.NumGoroutine()
		if same++; now != n {
			n, same = now, 0
		}
		if now <= enough && same >= 5 {
			break
		}
	}
	return n
}

// memory is the heap in use once garbage is gone.
func memory() uint64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// attack sends one hostile request, and returns the status of what comes back, 0
// for nothing.
func attack(address string, r *rand.Rand) int {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return 0
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	ops := []string{"check", "plan", "diff", "export", "import", "show"}
	head := func(length string) string {
		return fmt.Sprintf("POST %s%s HTTP/1.1\r\nHost: x\r\n%s\r\n", api.Prefix, ops[r.IntN(len(ops))], length)
	}
	whole := func(body string) string { return head(fmt.Sprintf("Content-Length: %d\r\n", len(body))) + body }
	noise := make([]byte, 1+r.IntN(2000))
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	cut := func(text string) string { return text[:1+r.IntN(len(text)-2)] }
	var text string
	switch r.IntN(14) {
	case 0: // what is no HTTP
		text = string(noise) + "\r\n\r\n"
	case 1: // noise for a body
		text = whole(string(noise))
	case 2: // documents that are cut off
		text = whole(cut(tiny))
	case 3:
		text = whole(cut(`{"model": ` + tiny + `, "policy": {"max_params": 1}}`))
	case 4: // a request that is cut off by a client who goes
		_, _ = io.WriteString(c, head("Content-Length: 5000\r\n")+cut(tiny))
		return 0
	case 5: // larger than it may be, as it says itself, or without saying so
		text = head("Content-Length: 100000000\r\n")
	case 6:
		text = head("Transfer-Encoding: chunked\r\n") + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", 70<<10, strings.Repeat(" ", 70<<10))
	case 7: // nested too deep
		text = whole(`{"model": ` + strings.Repeat(`[`, 20_000))
	case 8: // expanding too far
		text = whole(strings.Replace(bomb, `"repeat": 1000`, fmt.Sprintf(`"repeat": %d`, 10+r.IntN(90_000)), 2))
	case 9: // a slow head
		text = cut(head(""))
	case 10: // a slow body
		text = head("Content-Length: 500\r\n") + cut(tiny)
	case 11: // a head that is too large
		text = "GET /api/v1/templates HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("X: "+strings.Repeat("y", 100)+"\r\n", 400) + "\r\n"
	case 12: // members of the wrong type, and numbers without end
		text = whole(fmt.Sprintf(`{"model": %s, "assumptions": {"batch": %s}}`, []string{"7", `"x"`, "[{}]", "{}", "null"}[r.IntN(5)], strings.Repeat("9", 1+r.IntN(400))))
	default: // a connection that says nothing
		text = ""
	}
	go func() { // what comes back is read meanwhile: the server may answer first
		for i := 0; i < len(text); i += 16 << 10 {
			if _, err := io.WriteString(c, text[i:min(i+16<<10, len(text))]); err != nil {
				return
			}
		}
	}()
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<20))
	return answer.StatusCode
}
