package builtin_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

type customer struct {
	due, service time.Duration
	class        strategies.Class
	left         time.Duration // remaining service of a partitioned task
	response     time.Duration // measured or computed
}

// bimodal returns Poisson arrivals at load 0.8 of four slots: 95 % tasks of 1 ms and 5 % of 50 ms.
func bimodal(n int) []customer {
	const rate = 0.927536 // per ms
	random := rand.New(rand.NewPCG(1, 3))
	plan := make([]customer, n)
	var due float64
	for i := range plan {
		due += random.ExpFloat64() / rate * float64(time.Millisecond)
		plan[i] = customer{due: time.Duration(due), service: time.Millisecond,
			class: strategies.Short}
		if random.Float64() < 0.05 {
			plan[i].service, plan[i].class = 50*time.Millisecond, strategies.Long
		}
		plan[i].left = plan[i].service
	}
	return plan
}

func variant(t *testing.T, call string, limit, queue int) (strategies.Spec, strategies.Params) {
	t.Helper()
	parsed, err := param.Parse(call)
	if err != nil {
		t.Fatal(err)
	}
	v, err := strategies.Resolve(parsed)
	if err != nil {
		t.Fatal(err)
	}
	p := strategies.Params{Limit: limit, Queue: queue, Values: v.Values}
	if err := v.Spec.Validate(p); err != nil {
		t.Fatal(err)
	}
	return v.Spec, p
}

func runPlan(
	t *testing.T, call string, run func(context.Context, *strategies.Task) strategies.Result,
	plan []customer,
) []customer {
	t.Helper()
	played := slices.Clone(plan)
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		spec, p := variant(t, call, 4, len(plan))
		s := spec.New(t.Context(), p,
			strategies.SinkFunc(func(task *strategies.Task, r strategies.Result) {
				c := task.Arg.(*customer)
				c.response = time.Since(start) - c.due
				if r.Err != nil {
					t.Error(r.Err)
				}
			}))
		tasks := make([]strategies.Task, len(plan))
		for i := range tasks {
			c := &played[i]
			tasks[i] = strategies.Task{Run: run, Arg: c, Class: c.class}
			time.Sleep(c.due - time.Since(start))
			if err := s.Submit(t.Context(), &tasks[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	return played
}

func runWhole(_ context.Context, task *strategies.Task) strategies.Result {
	time.Sleep(task.Arg.(*customer).service)
	return strategies.Result{}
}

func runStep(_ context.Context, task *strategies.Task) strategies.Result {
	c := task.Arg.(*customer)
	step := min(c.left, time.Millisecond)
	time.Sleep(step)
	c.left -= step
	return strategies.Result{More: c.left > 0}
}

func roundRobin(t *testing.T, plan []customer, slots int, quantum time.Duration) []customer {
	const never = time.Duration(math.MaxInt64)
	served := slices.Clone(plan)
	var queue []*customer
	type slot struct {
		at *customer
		to time.Duration
	}
	pool := make([]slot, slots)
	for i := range pool {
		pool[i].to = never
	}
	begin := func(p *slot, now time.Duration) {
		p.at, p.to = nil, never
		if len(queue) > 0 {
			p.at, queue = queue[0], queue[1:]
			p.to = now + min(quantum, p.at.left)
		}
	}
	var last time.Duration
	for next := 0; ; {
		first := &pool[0]
		for i := range pool {
			if pool[i].to < first.to {
				first = &pool[i]
			}
		}
		now := first.to
		arrives := next < len(served) && served[next].due < now
		if arrives {
			now = served[next].due
		}
		switch {
		case now == never:
			return served
		case now == last:
			t.Fatalf("two events at %v: choose another seed", now)
		}
		last = now
		if arrives {
			queue = append(queue, &served[next])
			next++
			if free := slices.IndexFunc(pool,
				func(p slot) bool { return p.at == nil }); free >= 0 {
				begin(&pool[free], now)
			}
			continue
		}
		c := first.at
		if c.left -= min(quantum, c.left); c.left > 0 {
			queue = append(queue, c)
		} else {
			c.response = now - c.due
		}
		begin(first, now)
	}
}

func ofClass(plan []customer, class strategies.Class) (some []customer) {
	for _, c := range plan {
		if c.class == class {
			some = append(some, c)
		}
	}
	return some
}

// mean returns a class's mean response in ms, without the first tenth of the tasks.
func mean(plan []customer, class strategies.Class) float64 {
	sum, some := 0.0, ofClass(plan, class)
	some = some[len(some)/10:]
	for _, c := range some {
		sum += c.response.Seconds() * 1000
	}
	return sum / float64(len(some))
}

// Each response must equal an oracle to the nanosecond. The means must match queueing theory and an
// independent simulation within four standard deviations: 6.5, 3.1 and 2.7 % at two million tasks.
func TestKnownAnswers(t *testing.T) {
	const n = 100_000
	plan := bimodal(n)
	scale := math.Sqrt(2_000_000 / float64(n))
	for _, test := range []struct {
		call        string
		run         func(context.Context, *strategies.Task) strategies.Result
		oracle      func(t *testing.T, class strategies.Class) []customer // customers of that class
		short, long float64                                               // mean responses in ms
		tolerance   float64
	}{
		{"worker_pool", runWhole, func(t *testing.T, c strategies.Class) []customer {
			return ofClass(roundRobin(t, plan, 4, time.Second), c)
		}, 14.064, 63.07, 0.065 * scale},
		{"segregated:short=1,long=3", runWhole, func(t *testing.T, c strategies.Class) []customer {
			return roundRobin(t, ofClass(plan, c),
				map[strategies.Class]int{strategies.Short: 1, strategies.Long: 3}[c], time.Second)
		}, 4.70732, 72.863, 0.031 * scale},
		{"partitioned", runStep, func(t *testing.T, c strategies.Class) []customer {
			return ofClass(roundRobin(t, plan, 4, time.Millisecond), c)
		}, 1.6432, 86.13, 0.027 * scale},
	} {
		t.Run(test.call, func(t *testing.T) {
			played := runPlan(t, test.call, test.run, plan)
			for class, want := range map[strategies.Class]float64{strategies.Short: test.short,
				strategies.Long: test.long} {
				wrong := 0
				mine := ofClass(played, class)
				for i, c := range test.oracle(t, class) {
					if mine[i].response != c.response {
						wrong++
					}
				}
				if wrong > 0 {
					t.Errorf("%v tasks: %d responses differ from the oracle's", class, wrong)
				}
				checkMean(t, played, class, want, test.tolerance)
			}
		})
	}
}

func checkMean(t *testing.T, played []customer, class strategies.Class, want, tolerance float64) {
	t.Helper()
	got := mean(played, class)
	t.Logf("%v tasks: mean response %.4f ms, by theory %.4f", class, got, want)
	if math.Abs(got/want-1) > tolerance {
		t.Errorf("%v tasks: mean response %.4f ms, want %.4f within %.1f %%", class, got,
			want, 100*tolerance)
	}
}
