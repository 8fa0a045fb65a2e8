package targets

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

const (
	maxDeafSlots = 10_000
	maxDeafQueue = 1_000_000
)

var _ = register(Spec{
	Name: "deaf_server",
	Summary: "a server with a queue that does not notice when a caller gives up, and does the " +
		"work anyway",
	Source: "Bronson et al., Metastable Failures in Distributed Systems, HotOS 2021: work that " +
		"nobody waits for",
	Counts: counters(delayedCalls),
	Keys: []param.Key{
		{Name: "slots", Kind: param.Int, Default: "4", Doc: "number of calls that the server " +
			"serves at once"},
		{Name: "service", Kind: param.Distribution, Default: "exp(10ms)",
			Doc: "service time of a call, before the work"},
		{Name: "patience", Kind: param.Duration, Default: "100ms",
			Doc: "how long a caller waits before the call counts as refused"},
		{Name: "queue", Kind: param.Int, Default: "0",
			Doc: "length of the queue, above which calls are refused at once; 0: no limit"},
	},
	New: func(seed uint64, v param.Values) (Target, error) {
		d := &deafServer{slots: v.Int("slots"), queue: v.Int("queue"),
			patience: v.Duration("patience"), service: v.Dist("service"),
			draw: rand.New(rand.NewPCG(seed, deafStream))}
		switch {
		case d.slots < 1 || d.slots > maxDeafSlots:
			return nil, fmt.Errorf("slots: must be from 1 to %d, got %d", maxDeafSlots, d.slots)
		case d.queue < 0 || d.queue > maxDeafQueue:
			return nil, fmt.Errorf("queue: must be from 0 to %d, got %d", maxDeafQueue, d.queue)
		case d.patience <= 0:
			return nil, fmt.Errorf("patience: must be above 0, got %v", d.patience)
		}
		d.free = make([]time.Duration, d.slots)
		return d, nil
	},
})

const deafStream = 0xdeaf

// deafServer serves calls in order of arrival by the Kiefer–Wolfowitz recursion. A call occupies
// the first free slot for its service time even if its caller has given up. A caller is refused
// when its patience ends, and may retry at once. So above capacity all work is wasted, and retries
// keep it so even at low load (a metastable failure).
type deafServer struct {
	delaying
	clock    clock
	slots    int
	queue    int
	patience time.Duration
	service  dist.Dist

	mu      sync.Mutex
	draw    *rand.Rand
	free    []time.Duration // when each slot becomes free
	waiting []time.Duration // start times of the waiting calls, in order
}

func (d *deafServer) Call(ctx context.Context, seq uint64, work Work) error {
	if err := d.gone(ctx.Err()); err != nil {
		return err
	}
	response, accepted := d.accept()
	if accepted && response <= d.patience {
		if err := d.gone(wait(ctx, response)); err != nil {
			return err
		}
		d.admitted.Add(1)
		return work(ctx, seq)
	}
	if accepted {
		if err := d.gone(wait(ctx, d.patience)); err != nil {
			return err
		}
	}
	d.refused.Add(1)
	return &Throttled{Refusal: Unavailable}
}

func (d *deafServer) accept() (response time.Duration, accepted bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.clock.now() // under the lock, so that calls enter in the order of their times
	begun := 0           // waiting is empty if the queue is unbounded
	for begun < len(d.waiting) && d.waiting[begun] <= now {
		begun++
	}
	d.waiting = slices.Delete(d.waiting, 0, begun)
	slot := slices.Index(d.free, slices.Min(d.free))
	start := max(now, d.free[slot])
	if start > now {
		if d.queue > 0 && len(d.waiting) >= d.queue {
			return 0, false
		}
		if d.queue > 0 {
			d.waiting = append(d.waiting, start)
		}
		d.delayed.Add(1)
	}
	d.free[slot] = start + min(d.service.Sample(d.draw), math.MaxInt64-start)
	return d.free[slot] - now, true
}
