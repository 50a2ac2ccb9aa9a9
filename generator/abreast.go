package generator

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// abreast calls f with each number below n, as many at a time as there are processors, and joins their errors in the numbers' order.
func abreast(n int, f func(int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = f(i)
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}
