package runs

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/cli/show"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/statistics/recursion"
	"github.com/poolbench/poolbench/workloads"
)

var sweep = flag.Bool("sweep", false, "20 runs of each cause and question")

// p99Question is a scenario with its long-run p99.
type p99Question struct {
	workload, arrival string
	limit             int
	load              float64
	p99, spread       float64 // seconds, and the relative standard deviation of the mean
}

func randomP99Question(r *rand.Rand) p99Question {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	c2 := []string{"0.5", "1", "2", "4", "9", "16"}[r.IntN(6)]
	w := pick("constant:mean=10ms", "exponential:mean=10ms", "lognormal:mean=10ms,c2="+c2)
	if c2 != "0.5" && c2 != "1" && r.IntN(3) == 0 {
		w = "hyperexp:mean=10ms,c2=" + c2
	}
	period := []string{"20ms", "50ms", "200ms", "1s"}[r.IntN(4)]
	return p99Question{workload: w, limit: 1 + r.IntN(20),
		load: math.Round(300+680*r.Float64()) / 1000,
		arrival: pick("poisson", "poisson", "bulk:n=5", "onoff:on="+period+",off="+period,
			"mmpp:ratio=3,high="+period+",low="+period)}
}

// solve computes the long-run p99 with the queueing recursion, independently of the command.
func (q *p99Question) solve(t *testing.T, plans, n int) {
	a, w := arrivals.MustParse(q.arrival), workloads.MustParse(q.workload)
	var pool recursion.Pool
	var p99 []float64
	due, service := make([]int64, n), make([]int64, n)
	for seed := range uint64(plans) {
		work, err := w.Spec.Build(seed+1e6, w.Values)
		if err != nil {
			t.Fatal(err)
		}
		rate := q.load * float64(q.limit) / work.Mean().Seconds()
		next, err := a.Spec.Open(rate, seed+1e6, a.Values)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			due[i], service[i] = int64(next()), int64(work.(workloads.Timed).Time(uint64(i)))
		}
		pool.Run(due, service, q.limit, recursion.NeverFull)
		p99 = append(p99, float64(statistics.NearestRanks(nil, pool.Responses()[n/10:], 0.99)[0])/1e9)
	}
	for _, v := range p99 {
		q.p99 += v / float64(plans)
	}
	q.spread = stat.StdDev(p99, nil) / q.p99 / math.Sqrt(float64(plans))
}

// The bounds are 10 % above or below the true value. With the defaults of run, at most 2 % of the
// verdicts may be wrong, and at least 80 % must be decided. No run that is too short or SUSPECT may
// meet its objective. If the error of the true value exceeds 3 %, a verdict is wrong only beyond
// this error.
func TestQuestions(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	n := 10
	if *sweep {
		n = 200
	}
	r := rand.New(rand.NewPCG(41, 1))
	wrong, decided, doubtful := 0, 0, 0
	for i := range n {
		q := randomP99Question(r)
		q.solve(t, 8, 500_000)
		bound, want := q.p99*1.1, "met"
		if i%2 == 0 {
			bound, want = q.p99*0.9, "missed"
		}
		o := clitest.Command(t, "run", "--clock", "virtual", "--strategy", "worker_pool", "--workload",
			q.workload, "--arrival", q.arrival, "--limit", fmt.Sprint(q.limit), "--load",
			fmt.Sprintf("%.3f", q.load), "--seed", fmt.Sprint(1+1000*i), "--objective",
			fmt.Sprintf("p99-response<%.0fus", bound*1e6), "--format", "json", "--quiet", "--force",
			"--out", "x")
		var doc show.Document
		if err := json.Unmarshal([]byte(o.Stdout), &doc); err != nil || len(doc.Objectives) != 1 {
			t.Fatalf("%v: %+v", err, o)
		}
		d := doc.Objectives[0]
		if d.Verdict != "undecided" {
			decided++
		}
		note := ""
		if d.Verdict != "undecided" && d.Verdict != want {
			note = "WRONG"
			if q.spread < 0.03 {
				wrong++
			}
		}
		for _, run := range doc.Runs {
			if d.Verdict == "met" && run.Verdict != "VALID" {
				note = "met beside " + run.Verdict
				doubtful++
				break
			}
		}
		t.Logf("%s %s limit %d load %.3f: p99 %.4g (±%.2g), %s: %s after %d runs: %s %s", q.workload,
			q.arrival, q.limit, q.load, q.p99, q.spread, want, d.Verdict, d.Runs, d.Reason, note)
	}
	t.Logf("%d questions: %d decided, %d wrong", n, decided, wrong)
	if float64(wrong) > 0.02*float64(n) || float64(decided) < 0.8*float64(n) || doubtful > 0 {
		t.Errorf("%d of %d wrong, %d decided, %d met beside a doubt", wrong, n, decided, doubtful)
	}
}
