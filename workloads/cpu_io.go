//go:build !js

package workloads

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/registry"
)

var _ = register(Spec{
	Name: "cpu_io",
	Summary: "tasks of two classes: some hash as cpu_sha256 does, the others wait, like " +
		"computing and I/O together; real clock only",
	Source: "do not block the event loop (Node.js): a separate computation pool",
	Kind:   CPU,
	Keys: []param.Key{
		{Name: "p", Kind: param.Float, Default: "0.1",
			Doc: "share of tasks that compute, from 0 to 1; the others wait"},
		{Name: "cpu", Kind: param.Duration, Default: "10ms", Doc: "time of a computation that " +
			"runs alone on this machine, which determines the number of blocks, equal for all"},
		{Name: "wait", Kind: param.Distribution, Default: "exp(10ms)",
			Doc: "time of a task that waits"},
	},
	New: func(seed uint64, v param.Values) (Workload, error) {
		hash, err := hasherFor(seed, v.Duration("cpu"))
		if err != nil {
			return nil, err
		}
		w := &cpuIO{hash: hash, wait: newWaits(seed, v.Dist("wait")),
			coin: registry.Coin{Seed: seed, P: v.Float("p")}}
		w.timeMoments = w.moments()
		return w, nil
	},
	Check: checkCPUIO,
})

func checkCPUIO(v param.Values) error {
	if v.Dist("wait").Mean() <= 0 {
		return errors.New("wait: the mean must be positive")
	}
	if _, err := registry.NewCoin(0, v, "p"); err != nil {
		return err
	}
	return checkMixed(v)
}

type cpuIO struct {
	hash *cpuSHA256
	wait *waits
	coin registry.Coin // rare tasks compute
	// of both kinds; a computation's time is calibrated, a wait's is exact
	timeMoments
}

func (w *cpuIO) Do(ctx context.Context, seq uint64) error {
	if w.coin.Rare(seq) {
		return w.hash.Do(ctx, seq)
	}
	return w.wait.Do(ctx, seq)
}

func (w *cpuIO) Computes(seq uint64) bool { return w.coin.Rare(seq) }

// A time that is c with probability p, and otherwise has mean w and C² of c2, has E[S] = p·c +
// (1−p)·w and E[S²] = p·c² + (1−p)·w²·(1+c2).
func (w *cpuIO) moments() timeMoments {
	p, computing, waiting := w.coin.P, float64(w.hash.Mean()), float64(w.wait.Mean())
	mean := p*computing + (1-p)*waiting
	square := p*computing*computing + (1-p)*waiting*waiting*(1+w.wait.C2())
	c2 := max(0, square/(mean*mean)-1) // rounding may give a value below 0
	return timeMoments{time.Duration(math.Round(mean)), c2}
}

func (w *cpuIO) SleepBy(sleep Sleep) { w.wait.SleepBy(sleep) }
