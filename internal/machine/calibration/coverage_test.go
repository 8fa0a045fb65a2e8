package calibration_test

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/statistics/recursion"
	_ "github.com/poolbench/poolbench/strategies/peers"
)

// sweep measures the whole table for many minutes: go test -run … -sweep.
var sweep = flag.Bool("sweep", false, "the table of docs/measured/intervals.md")

// coverage counts intervals that contain the exact value.
type coverage struct {
	printed, held int
	width         float64 // sum of the half-widths, relative to the exact value
	// estimates within 15 % of the exact value, in VALID runs without an uncertainty mark
	close, valid int
}

func (c *coverage) add(low, high, exact float64) {
	c.printed++
	c.width += (high - low) / 2 / exact
	if low <= exact && exact <= high {
		c.held++
	}
}

func (c *coverage) sum(o coverage) {
	c.printed += o.printed
	c.held += o.held
	c.width += o.width
	c.close += o.close
	c.valid += o.valid
}

func (c coverage) share() float64 { return float64(c.held) / float64(c.printed) }

func (c coverage) String() string {
	if c.printed == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %% of %d, ±%.2g %%", 100*c.share(), c.printed,
		100*c.width/float64(c.printed))
}

// covered lists metrics with intervals.
var covered = []string{"p50-response", "p90-response", "p95-response", "p99-response",
	"mean-wait", "mean-response"}

// coveredCell is a scenario with exact values from an independent recursion.
type coveredCell struct {
	strategy, law, arrival string  // "" means poisson
	load                   float64 // relative to the capacity of the bottleneck
	n, limit               int
	seeds                  int
}

// bucketSlack is the load of the slots behind a token bucket, relative to its rate.
const bucketSlack, bucketBurst = 0.8, 5

func (c coveredCell) written() bench.Encoded {
	w := bench.Encoded{Strategy: c.strategy, Workload: c.law, Target: "none",
		Arrival: cmp.Or(c.arrival, "poisson"), Limit: c.limit, Load: c.load, Tasks: c.n,
		Warmup: 0.1, Clock: "virtual"}
	if strings.HasPrefix(c.strategy, "token_bucket") {
		w.Strategy = fmt.Sprintf("token_bucket:rate=%g,burst=%d+worker_pool", c.allowed(),
			bucketBurst)
		w.Load, w.Rate = 0, c.load*c.allowed()
	}
	if c.strategy == "segregated" {
		w.Strategy = fmt.Sprintf("segregated:short=%d", max(c.limit/2, 1))
	}
	return w
}

// allowed returns the bucket's rate for tasks of 10 ms.
func (c coveredCell) allowed() float64 { return bucketSlack * float64(c.limit) / 0.01 }

// plan returns the cell without length and number of runs.
func (c coveredCell) plan() coveredCell {
	c.n, c.seeds = 0, 0
	return c
}

// exactValues contains exact values by metric. atomic marks quantiles that equal many responses.
// They are not counted, because any interval contains them.
type exactValues struct {
	value  map[string]float64
	atomic map[string]bool
}

// exact computes the values of a plan of this length, with another seed.
func (c coveredCell) exact(t *testing.T, tasks int) exactValues {
	w := c.written()
	bucket := strings.HasPrefix(c.strategy, "token_bucket")
	w.Tasks, w.Seed, w.Strategy = tasks, 1<<40, "worker_pool"
	s, err := w.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	plan, err := s.Plan()
	if err != nil {
		t.Fatal(err)
	}
	var pool recursion.Pool
	if bucket {
		pool.Pace = recursion.Pace{Every: 1e9 / c.allowed(), Kept: bucketBurst}
	}
	pool.Run(plan.Due, plan.Service, c.limit, recursion.NeverFull)
	exact, n := exactValues{map[string]float64{}, map[string]bool{}}, float64(tasks)
	for i, response := range pool.Responses() {
		exact.value["mean-response"] += float64(response) / 1e9 / n
		exact.value["mean-wait"] += float64(response-plan.Service[i]) / 1e9 / n
	}
	for i, p := range []float64{0.5, 0.9, 0.95, 0.99} {
		near := 0.02 * (1 - p)
		q := statistics.NearestRanks(nil, pool.Responses(), p-near, p, p+near)
		exact.value[covered[i]] = float64(q[1]) / 1e9
		exact.atomic[covered[i]] = q[0] == q[1] || q[1] == q[2]
	}
	return exact
}

