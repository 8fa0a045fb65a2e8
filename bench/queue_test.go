package bench_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/machine/race"
	"github.com/poolbench/poolbench/strategies"
)

func TestDefaultQueueIsNeverFull(t *testing.T) {
	t.Parallel()
	specs := slices.DeleteFunc(strategies.All(), func(spec strategies.Spec) bool {
		return !spec.UsesQueue || spec.Sheds
	})
	for i, spec := range specs {
		if testing.Short() && i%4 != 0 {
			continue
		}
		for _, w := range []bench.Encoded{
			{Arrival: "batch", Tasks: 300},
			{Arrival: "bulk:n=50,period=1s", Duration: 4 * time.Second},
			{Load: 5, Duration: time.Second}, {Arrival: "closed:clients=50,think=0s", Tasks: 300},
		} {
			w.Strategy, w.Limit, w.Timeout = spec.Name, 2, time.Second
			r := run(t, scenario(t, w))
			if held := metric(t, r, "blocked/op"); held != 0 && !spec.Retries {
				t.Errorf("%s: %v of the tasks stood before a full queue", r.Name, held)
			}
		}
	}
}

func TestTheoryRanksStrategies(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Parallel()
	tasks, errors := 60_000, 1.0
	if race.Enabled {
		tasks, errors = tasks/10, math.Sqrt(10)
	}
	for _, load := range []float64{0.5, 0.8} {
		wait := map[string]float64{}
		for _, strategy := range []string{"segregated", "shortest_first", "worker_pool",
			"cpu_io_split"} {
			r := runOrCalculate(t, scenario(t, bench.Encoded{Strategy: strategy, Workload: "two_class",
				Limit: 4, Load: load, Tasks: tasks, Warmup: 0.1, Seed: 1}))
			wait[strategy] = metric(t, r, "mean-wait-sec")
			if strategy == "segregated" {
				checkNear(t, r, "short-mean-response-sec",
					metric(t, r, "theory-short-mean-response-sec"), 0.05*errors)
			}
		}
		if !(wait["segregated"] < wait["worker_pool"] &&
			wait["shortest_first"] < wait["worker_pool"]) {
			t.Errorf("load %v: mean waits %v: want those of segregated and shortest_first below "+
				"that of worker_pool", load, wait)
		}
		if wait["cpu_io_split"] != wait["worker_pool"] {
			t.Errorf("load %v: cpu_io_split, none of whose classes there are, waits for %v, one "+
				"pool for %v", load, wait["cpu_io_split"], wait["worker_pool"])
		}
	}
}

// A full queue only matters to strategies that separate, order or preempt tasks.
func TestFullQueueIsSuspect(t *testing.T) {
	t.Parallel()
	for strategy, promise := range map[string]string{
		"segregated":              "separate classes of tasks",
		"shortest_first":          "order tasks by their size",
		"priority":                "choose tasks by their priority",
		"earliest_deadline":       "choose tasks by their deadline",
		"fair_share":              "choose tasks by their tenant",
		"partitioned":             "run tasks in steps",
		"partitioned_all_at_once": "",
		"worker_pool":             "",
		"semaphore":               "",
	} {
		for _, queue := range []int{0, bench.NoQueue, 3} {
			if queue == 3 && strategy == "semaphore" {
				continue // the strategy has no queue
			}
			if testing.Short() && queue == bench.NoQueue {
				continue
			}
			r := run(t, scenario(t, bench.Encoded{Strategy: strategy, Workload: "two_class",
				Limit: 4, Load: 0.8, Queue: queue, Tasks: 2000, Seed: 1}))
			var said string
			for _, reason := range r.Reasons {
				if reason.Check == "full queue" {
					said = reason.Text
				}
			}
			if held := metric(t, r, "blocked/op"); queue != 0 && held < 0.01 {
				t.Errorf("%s: %v of the tasks were held up, too few to tell of", r.Name, held)
			}
			switch {
			case (said != "") != (queue != 0 && promise != ""):
				t.Errorf("%s: says %q of a full queue", r.Name, said)
			case said != "" && (r.Verdict < result.Suspect ||
				!strings.Contains(said, "could not "+promise+";")):
				t.Errorf("%s: %v, %q, want that it could not %s", r.Name, r.Verdict, said, promise)
			}
		}
	}
}
