package bench

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/strategies"
)

func plannedScenarios(spec strategies.Spec) (all []Encoded) {
	random := rand.New(rand.NewPCG(16, 3))
	for limit := 1; limit <= 17; limit++ {
		w := Encoded{Strategy: spec.Name, Limit: limit, Target: "none", Clock: "virtual",
			Tasks: 400, Warmup: 0.1, Seed: random.Uint64N(1000)}
		w.Workload = [...]string{"exponential:mean=%.3fms", "lognormal:mean=%.3fms,c2=4.1",
			"hyperexp:mean=%.3fms,c2=7", "two_class:mean=%.3fms,r=13"}[random.IntN(4)]
		w.Workload = fmt.Sprintf(w.Workload, 1+30*random.Float64())
		w.Arrival = [...]string{"poisson", "sine:amp=0.7,period=3s"}[random.IntN(2)]
		w.Load = 0.2 + 1.3*random.Float64()
		if spec.UsesQueue && limit%3 > 0 {
			w.Queue = random.IntN(2*limit) + 1
			if limit%3 == 1 {
				w.Queue = NoQueue
			}
		}
		all = append(all, w)
	}
	return all
}

// Calculate must equal Run to the last digit. It uses one processor, as the command's virtual runs
// do.
func TestCalculate(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	calculated, each := 0, 17
	shared, ofCourse := 0, map[PlanKey]Result{}
	for _, spec := range strategies.All() {
		for _, w := range plannedScenarios(spec)[:each] {
			s, err := w.Scenario()
			if err != nil {
				t.Logf("left out: %v", err) // a parameter has no default
				break
			}
			if s.Validate() != nil {
				break // requires the real clock
			}
			got, known, err := s.Calculate()
			if err != nil {
				t.Fatal(err)
			}
			if _, follows := s.FollowsPlan(); known != follows {
				t.Errorf("%s: calculated %v, want %v", s.Name(), known, follows)
			}
			if !known {
				break
			}
			calculated++
			if diff := cmp.Diff(runWritten(t, w), got); diff != "" {
				t.Errorf("%s, seed %d: run and calculated differ:\n%s", s.Name(), s.Seed, diff)
			}
			course, _ := s.PlanKey()
			if same, ok := ofCourse[course]; ok {
				shared++
				same.Name = got.Name
				if diff := cmp.Diff(&same, got); diff != "" {
					t.Errorf("%s, seed %d: not as others of its course:\n%s", s.Name(), s.Seed, diff)
				}
			}
			ofCourse[course] = *got
		}
	}
	t.Logf("%d runs compared", calculated)
	if calculated < 8*each || shared < 4*each {
		t.Errorf("only %d runs were calculated, and %d share a course", calculated, shared)
	}
}

func BenchmarkCalculate(b *testing.B) {
	w := Encoded{Strategy: "worker_pool", Limit: 4, Target: "none", Clock: "virtual",
		Tasks: 20_000, Warmup: 0.1, Seed: 1, Workload: "exponential", Arrival: "poisson", Load: 0.8}
	s, err := w.Scenario()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, known, err := s.Calculate(); !known || err != nil {
			b.Fatal(known, err)
		}
	}
}
