package builtin

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// vegas learns the limit from an estimate of the tasks that queue in the called service: of a limit
// L these are L·(1 − R₀/R), where R is the response of a window and R₀ the shortest so far. If R₀
// was measured under load, no queue is seen, and the limit stays.
//
// A window is that of adaptive_gradient. With a queue of at most log₁₀ L (whole, at least 1) the
// limit rises by beta·log₁₀ L, below alpha·log₁₀ L by log₁₀ L, and above beta·log₁₀ L, or with a
// failed task, it falls by log₁₀ L. It stays when fewer than half the slots were used. R₀ is
// forgotten after a random ½ to 1 times probe·L tasks, as in VegasLimit. The draws are the same in
// each instance.
type vegas struct {
	min, max    float64
	alpha, beta float64
	smoothing   float64
	probe       float64
	jitter      *rand.Rand

	limit    float64
	window   window
	shortest float64 // R₀ in ns; 0: unknown
	since    int     // tasks since the last probe
	next     float64 // share of probe·limit until the next
}

var _ = strategies.RegisterBuiltin(engine.Queued(strategies.Spec{
	Name: "adaptive_vegas",
	Summary: "an adaptive limit: compares response times with the shortest response time, and " +
		"falls when tasks seem to queue",
	UseIf: "the called service has a queue under load, and is idle often enough to measure its " +
		"shortest response time",
	Source: "TCP Vegas (Brakmo and Peterson 1995); VegasLimit of Netflix " +
		"concurrency-limits",
	OnPanic: "contained; the worker is replaced, and the limit stays",
	Keys: []param.Key{
		{Name: "min", Kind: param.Int, Default: "1", Doc: "least limit"},
		{Name: "initial", Kind: param.Int, Default: "0", Doc: "limit at the start; 0: the maximum"},
		{Name: "alpha", Kind: param.Int, Default: "3",
			Doc: "queue below which the limit rises, times log10 of the limit"},
		{Name: "beta", Kind: param.Int, Default: "6",
			Doc: "queue above which the limit falls, times log10 of the limit"},
		{Name: "smoothing", Kind: param.Float, Default: "1",
			Doc: "smoothing: the share of each change of the limit that is applied"},
		{Name: "short", Kind: param.Int, Default: "10", Doc: "smallest number of tasks in a " +
			"window"},
		{Name: "probe", Kind: param.Int, Default: "30",
			Doc: "tasks until the shortest response time is measured again, in multiples of the " +
				"limit"},
	},

	FIFO: true,

	Check: func(p strategies.Params) error {
		v := p.Values
		switch {
		case v.Int("alpha") < 1:
			return errors.New("alpha must be at least 1")
		case v.Int("beta") < v.Int("alpha"):
			return errors.New("beta must be at least alpha")
		case v.Float("smoothing") <= 0 || v.Float("smoothing") > 1:
			return errors.New("smoothing must be above 0 and at most 1")
		case v.Int("short") < 1:
			return errors.New("short must be at least 1")
		case v.Int("probe") < 1:
			return errors.New("probe must be at least 1")
		}
		return checkLearning(p)
	},
	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		v, initial := p.Values, initialLimit(p)
		l := &vegas{
			min:       float64(v.Int("min")),
			max:       float64(p.Limit),
			alpha:     float64(v.Int("alpha")),
			beta:      float64(v.Int("beta")),
			smoothing: v.Float("smoothing"),
			probe:     float64(v.Int("probe")),
			jitter:    rand.New(rand.NewPCG(1, 0)),
			limit:     float64(initial),
			window:    window{short: v.Int("short"), failures: true},
		}
		l.plan()
		return new(engine.Adaptive).Launch(ctx, p, sink, l, initial)
	},
}))

func (l *vegas) Learn(e engine.TaskEnd) int {
	if l.window.add(e, l.limit) {
		l.update(l.window)
		l.window.clear()
	}
	return int(l.limit)
}

func (l *vegas) plan() { l.since, l.next = 0, 0.5+0.5*l.jitter.Float64() }

func (l *vegas) update(w window) {
	log := max(1, math.Floor(math.Log10(l.limit)))
	to, mean := l.limit, w.mean()
	if w.good > 0 {
		l.since += w.good
		probes := float64(l.since) >= l.next*l.probe*l.limit
		if probes {
			l.plan()
		}
		if probes || l.shortest == 0 || mean < l.shortest {
			l.shortest = mean
			return
		}
	}
	queue := 0.0
	if mean > 0 { // empty tasks take no virtual time
		queue = math.Ceil(l.limit * (1 - l.shortest/mean))
	}
	switch {
	case w.failed > 0:
		to -= log
	case float64(w.busiest) < l.limit/2:
		return
	case queue <= log:
		to += l.beta * log
	case queue < l.alpha*log:
		to += log
	case queue > l.beta*log:
		to -= log
	}
	to = min(l.max, max(l.min, to))
	l.limit += l.smoothing * (to - l.limit)
}
