package workloads

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

// Moments are the mean and the squared coefficient of variation of a task's time on an idle
// machine.
type Moments struct {
	Mean time.Duration
	C2   float64
}

// Func describes a workload whose tasks call do under the real clock. Without known, the moments
// are measured before the process's first run, sequentially for 0.2 s or 200 tasks.
//
//	workloads.Register(workloads.Func("checkout", callCheckout))
func Func(name string, do Work, known ...Moments) Spec {
	if len(known) > 1 {
		panic(fmt.Sprintf("workload %s: moments are given %d times", name, len(known)))
	}
	measured := sync.OnceValues(func() (Moments, error) { return moments(do) })
	if len(known) == 1 {
		measured = func() (Moments, error) { return known[0], nil }
	}
	return Spec{
		Name:    name,
		Summary: "calls a function of this program",
		Kind:    IO,
		Check:   func(param.Values) error { return nil }, // New measures
		New: func(uint64, param.Values) (Workload, error) {
			m, err := measured()
			if err == nil && m.Mean <= 0 {
				err = errors.New("the mean time of a task must be positive")
			}
			return &function{timeMoments{m.Mean, m.C2}, do}, err
		},
	}
}

type function struct {
	timeMoments
	do Work
}

func (f *function) Do(ctx context.Context, seq uint64) error { return f.do(ctx, seq) }

// moments ignores a first task, which bears the one-time costs.
func moments(do Work) (Moments, error) {
	const most, enough = 200, 200 * time.Millisecond
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var n, sum, squares float64
	for began := time.Now(); n < 3 || n <= most && time.Since(began) < enough; n++ {
		start := time.Now()
		if err := do(ctx, uint64(n)); err != nil {
			return Moments{}, fmt.Errorf("a task, alone: %w", err)
		}
		if took := float64(time.Since(start)); n > 0 {
			sum += took
			squares += took * took
		}
	}
	mean := sum / (n - 1)
	return Moments{time.Duration(mean), max(0, squares/(n-1)/mean/mean-1)}, nil
}
