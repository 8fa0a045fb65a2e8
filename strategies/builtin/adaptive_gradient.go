package builtin

import (
	"context"
	"errors"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// gradient lowers the limit by the ratio of a long average of responses to a short window. A
// lasting overload becomes the normal state after about as many windows as the average has.
//
// A window is as many good tasks as there are slots, at least the parameter short. With S its mean
// and A the long average, g = tolerance·A/S, within ½ and 1, and the limit moves by the share
// smoothing towards limit·g + headroom. So it cannot stay below 2·headroom. It stays when fewer
// than half the slots were used. While A exceeds 2·S, it drops by 5 % per window.
//
// Failed tasks are ignored, because failures can be quick.
type gradient struct {
	min, max  float64
	tolerance float64
	smoothing float64
	headroom  float64
	weight    float64 // of one window in the long average, once that is long enough

	limit   float64
	window  window
	windows int
	average float64 // of the windows, in ns
}

var _ = strategies.RegisterBuiltin(engine.Queued(strategies.Spec{
	Name: "adaptive_gradient",
	Summary: "an adaptive limit: compares the response times of a short window with their " +
		"long-term average",
	UseIf:   "the called service slows down before it fails, and the right response time is unknown",
	Source:  "Gradient2Limit of Netflix concurrency-limits",
	OnPanic: "contained; the worker is replaced, and the limit stays",
	Keys: []param.Key{
		{Name: "min", Kind: param.Int, Default: "1", Doc: "least limit"},
		{Name: "initial", Kind: param.Int, Default: "0", Doc: "limit at the start; 0: the maximum"},
		{Name: "tolerance", Kind: param.Float, Default: "1.5",
			Doc: "largest normal ratio of a window to the average"},
		{Name: "smoothing", Kind: param.Float, Default: "0.2",
			Doc: "smoothing: the share of each change of the limit that is applied"},
		{Name: "headroom", Kind: param.Int, Default: "1",
			Doc: "extra slots above the limit that is known to be good"},
		{Name: "short", Kind: param.Int, Default: "10", Doc: "smallest number of tasks in a " +
			"window"},
		{Name: "long", Kind: param.Int, Default: "60", Doc: "number of windows in the long-term " +
			"average"},
	},

	FIFO: true,

	Check: func(p strategies.Params) error {
		v := p.Values
		switch {
		case v.Float("tolerance") < 1:
			return errors.New("tolerance must be at least 1")
		case v.Float("smoothing") <= 0 || v.Float("smoothing") > 1:
			return errors.New("smoothing must be above 0 and at most 1")
		case v.Int("headroom") < 1:
			return errors.New("headroom must be at least 1, or the limit never rises")
		case v.Int("short") < 1:
			return errors.New("short must be at least 1")
		case v.Int("long") < 2:
			return errors.New("long must be at least 2")
		}
		return checkLearning(p)
	},
	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		v, initial := p.Values, initialLimit(p)
		return new(engine.Adaptive).Launch(ctx, p, sink, &gradient{
			min:       float64(v.Int("min")),
			max:       float64(p.Limit),
			tolerance: v.Float("tolerance"),
			smoothing: v.Float("smoothing"),
			headroom:  float64(v.Int("headroom")),
			weight:    2 / float64(v.Int("long")+1),
			limit:     float64(initial),
			window:    window{short: v.Int("short")},
		}, initial)
	},
}))

func (l *gradient) Learn(e engine.TaskEnd) int {
	if l.window.add(e, l.limit) {
		l.update(l.window.mean(), float64(l.window.busiest))
		l.window.clear()
	}
	return int(l.limit)
}

// mean is the mean response of the window in ns, and busiest its maximum of tasks in flight.
func (l *gradient) update(mean, busiest float64) {
	l.windows++
	l.average += (mean - l.average) * max(1/float64(l.windows), l.weight)
	if l.average > 2*mean {
		l.average *= 0.95
	}
	if busiest < l.limit/2 {
		return
	}
	g := 1.0
	if mean > 0 { // empty tasks take no virtual time
		g = min(1, max(0.5, l.tolerance*l.average/mean))
	}
	l.limit += l.smoothing * (l.limit*g + l.headroom - l.limit)
	l.limit = min(l.max, max(l.min, l.limit))
}

type window struct {
	short    int
	failures bool // failed tasks count

	sum          time.Duration // of the good tasks
	good, failed int
	busiest      int // most tasks in flight at the end of one
}

func (w *window) add(e engine.TaskEnd, limit float64) bool {
	switch {
	case e.Err == nil:
		w.sum += e.Took()
		w.good++
	case w.failures:
		w.failed++
	default:
		return false
	}
	w.busiest = max(w.busiest, e.Workers)
	return w.good+w.failed >= max(w.short, int(limit))
}

func (w *window) mean() float64 {
	if w.good == 0 {
		return 0
	}
	return float64(w.sum) / float64(w.good)
}

func (w *window) clear() { w.sum, w.good, w.failed, w.busiest = 0, 0, 0, 0 }
