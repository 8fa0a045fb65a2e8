package calibration

import (
	"context"
	"sync"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/strategies"
)

// Control must fail. The limit blocks the generator, and a response time starts at the submit
// instead of at the due time, so the wait before the submit is lost (coordinated omission; Tene,
// "How NOT to measure latency", 2013).
func Control(ctx context.Context, size float64) (Verdict, error) {
	k := known{size}
	s := k.scenario("semaphore", "exponential:mean=10ms", 2e6, 0.8)
	var wrong *fromSubmit
	start := s.Strategy.Spec.New
	s.Strategy.Spec.New = func(ctx context.Context, p strategies.Params,
		sink strategies.Sink) strategies.Strategy {
		wrong = &fromSubmit{sink: sink, submitted: map[*strategies.Task]time.Time{}}
		wrong.Strategy = start(ctx, p, wrong)
		return wrong
	}
	if _, err := bench.Run(ctx, s); err != nil {
		return Verdict{}, err
	}
	mm4 := must(theory.MMk(pool(0.8)))
	return Verdict{k.check(metric.MeanResponse, mm4.MeanResponse, 3.9),
		wrong.total.Seconds() / float64(wrong.n)}, nil
}

type fromSubmit struct {
	strategies.Strategy
	sink      strategies.Sink
	mu        sync.Mutex
	submitted map[*strategies.Task]time.Time // submit times of tasks that are not done
	total     time.Duration                  // sum of the response times
	n         int
}

func (f *fromSubmit) Submit(ctx context.Context, t *strategies.Task) error {
	err := f.Strategy.Submit(ctx, t)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.submitted[t] = time.Now()
	return err
}

func (f *fromSubmit) Done(t *strategies.Task, r strategies.Result) {
	f.mu.Lock()
	if at, ok := f.submitted[t]; ok {
		f.total += time.Since(at)
		f.n++
		delete(f.submitted, t)
	}
	f.mu.Unlock()
	f.sink.Done(t, r)
}
