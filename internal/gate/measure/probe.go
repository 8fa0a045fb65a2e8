package measure

import (
	"context"
	"fmt"
	"math"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/internal/gate/judge"
)

const (
	fewProbes  = 6                // pairs that show that a machine will do
	probes     = 12               // pairs that show that it will not
	probesTake = 15 * time.Second // after which fewer than probes must do, but never than fewProbes
)

// leastSpread is by what an estimate of a standard deviation from fewProbes or more pairs is
// multiplied for a value that the true one is below in 5 cases of 100 at most: the root of 5 over
// the 95 % quantile of χ² with 5 degrees of freedom.
const leastSpread = 0.67

// probe measures the same work twice, before anything is built, and says why no gate would come to
// a verdict on this machine: "" when one may. A machine is hopeless when the changes of the pairs
// scatter so much, beyond what their number leaves open, that all fresh pairs together would not
// find the slower control. These pairs decide nothing else.
func (g *gate) probe(ctx context.Context) (hopeless string, err error) {
	defer g.measured(time.Now())
	g.watch.Doing("measuring the controls")
	defer g.watch.Doing("")
	control := controls[0]
	at := slot{seed: g.Seed >> 1}
	r := &runner{options: g.Options, guard: g.guard, expected: map[string]time.Duration{}}
	if err := r.warmUp(ctx, &control, at, benchfmt.UnitMetadataMap{}); err != nil {
		return "", err
	}
	wanted := g.Judge
	wanted.Promise = ControlSlowdown
	const tests = 2 // of the slower control: see stopWhenFound
	fresh := max(g.Judge.FreshPairs, judge.MinPairs(wanted.Needed(tests)))
	enough := func(spread float64) bool {
		return wanted.PairsToFind(spread, tests) <= float64(fresh)
	}
	var changes []float64
	for began := time.Now(); ; at.pair++ {
		at.headFirst = at.pair%2 == 1
		rec, err := r.pair(ctx, control, at)
		if err != nil {
			return "", err
		}
		changes = append(changes,
			math.Log(rec.runs[head].tidy["sec/op"]/rec.runs[base].tidy["sec/op"]))
		n := len(changes)
		if n < fewProbes {
			continue
		}
		spread := judge.Spread(changes)
		if enough(spread) {
			return "", nil
		}
		if n < probes && time.Since(began) < probesTake {
			continue
		}
		if spread *= leastSpread; enough(spread) {
			return "", nil
		}
		return fmt.Sprintf("the machine is too busy: the same work, measured %d times as if it "+
				"were two revisions, scatters by %.0f%% or more; "+
				"%.4g%% more work would take %.0f fresh pairs to find, and there are %d", n,
				100*math.Expm1(spread), 100*ControlSlowdown, wanted.PairsToFind(spread, tests),
				fresh),
			nil
	}
}