func (c coveredCell) measure(t *testing.T, exact exactValues) map[string]*coverage {
	all := map[string]*coverage{}
	for _, of := range covered {
		all[of] = &coverage{}
	}
	for seed := range c.seeds {
		w := c.written()
		w.Seed = uint64(seed)*7919 + uint64(c.n+c.limit) // so that cells have no tasks in common
		s, err := w.Scenario()
		if err != nil {
			t.Fatal(err)
		}
		r, known, err := s.Calculate()
		if err == nil && !known {
			r, err = bench.Run(t.Context(), s)
		}
		if err != nil {
			t.Fatal(err)
		}
		for of, cover := range all {
			want := exact.value[of]
			if theory, ok := r.Metric("theory-" + of + "-sec"); ok {
				want = theory
			}
			if v, ok := r.Metric(of + "-sec"); ok && r.Verdict == result.Valid &&
				!marked(r, of+"-sec") {
				cover.valid++
				if math.Abs(v/want-1) <= 0.15 {
					cover.close++
				}
			}
			low, ok1 := r.Metric(of + "-low-sec")
			high, ok2 := r.Metric(of + "-high-sec")
			if ok1 && ok2 && !exact.atomic[of] {
				cover.add(low, high, want)
			}
		}
	}
	return all
}

func marked(r *bench.Result, unit string) bool {
	return slices.ContainsFunc(r.Uncertain, func(m result.Metric) bool { return m.Unit == unit })
}

func coveredCells(whole bool) (cells []coveredCell) {
	if !whole {
		for _, law := range []string{"exponential", "hyperexp:mean=10ms,c2=4"} {
			cells = append(cells, coveredCell{"worker_pool", law, "", 0.5, 30_000, 3, 60})
		}
		return append(cells, coveredCell{"worker_pool", "exponential:mean=10ms",
			"mmpp:ratio=3,high=20ms,low=60ms", 0.5, 50_000, 4, 40},
			coveredCell{"token_bucket", "constant:mean=10ms", "", 0.5, 5000, 4, 20})
	}
	laws := []string{"constant:mean=10ms", "exponential", "hyperexp:mean=10ms,c2=4",
		"hyperexp:mean=10ms,c2=16", "lognormal:mean=10ms,c2=4",
		"bounded_pareto:alpha=1.5,low=1ms,high=1s"}
	for _, law := range laws {
		for _, load := range []float64{0.3, 0.5, 0.7, 0.8, 0.9, 0.95} {
			for _, limit := range []int{1, 3, 8, 16} {
				for _, n := range []int{2000, 20_000, 200_000} {
					seeds := 200
					if n == 200_000 {
						seeds = 40
					}
					cells = append(cells,
						coveredCell{"worker_pool", law, "", load, n, limit, seeds})
				}
			}
		}
	}
	for _, strategy := range []string{"token_bucket", "segregated", "retry+worker_pool", "conc"} {
		for _, law := range []string{laws[0], laws[1], laws[4]} {
			for _, load := range []float64{0.5, 0.7, 0.9} {
				for _, limit := range []int{3, 8} {
					cells = append(cells, coveredCell{strategy, law, "", load, 20_000, limit, 100})
				}
			}
		}
	}
	for _, arrival := range []string{"onoff:on=10ms,off=10ms", "onoff:on=50ms,off=50ms",
		"onoff:on=200ms,off=800ms", "mmpp:ratio=3,high=20ms,low=60ms",
		"mmpp:ratio=3,high=100ms,low=300ms", "mmpp:ratio=5,high=200ms,low=800ms"} {
		for _, load := range []float64{0.3, 0.5, 0.7} {
			for _, limit := range []int{1, 4, 8} {
				for _, n := range []int{20_000, 100_000, 400_000} {
					cells = append(cells, coveredCell{"worker_pool", "exponential:mean=10ms",
						arrival, load, n, limit, 50})
				}
			}
		}
	}
	return cells
}

