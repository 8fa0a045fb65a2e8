package studies

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/workloads"
)

var sweepAll = flag.Bool("sweep", false,
	"run every cell of the sweep over strategies, workloads, queues and arrivals")

// sweepCells returns all combinations of strategy, workload, queue, arrivals and limit that run
// under the virtual clock.
func sweepCells(t testing.TB) (cells []bench.Scenario) {
	var works []string
	for _, spec := range workloads.All() {
		if spec.Kind == workloads.Wait &&
			!slices.ContainsFunc(spec.Keys, func(k param.Key) bool { return k.Default == "" }) {
			works = append(works, spec.Name)
		}
	}
	works = append(works, "bimodal:p=0.1,short=2ms,long=30ms", "hyperexp:c2=4", "lognormal:c2=1")
	for _, spec := range strategies.All() {
		for _, work := range works {
			for _, queue := range []int{0, bench.NoQueue, 2, 1000} {
				for _, arrival := range []string{"poisson 0.4", "poisson 0.7", "poisson 1.2",
					"batch", "closed:clients=12,think=20ms", "bulk:n=20 0.6",
					"constant 0.8", "sine 0.5"} {
					for _, limit := range []int{1, 2, 5} {
						name, load, _ := strings.Cut(arrival, " ")
						w := bench.Encoded{Strategy: spec.Name, Workload: work, Target: "none",
							Arrival: name, Limit: limit, Queue: queue,
							Tasks: 60_000, Warmup: 0.1, Clock: "virtual"}
						fmt.Sscan(load, &w.Load)
						if name == "batch" {
							w.Tasks = 500
						}
						s, err := w.Scenario()
						if err == nil {
							// or invalid: a class pool needs a slot, semaphores have no queue
							cells = append(cells, s)
						}
					}
				}
			}
		}
	}
	return cells
}

// A run may report exact theory only if the theory's assumptions hold. Long runs must then measure
// the same values. Each day tests another sample of the cells.
func TestTheoryHolds(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	cells, day := sweepCells(t), uint64(time.Now().Unix()/86400)
	rng := rand.New(rand.NewPCG(day, 0))
	rng.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
	most, judged := 12, 0
	if *sweepAll {
		most = len(cells)
	}
	for i, s := range cells {
		if judged == most {
			break
		}
		s.Seed = day + uint64(i)
		long := s.Stop.Tasks
		if s.Stop.Tasks = 50; !hasTheory(runCell(t, s)) {
			continue // no theory for a longer run either
		}
		judged++
		s.Stop.Tasks = long
		r := runCell(t, s)
		for _, reason := range r.Reasons {
			if reason.Check == "theory" {
				t.Errorf("%s seed %d: %v", r.Name, s.Seed, reason)
			}
		}
	}
	t.Logf("%d of %d cells had exact values to judge (seed %d)", judged, len(cells), day)
	if judged < most && judged < len(cells)/20 {
		t.Error("so few that something is missing")
	}
}

func hasTheory(r *bench.Result) bool {
	return slices.ContainsFunc(r.Metrics, func(m result.Metric) bool {
		return strings.HasPrefix(m.Unit, "theory-")
	})
}

func runCell(t testing.TB, s bench.Scenario) *bench.Result {
	r, err := bench.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
