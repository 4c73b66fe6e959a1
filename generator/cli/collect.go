package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// A collector has the garbage collector run less often while little memory is
// held: a build makes several times its site of short-lived memory, and with the
// percentage of Go a quarter of its time would go into looking for it. GOGC in
// the environment stands above it.
type collector struct{ stopped atomic.Bool }

const (
	defaultPercent = 100
	mostPercent    = 400
	roomyHeap      = 1 << 30 // bytes of heap that are never too many
)

// collectRarely starts a collector.
func collectRarely() (stop func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	c := &collector{}
	before := debug.SetGCPercent(mostPercent)
	c.watch()
	return func() {
		c.stopped.Store(true)
		debug.SetGCPercent(before)
	}
}

// watch sets the percentage anew after each collection.
func (c *collector) watch() {
	type sign struct{ of *collector } // unreachable at once, so that the next collection finds it
	runtime.AddCleanup(&sign{c}, func(c *collector) {
		if c.stopped.Load() {
			return
		}
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		debug.SetGCPercent(percentFor(live[0].Value.Uint64()))
		c.watch()
	}, c)
}

// percentFor is by how much the heap may grow over what is live.
func percentFor(live uint64) int {
	if live >= roomyHeap {
		return defaultPercent
	}
	return min(max(defaultPercent, int(100*(roomyHeap-live)/max(live, 1))), mostPercent)
}