// 95 % of the confidence intervals must contain the exact value. -sweep tests the scenarios of
// docs/measured/intervals.md instead of a few.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	tasks := 2_000_000
	if *sweep {
		tasks = 10_000_000
	}
	cells := coveredCells(*sweep)
	counts := make([]map[string]*coverage, len(cells))
	exacts := map[coveredCell]func() exactValues{} // shared by cells that differ only in length
	for i := range cells {
		if of := cells[i].plan(); exacts[of] == nil {
			exacts[of] = sync.OnceValue(func() exactValues { return of.exact(t, tasks) })
		}
	}
	exactOf := func(c coveredCell) exactValues { return exacts[c.plan()]() }
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				counts[i] = cells[i].measure(t, exactOf(cells[i]))
			}
		})
	}
	for i := range cells {
		next <- i
	}
	close(next)
	workers.Wait()
	rows, order := map[string]map[string]*coverage{}, []string(nil)
	total := map[string]*coverage{"all": {}}
	for i, c := range cells {
		law, _, _ := strings.Cut(c.law, ":mean=10ms")
		if _, c2, ok := strings.Cut(c.law, "c2="); ok {
			law += " C² " + c2
		}
		row := fmt.Sprintf("%s, %s, load %g", c.strategy, law, c.load)
		if c.arrival != "" {
			row = fmt.Sprintf("%s, load %g", c.arrival, c.load)
		}
		if rows[row] == nil {
			rows[row], order = map[string]*coverage{}, append(order, row)
		}
		for of, cover := range counts[i] {
			for _, sum := range []map[string]*coverage{rows[row], total} {
				if sum[of] == nil {
					sum[of] = &coverage{}
				}
				sum[of].sum(*cover)
			}
			total["all"].sum(*cover)
			if os.Getenv("POOLBENCH_COVERAGE_CELLS") != "" {
				t.Logf("cell %s n=%d limit=%d %s: %v", row, c.n, c.limit, of, cover)
			}
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "| scenario | %s |\n|---%s|\n", strings.Join(covered, " | "),
		strings.Repeat("|---", len(covered)))
	outside, wide, chance := 0, 0, 0.0
	for _, row := range order {
		fmt.Fprintf(&table, "| %s", row)
		for _, of := range covered {
			c := rows[row][of]
			fmt.Fprintf(&table, " | %v", c)
			if c.printed < 100 {
				continue
			}
			wide++
			chance += outsideByChance(c.printed)
			if s := c.share(); s < 0.92 || s > 0.985 {
				outside++
				t.Logf("outside 92 to 98.5 %%: %s, %s: %v", row, of, c)
				off := 3 * math.Sqrt(0.05*0.95/float64(c.printed))
				if s < 0.92-off || s > 0.985+off {
					t.Errorf("by more than chance")
				}
			}
		}
		table.WriteString(" |\n")
	}
	t.Logf("\n%s", table.String())
	for _, of := range append(covered, "all") {
		t.Logf("%s: %v", of, total[of])
	}
	p99 := total["p99-response"]
	t.Logf("p99 within 15 %% of the exact one: %d of %d runs that are VALID and not marked",
		p99.close, p99.valid)
	all := total["all"]
	// Intervals of a run are correlated, so they count as a fifth of their number.
	noise := 4 * math.Sqrt(0.95*0.05/(float64(all.printed)/5))
	if low, high := 0.95-max(noise, 0.01), 0.95+max(noise, 0.015); all.share() < low ||
		all.share() > high {
		t.Errorf("%v, want %.1f to %.1f %%", all, 100*low, 100*high)
	}
	if float64(p99.close) < 0.99*float64(p99.valid)-3*math.Sqrt(0.0099*float64(p99.valid)) {
		t.Errorf("the p99 is within 15 %% in %d of %d only", p99.close, p99.valid)
	}
	t.Logf("%d of %d fields of at least 100 intervals are outside 92 to 98.5 %%; if each interval held "+
		"with a probability of 95 %%, and no two went together, %.0f would be", outside, wide, chance)
}

// outsideByChance returns the probability that fewer than 92 % or more than 98.5 % of n independent
// intervals contain the exact value, if each does with a probability of 95 %.
func outsideByChance(n int) float64 {
	b := distuv.Binomial{N: float64(n), P: 0.95}
	return b.CDF(math.Ceil(0.92*float64(n))-1) + 1 - b.CDF(math.Floor(0.985*float64(n)))
}
