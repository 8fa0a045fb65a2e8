package targets

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

var _ = register(Spec{
	Name: "flaky",
	Summary: "at random, some calls fail, some are slow, and some tasks are always refused; the " +
		"seed determines which",
	Remedy: "fewer slow calls; or, if each call has its own random draw (draw=call), a second " +
		"attempt in parallel with a slow call, as in hedged",
	Counts: counters(delayedCalls, failedCalls),
	Keys: []param.Key{
		{Name: "errors", Kind: param.Float, Default: "0.01",
			Doc: "share of the calls that fail, from 0 to 1"},
		{Name: "spikes", Kind: param.Float, Default: "0.01",
			Doc: "share of the calls that are slow, from 0 to 1"},
		{Name: "spike", Kind: param.Distribution, Default: "exp(100ms)",
			Doc: "time that is added to a slow call"},
		{Name: "draw", Kind: param.Choice, Default: drawPerTask,
			Choices: []string{drawPerTask, drawPerCall},
			Doc:     "unit of each random draw: a task with all of its calls, or a single call"},
		{Name: "poison", Kind: param.Float, Default: "0", Doc: "share of the tasks whose calls " +
			"are all refused, without an indication that retries are useless, from 0 to 1"},
	},
	New: func(seed uint64, v param.Values) (Target, error) {
		f := &flaky{seed: seed, errors: v.Float("errors"), spikes: v.Float("spikes"),
			poison: v.Float("poison"), spike: v.Dist("spike"),
			perCall: v.Choice("draw") == drawPerCall}
		for _, share := range []struct {
			key   string
			value float64
		}{{"errors", f.errors}, {"spikes", f.spikes}, {"poison", f.poison}} {
			if !(share.value >= 0 && share.value <= 1) {
				return nil, fmt.Errorf("%s: must be from 0 to 1, got %s", share.key,
					dist.FormatFloat(share.value))
			}
		}
		return f, nil
	},
})

// ErrFault is the error of a call that a target made fail.
var ErrFault = errors.New("fault: the target failed")

// flaky decides by the seed and the task's number alone, so a retry gets the same fault again. With
// draw=call the number counts all calls, so a retry is drawn independently. A slow call waits
// before its work. A failing call does no work and counts as admitted. Each call of a poison task
// is refused as retryable, so the strategy must bound the attempts.
type flaky struct {
	delaying
	failed         atomic.Int64
	seed           uint64
	errors, spikes float64
	poison         float64
	spike          dist.Dist
	perCall        bool          // draw=call
	count          atomic.Uint64 // number of calls, used with draw=call
}

const (
	drawPerTask = "task"
	drawPerCall = "call"
)

// The streams are independent of each other and of a workload with the same seed.
const (
	faults   = 0x9e3779b97f4a7c15
	poisoned = 0xd1b54a32d192ed03
)

func (f *flaky) Call(ctx context.Context, seq uint64, work Work) error {
	if err := f.gone(ctx.Err()); err != nil {
		return err
	}
	var pcg rand.PCG
	if f.poison > 0 {
		pcg.Seed(f.seed^poisoned, seq)
		if unit(&pcg) < f.poison {
			f.refused.Add(1)
			return &Throttled{Refusal: Unavailable}
		}
	}
	number := seq
	if f.perCall {
		number = f.count.Add(1) - 1
	}
	pcg.Seed(f.seed^faults, number)
	fails, slow := unit(&pcg) < f.errors, unit(&pcg) < f.spikes
	if slow {
		f.delayed.Add(1)
		spike := f.spike.Sample(rand.New(rand.NewPCG(pcg.Uint64(), pcg.Uint64())))
		if err := f.gone(wait(ctx, spike)); err != nil {
			return err
		}
	}
	f.admitted.Add(1)
	if fails {
		f.failed.Add(1)
		return ErrFault
	}
	return work(ctx, seq)
}

func unit(pcg *rand.PCG) float64 { return float64(pcg.Uint64()>>11) / (1 << 53) }

func (f *flaky) Counts() []Count {
	return append(f.delaying.Counts(), Count{failedCalls.Name, f.failed.Load()})
}
