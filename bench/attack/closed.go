package attack

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/pace"
)

// closed is the closed loop: each client sends, waits for the answer, and sends the next. A request
// is due when the answer before it has come, so response and service are one, and what a slow
// server keeps from being sent is in neither: it is for comparison with tools that work like this.
func (r *run) closed() {
	var seq atomic.Uint64
	var clients sync.WaitGroup
	until := int64(r.attack.Duration)
	most := uint64(arrivals.MaxTasks)
	if r.attack.Tasks > 0 {
		most = uint64(r.attack.Tasks)
	}
	of, by := r.attack.turns()
	records := make([]bench.Records, (uint64(r.attack.Clients)-of+by-1)/by)
	for i := range records {
		clients.Go(func() {
			for due := r.now(); r.ctx.Err() == nil && (until == 0 || due <= until); {
				n := of + by*(seq.Add(1)-1)
				if n >= most {
					if most == arrivals.MaxTasks {
						r.give(errFull)
					}
					return
				}
				due = r.exchange(n, records[i].Add(due))
			}
		})
	}
	clients.Wait()
	r.recording.Peak = int64(len(records))
	r.recording.Records = slices.DeleteFunc(records, func(l bench.Records) bool {
		return l.Len() == 0
	})
}

// errFull ends an attack of clients without a number of requests.
var errFull = fmt.Errorf("%d requests are as many as one attack records", arrivals.MaxTasks)

// exchange makes one call and returns when the next one is due.
func (r *run) exchange(seq uint64, rec *bench.Record) (next int64) {
	start := r.now()
	a := r.caller.call(r.ctx, seq)
	s := sample{seq: seq, due: rec.Due(), end: r.now()}
	s.busy = s.end - start
	r.take(&s, a)
	rec.Issue(start)
	rec.Attempt(start, s.busy)
	r.settle(rec, s)
	if s.outcome == bench.Failed && s.status == 0 {
		_ = pace.Sleep(r.ctx, afterError) // an attack that has ended sends nothing more
		return r.now()
	}
	return s.end
}

// afterError is how long a client keeps still when it got no answer. Against a server that is not
// there it would otherwise spin, and run out of ports.
const afterError = 10 * time.Millisecond

// take adds what an answer says.
func (r *run) take(s *sample, a answer) {
	s.status, s.err = a.status, ""
	s.in += a.in
	s.out += a.out
	if a.err != nil {
		r.without(s, a.err.Error())
		return
	}
	s.outcome = r.attack.outcomeOf(a.status)
}
