package builtin

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// envoy learns the limit from the response at a very low limit, which it measures from time to
// time. Meanwhile only min tasks run at once, so tasks that wait for tasks of their own may wait
// forever.
//
// A measurement sets M to the quantile of the responses of so many tasks. At each update, S is the
// quantile of the responses since the last one, g = (1 + buffer)·M/S, within ½ and 2, and the limit
// L becomes g·L + √(g·L). envoy also measures when five updates leave the limit at min. The jitter
// is the same in each instance, so runs can be repeated.
//
// Failed tasks are ignored, because failures can be quick, although Envoy counts them.
type envoy struct {
	min, max      int
	update, probe time.Duration
	jitter        float64
	buffer        float64
	quantile      float64
	requests      int
	random        *rand.Rand

	limit    int
	before   int           // limit before the measurement; 0: there is none
	epoch    time.Duration // start of the measurement
	atUpdate time.Duration // when the next update is
	atProbe  time.Duration // when the next measurement is
	normal   time.Duration // M
	lowest   int           // updates that left the limit at min
	samples  histogram
}

var _ = strategies.RegisterBuiltin(engine.Queued(strategies.Spec{
	Name: "adaptive_envoy",
	Summary: "an adaptive limit: compares the response time with the response time at a very low " +
		"limit, measured from time to time",
	UseIf: "the right limit for the called service is unknown, and occasional short waits are " +
		"acceptable",
	Source:  "gradient controller of Envoy's adaptive concurrency filter",
	OnPanic: "contained; the worker is replaced, and the limit stays",
	Keys: []param.Key{
		{Name: "min", Kind: param.Int, Default: "3",
			Doc: "smallest limit, also during a measurement; at most the limit"},
		{Name: "update", Kind: param.Duration, Default: "100ms", Doc: "time between two updates"},
		{Name: "probe", Kind: param.Duration, Default: "60s",
			Doc: "time between two measurements at the smallest limit"},
		{Name: "jitter", Kind: param.Float, Default: "0.15",
			Doc: "largest random addition to this time, as a share"},
		{Name: "requests", Kind: param.Int, Default: "50", Doc: "number of tasks in a measurement"},
		{Name: "buffer", Kind: param.Float, Default: "0.25",
			Doc: "increase of the response time that is still normal, as a share"},
		{Name: "quantile", Kind: param.Float, Default: "0.5",
			Doc: "quantile of the response times to compare"},
	},

	FIFO:    true,
	Shrinks: true,

	Check: func(p strategies.Params) error {
		v := p.Values
		switch {
		case v.Int("min") < 1:
			return errors.New("min must be at least 1")
		case v.Duration("update") <= 0:
			return errors.New("update must be above 0")
		case v.Duration("probe") <= 0:
			return errors.New("probe must be above 0")
		case v.Float("jitter") < 0 || v.Float("jitter") > 1:
			return errors.New("jitter must be from 0 to 1")
		case v.Int("requests") < 1:
			return errors.New("requests must be at least 1")
		case v.Float("buffer") < 0 || v.Float("buffer") > 1:
			return errors.New("buffer must be from 0 to 1")
		case v.Float("quantile") <= 0 || v.Float("quantile") > 1:
			return errors.New("quantile must be above 0 and at most 1")
		}
		return nil
	},
	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		v, least := p.Values, min(p.Values.Int("min"), p.Limit)
		return new(engine.Adaptive).Launch(ctx, p, sink, &envoy{
			min:      least,
			max:      p.Limit,
			update:   v.Duration("update"),
			probe:    v.Duration("probe"),
			jitter:   v.Float("jitter"),
			buffer:   v.Float("buffer"),
			quantile: v.Float("quantile"),
			requests: v.Int("requests"),
			random:   rand.New(rand.NewPCG(1, 0)),
			limit:    least,
			before:   least,
		}, least)
	},
}))

func (l *envoy) Learn(e engine.TaskEnd) int {
	if l.before == 0 {
		l.tick(e.Ended)
	}
	if e.Err != nil || e.Began < l.epoch {
		return l.limit
	}
	l.samples.add(e.Took())
	if l.before > 0 && l.samples.n >= l.requests {
		l.normal = l.samples.quantile(l.quantile)
		l.limit, l.before, l.lowest = l.before, 0, 0
		l.samples = histogram{}
		l.atUpdate = e.Ended + l.update
		l.atProbe = e.Ended + time.Duration(float64(l.probe)*(1+l.jitter*l.random.Float64()))
	}
	return l.limit
}

func (l *envoy) tick(now time.Duration) {
	if now >= l.atUpdate {
		if l.samples.n > 0 {
			l.learn(l.samples.quantile(l.quantile))
			l.samples = histogram{}
		}
		l.atUpdate = now + l.update - (now-l.atUpdate)%l.update
	}
	if now >= l.atProbe || l.lowest >= 5 {
		l.before, l.limit, l.epoch = l.limit, l.min, now
		l.samples = histogram{}
	}
}

func (l *envoy) learn(response time.Duration) {
	g := 1.0
	if response > 0 { // empty tasks take no virtual time
		g = min(2, max(0.5, (1+l.buffer)*float64(l.normal)/float64(response)))
	}
	to := g * float64(l.limit)
	limit := min(l.max, max(l.min, int(to+math.Sqrt(to))))
	if limit == l.min && l.limit == l.min {
		l.lowest++
	} else {
		l.lowest = 0
	}
	l.limit = limit
}

// A histogram counts durations with a relative error of at most 1 in 64.
type histogram struct {
	counts [64 << subBits]uint32
	n      int
}

const subBits = 5 // a power of two has 1<<subBits parts

func (h *histogram) add(d time.Duration) {
	h.counts[partOf(uint64(max(d, 0)))]++
	h.n++
}

// quantile returns the middle of the part that contains the q-quantile, by nearest rank.
func (h *histogram) quantile(q float64) time.Duration {
	rank := max(1, int(math.Ceil(q*float64(h.n))))
	for i, n := range h.counts {
		if rank -= int(n); rank <= 0 {
			return middleOf(i)
		}
	}
	return 0
}

// Values below 2<<subBits have their own part.
func partOf(v uint64) int {
	shift := max(0, bits.Len64(v)-subBits-1)
	return shift<<subBits + int(v>>shift)
}

func middleOf(part int) time.Duration {
	if part < 2<<subBits {
		return time.Duration(part)
	}
	shift := part>>subBits - 1
	low := uint64(part-shift<<subBits) << shift
	return time.Duration(low + 1<<shift/2)
}
