package main

import (
	"math"
	"runtime"
	"runtime/debug"
)

// This file spares short runs the garbage collector, which would take a quarter of their time to free what the end of the process frees.

// spared is how many bytes may be in use before the collector starts.
const spared = 48 << 20

// spareCollector keeps the collector off until that much is in use. Then it collects as ever.
func spareCollector() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(spared)
	sentinel := new([16]byte)
	runtime.SetFinalizer(sentinel, func(*[16]byte) { // the first collection calls it
		debug.SetGCPercent(60)
		debug.SetMemoryLimit(math.MaxInt64)
	})
}
