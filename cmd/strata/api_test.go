package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestEndInMidLoad ends strata api with SIGTERM while clients ask: every request
// that the server has taken is answered, whole, and it ends cleanly.
func TestEndInMidLoad(t *testing.T) {
	graph, err := os.ReadFile("../../templates/qwen3-8b/model.json")
	if err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("strata")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "api", "--port", "0", "--log", "json", "--max-waiting", "1000", "--max-time", "1m")
	c.Dir = t.TempDir() // without a catalog
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	log, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Process.Kill()
	first, err := bufio.NewReader(out).ReadString('\n')
	at := regexp.MustCompile(`http://\S+/api/v1/`).FindString(first)
	if err != nil || at == "" {
		t.Fatalf("it prints %q, %v", first, err)
	}

	var lines []byte
	logged := make(chan struct{})
	go func() { lines, _ = io.ReadAll(log); close(logged) }()
	var whole, cut, refused, open atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			// Each request has its connection: one that is closed between two
			// requests was not taken.
			client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			for {
				open.Add(1)
				answer, err := client.Post(at+"check", "application/json", strings.NewReader(string(graph)))
				open.Add(-1)
				if err != nil {
					refused.Add(1)
					return
				}
				body, err := io.ReadAll(answer.Body)
				answer.Body.Close()
				if err == nil && answer.StatusCode == http.StatusOK && strings.HasSuffix(string(body), "}\n") {
					whole.Add(1)
				} else {
					cut.Add(1)
				}
			}
		})
	}
	for whole.Load() < 50 || open.Load() < 8 {
		time.Sleep(time.Millisecond)
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	<-logged
	if err := c.Wait(); err != nil {
		t.Errorf("it ends with %v: %s", err, lines)
	}
	taken := int64(0)
	for line := range strings.Lines(string(lines)) {
		var entry struct {
			Msg    string
			Route  string
			Status int
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Errorf("the log has %q", line)
		}
		if entry.Msg == "request" {
			taken++
			if entry.Status != http.StatusOK || entry.Route != "/api/v1/check" {
				t.Errorf("a request was answered with %s", line)
			}
		}
	}
	t.Logf("%d requests were taken, %d answered whole, %d refused after the end", taken, whole.Load(), refused.Load())
	if cut.Load() > 0 || taken != whole.Load() {
		t.Errorf("%d requests were taken, %d answered whole, %d in part", taken, whole.Load(), cut.Load())
	}
}
