package cli

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestPercentFor(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{
		{0, 400}, {100 << 20, 400}, {204 << 20, 400}, {256 << 20, 300}, {340 << 20, 201}, {512 << 20, 100}, {1 << 30, 100}, {1 << 60, 100},
	} {
		if got := percentFor(c.live); got != c.want {
			t.Errorf("with %d MB live the heap may grow by %d %%, want %d", c.live>>20, got, c.want)
		}
	}
}

// The percentage follows what is held, and is as it was after the end.
func TestCollectRarely(t *testing.T) {
	t.Setenv("GOGC", "")
	percent := func() int {
		now := debug.SetGCPercent(mostPercent)
		debug.SetGCPercent(now)
		return now
	}
	before := percent()
	stop := collectRarely()
	if got := percent(); got != mostPercent {
		t.Errorf("at the start %d, want %d", got, mostPercent)
	}
	held := make([]byte, 600<<20) // never touched, so that it takes no memory
	for deadline := time.Now().Add(30 * time.Second); percent() != defaultPercent; {
		if time.Now().After(deadline) {
			t.Fatalf("with 600 MB held the percentage is %d, want %d", percent(), defaultPercent)
		}
		runtime.GC()
	}
	runtime.KeepAlive(held)
	stop()
	if got := percent(); got != before {
		t.Errorf("at the end %d, want %d", got, before)
	}
	t.Setenv("GOGC", "50")
	collectRarely()()
	if got := percent(); got != before {
		t.Errorf("GOGC is set, and the percentage became %d", got)
	}
}
