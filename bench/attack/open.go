package attack

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// open is the open loop: vegeta's Attacker, made for this one attack because it cannot be used twice.
func (r *run) open(ctx context.Context) {
	workers, most := uint64(r.attack.Workers), uint64(r.attack.Workers)
	if r.attack.Workers == Unlimited {
		workers, most = DefaultWorkers, math.MaxUint64
	}
	p := &pacer{ctx: ctx, plan: r.attack.plan(), waiter: r.newWaiter(), places: int64(min(most, math.MaxInt64)), rate: r.attack.Rate}
	// Client comes first: it replaces what the options about a transport would change. So there are none of them.
	attacker := vegeta.NewAttacker(
		vegeta.Client(&http.Client{Transport: discarding{r.caller.transport, r.attack.Timeout}, CheckRedirect: r.caller.client.CheckRedirect}),
		vegeta.Workers(workers), vegeta.MaxWorkers(most))
	defer context.AfterFunc(ctx, func() { attacker.Stop() })()
	dues := r.attack.dues()
	for res := range attacker.Attack(vegeta.NewStaticTargeter(r.attack.Requests...), p, 0, "") {
		p.settled.Add(1)
		s := sample{seq: res.Seq, due: dues.of(res.Seq), method: res.Method, url: res.URL, attempts: 1, busy: int64(res.Latency), in: bytesOf(res), out: int64(res.BytesOut)}
		s.start = int64(res.Timestamp.Sub(r.base))
		s.end, s.lag = s.start+s.busy, s.start-s.due
		switch {
		case res.Error == "":
			s.status = int(res.Code)
		case res.Code != 0:
			s.status, s.outcome = int(res.Code), r.attack.outcomeOf(int(res.Code))
		case ctx.Err() != nil:
			s.err, s.outcome = res.Error, abandoned
		default:
			s.err, s.outcome = res.Error, failed
		}
		r.tally.add(s)
	}
	r.issued, r.tally.peak = int(p.issued), int(p.peak)
}

// bytesOf reads what discarding wrote.
func bytesOf(res *vegeta.Result) int64 {
	if values := res.Headers[bytesIn]; len(values) == 1 {
		if n, err := strconv.ParseInt(values[0], 10, 64); err == nil {
			return n
		}
	}
	return 0
}

// A pacer is the vegeta.Pacer that follows a plan. It waits itself and asks the Attacker for no wait: the Attacker would sleep, up to a
// millisecond too long.
type pacer struct {
	ctx     context.Context
	plan    *plan
	waiter  *waiter
	rate    float64
	places  int64 // workers
	issued  int64 // requests that the Attacker was let send
	settled atomic.Int64
	peak    int64 // of requests that were sent and not settled
}

// Pace implements vegeta.Pacer. The Attacker calls it once before each request.
func (p *pacer) Pace(time.Duration, uint64) (wait time.Duration, stop bool) {
	due, ok := p.plan.next()
	if !ok || !p.waiter.until(p.ctx, due) {
		return 0, true
	}
	p.issued++
	p.peak = max(p.peak, min(p.issued-p.settled.Load(), p.places))
	return 0, false
}

// Rate implements vegeta.Pacer: the rate that was asked for. The Attacker never asks.
func (p *pacer) Rate(time.Duration) float64 { return p.rate }
