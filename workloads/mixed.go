//go:build !js

package workloads

import (
	"context"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

var _ = register(Spec{
	Name: "mixed",
	Summary: "hashes a fixed number of blocks with SHA-256 and then waits, like a request that " +
		"computes and calls another service",
	Kind: CPU,
	Keys: []param.Key{
		{Name: "cpu", Kind: param.Duration, Default: "1ms",
			Doc: "time of the computation if it runs alone on this machine, which determines the " +
				"number of blocks"},
		{Name: "wait", Kind: param.Distribution, Default: "exp(9ms)",
			Doc: "time of the wait after it"},
	},
	New: func(seed uint64, v param.Values) (Workload, error) {
		hash, err := hasherFor(seed, v.Duration("cpu"))
		if err != nil {
			return nil, err
		}
		wait := newWaits(seed, v.Dist("wait"))
		both := timeMoments{wait.Mean(), wait.C2()}.plus(hash.Mean()) // the computation is constant
		return &mixed{both, hash, wait}, nil
	},
	Check: checkMixed,
})

func checkMixed(v param.Values) error {
	if v.Duration("cpu") <= 0 {
		return fmt.Errorf("cpu: must be positive, got %v", v.Duration("cpu"))
	}
	return nil
}

func hasherFor(seed uint64, cpu time.Duration) (*cpuSHA256, error) {
	l, err := calibrated.Line(sha256Blocks)
	if err != nil {
		return nil, err
	}
	blocks, err := unitsIn(cpu, l, "blocks")
	if err != nil {
		return nil, fmt.Errorf("cpu: %w", err)
	}
	hash := newHasher(seed, blocks)
	hash.setMean(l.Time(blocks))
	return hash, nil
}

type mixed struct {
	timeMoments // of both parts: the computation's time is calibrated, the wait's is exact
	hash        *cpuSHA256
	wait        *waits
}

// The task keeps its slot while it waits.
func (m *mixed) Do(ctx context.Context, seq uint64) error {
	if err := m.hash.Do(ctx, seq); err != nil {
		return err
	}
	return m.wait.Do(ctx, seq)
}

func (m *mixed) SleepBy(sleep Sleep) { m.wait.SleepBy(sleep) }
