package workloads

import (
	"context"
	"errors"
	"sync"
	"time"
)

// calibrated is the time of a block of SHA-256 on this machine, found out at the first use and kept for the life of the
// process: every run of it then means the same work by mean=1ms. (Over minutes a machine drifts by some 10 %; blocks=N is
// the same work everywhere and always.)
var calibrated calibration

type calibration struct {
	mu         sync.Mutex
	nsPerBlock float64 // 0: not yet known; a failure is not kept
}

func (c *calibration) get() (float64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.nsPerBlock == 0 {
		ns, err := calibrate()
		if err != nil {
			return 0, err
		}
		c.nsPerBlock = ns
	}
	return c.nsPerBlock, nil
}

// calibrate takes some 40 ms. Whatever else the machine does makes a round longer and never shorter, so the shortest of
// ten rounds is the estimate of the time alone; a round is long beside the clock's resolution and short beside a time slice.
func calibrate() (float64, error) {
	const round, rounds = 2 * time.Millisecond, 10
	blocks := 1 << 10
	for hashFor(blocks) < round {
		if blocks *= 2; blocks > 1<<20 { // 64 MiB: no CPU hashes that in 2 ms
			return 0, errors.New("the clock stands still while the CPU works: CPU work needs the real clock")
		}
	}
	shortest := hashFor(blocks)
	for range rounds - 1 {
		shortest = min(shortest, hashFor(blocks))
	}
	return float64(shortest) / float64(blocks+padding), nil
}

// hashFor is the time that a task of so many blocks takes.
func hashFor(blocks int) time.Duration {
	w := newHasher(0, blocks)
	s := w.slots.New().(*hashing)
	began := time.Now()
	_ = w.digest(context.Background(), s, 0) // this ctx never ends, and nothing else is an error
	return time.Since(began)
}
