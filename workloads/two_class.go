package workloads

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

// With short = 1 and long = r, each class is half of the work if the share of long tasks is p =
// 1/(1+r). Then E[S] = 2r/(1+r), E[S²] = r, and C² = r(1+r)²/(4r²) − 1 = (r−1)²/(4r). So two equal
// pools for the classes have equal loads. At the default r, C² = 12.005.
var _ = register(Spec{
	Name:    "two_class",
	Summary: "waits 1 or r units of time; each class is half of the work, and C² = (r-1)²/4r",
	Kind:    Wait,
	Keys: []param.Key{
		meanKey,
		{Name: "r", Kind: param.Float, Default: "50", Doc: "length of a long task in short " +
			"tasks, at least 1; one task in 1+r is long"},
	},
	New: func(seed uint64, v param.Values) (Workload, error) {
		d, short, err := twoClassDist(v.Duration("mean"), v.Float("r"))
		if err != nil {
			return nil, err
		}
		return &twoClass{newWaits(seed, d), short}, nil
	},
})

type twoClass struct {
	*waits
	short float64 // share of the short tasks
}

// maxR gives C² = 2.5·10⁸, above which no run is long enough to estimate the mean.
const maxR = 1e9

// Both times are rounded to whole nanoseconds. Mean and C² are within 0.1 %, because no task is
// shorter than half of the mean.
func twoClassDist(mean time.Duration, r float64) (d dist.Dist, shareShort float64, err error) {
	if mean < time.Microsecond {
		return nil, 0, fmt.Errorf("mean: must be at least 1us, got %s", dist.FormatDuration(mean))
	}
	if r < 1 || r > maxR {
		return nil, 0, fmt.Errorf("r: must be between 1 and %s, got %s", dist.FormatFloat(maxR),
			dist.FormatFloat(r))
	}
	m, p := float64(mean), 1/(1+r)
	long := m * (1 + r) / 2
	if long >= math.MaxInt64 {
		return nil, 0, errors.New("r: a long task would take longer than 292 years")
	}
	short := time.Duration(math.Round(long / r))
	if short == time.Duration(math.Round(long)) {
		// r is 1, or differs from 1 by less than a nanosecond of task time
		return dist.Constant{Value: short}, 1 - p, nil
	}
	d, err = dist.Bimodal(p, short, time.Duration(math.Round(long)))
	return d, 1 - p, err
}

// Long uses the random number that chooses the branch of the mixture. With r=1 half of the tasks
// are labelled long.
func (w *twoClass) Long(seq uint64) bool {
	s := w.slot()
	defer w.slots.Put(s)
	return s.seed(w.seed, seq).Float64() >= w.short
}
