package searches

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/cli/show"
)

// truth returns the mean of the metric over eight plans, and the relative deviation of the mean.
func (q limitQuestion) truth(t testing.TB) (mean, spread float64) {
	var values []float64
	for seed := range uint64(8) {
		due, took := q.draw(t, 500_000, 1e6+seed, 1, 1)
		v, _ := course{due: due, took: took, limit: q.limit, target: q.target}.metric(q.unit)
		values = append(values, v)
		mean += v / 8
	}
	return mean, stat.StdDev(values, nil) / mean / math.Sqrt(8)
}

// The bounds are 10 % above or below the true value of completed tasks, and a target limits the
// rate. At most 2 % of the verdicts may be wrong, at least 80 % must be decided, and only VALID
// runs may meet their objective. TestQuestions covers questions without a target. -sweep uses 60
// questions.
func TestRunTruth(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	n := 4
	if *sweep {
		n = 60
	}
	t.Chdir(t.TempDir())
	wrong, decided, doubtful, asked := 0, 0, 0, 0
	for i := 0; asked < n; i++ {
		q := limitQuestions(t, i)
		if q.target.rate == 0 {
			continue
		}
		truth, spread := q.truth(t)
		if truth == 0 { // there is no bound 10 % away from 0
			continue
		}
		asked++
		bound, want := truth*1.1, "met"
		if asked%2 == 0 {
			bound, want = truth*0.9, "missed"
		}
		args := []string{"run", "--clock", "virtual", "--strategy", "semaphore", "--workload",
			q.workload, "--arrival", q.arrival, "--target", q.target.spec(), "--limit",
			fmt.Sprint(q.limit), "--rate", fmt.Sprint(q.rate), "--seed", fmt.Sprint(q.seed),
			"--objective", fmt.Sprintf("completed-%s<%v", q.unit, time.Duration(bound*1e9))}
		o := clitest.Command(t, append(args, "--quiet", "--format", "json", "--force", "--out",
			"x")...)
		var doc show.Document
		if err := json.Unmarshal([]byte(o.Stdout), &doc); err != nil || len(doc.Objectives) != 1 {
			t.Fatalf("poolbench %s: %v: %+v", strings.Join(args, " "), err, o)
		}
		d := doc.Objectives[0]
		if d.Verdict != "undecided" {
			decided++
			if d.Verdict != want && spread < 0.03 {
				wrong++
			}
		}
		for _, run := range doc.Runs {
			if d.Verdict == "met" && run.Verdict != "VALID" {
				doubtful++
				break
			}
		}
		t.Logf("poolbench %s: the truth is %.4g s (±%.2g), %s: %s after %d runs: %s",
			strings.Join(args, " "), truth, spread, want, d.Verdict, d.Runs, d.Reason)
	}
	t.Logf("%d questions: %d decided, %d wrong", n, decided, wrong)
	if wrong*50 > n || decided*5 < n*4 || doubtful > 0 {
		t.Errorf("of %d: %d wrong, %d decided, %d met beside a doubt", n, wrong, decided, doubtful)
	}
}
