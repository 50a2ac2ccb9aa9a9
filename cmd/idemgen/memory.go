package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// This file spares short runs the garbage collector, which would take a quarter of their time to free what the end of the process frees.

const (
	spared   = 56 << 20 // how many bytes may be in use before the collector has to run
	overhead = 60       // percent by which memory grows before it runs again, where more is in use for good
)

// spareCollector keeps the collector off until that much is in use, and again each time after it has freed what it could.
func spareCollector() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(spared)
	watchCollector()
}

// watchCollector sets after each collection when the next one is due.
func watchCollector() {
	sentinel := new([16]byte)
	runtime.SetFinalizer(sentinel, func(*[16]byte) { // the next collection calls it
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		percent := overhead
		if n := live[0].Value; n.Kind() == metrics.KindUint64 && 0 < n.Uint64() && n.Uint64() < spared {
			percent = max(percent, int((spared-n.Uint64())*100/n.Uint64()))
		}
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(math.MaxInt64)
		watchCollector()
	})
}
