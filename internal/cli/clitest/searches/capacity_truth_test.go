package searches

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/cli/show"
)

// limitQuestion asks for the smallest limit at a rate, or for the highest rate at a limit.
type limitQuestion struct {
	adviceQuestion
	limit  int // the value at this limit is near the bound
	ofRate bool
	n      int // value of --n; 0 means the default
}

// limitQuestions returns a random question. Its bound differs by 10 % from the value of some limit.
func limitQuestions(t testing.TB, i int) limitQuestion {
	r := rand.New(rand.NewPCG(uint64(i), 41))
	mean := time.Duration(5+r.IntN(45)) * time.Millisecond
	laws := []string{"constant:mean=%v", "exponential:mean=%v", "hyperexp:mean=%v,c2=4",
		"hyperexp:mean=%v,c2=16", "lognormal:mean=%v,c2=2", "lognormal:mean=%v,c2=4",
		"lognormal:mean=%v,c2=16"}
	q := limitQuestion{limit: 1 + r.IntN(20), ofRate: r.IntN(4) == 0}
	q.workload, q.mean = fmt.Sprintf(laws[r.IntN(len(laws))], mean), mean.Seconds()
	q.seed = uint64(1 + r.IntN(1000))
	q.rate = math.Round(100*(0.3+0.68*r.Float64())*float64(q.limit)/q.mean) / 100
	q.arrival = []string{"poisson", "poisson", "poisson", "bulk:n=10",
		"onoff:on=50ms,off=50ms", "mmpp:ratio=3,high=100ms,low=300ms"}[r.IntN(6)]
	q.unit = []string{"p99-response", "p99-response", "p99-response", "p90-response",
		"mean-response", "p99-wait"}[r.IntN(6)]
	if r.IntN(3) == 0 {
		q.target = limiter{rate: math.Ceil(q.rate * (1.1 + r.Float64())), burst: 1 + r.IntN(20),
			delays: r.IntN(2) == 0}
	}
	if r.IntN(3) == 0 {
		q.n = 2000
	}
	due, took := q.draw(t, 1_000_000, 77, 1, 1)
	v, _ := course{due: due, took: took, limit: q.limit, target: q.target}.metric(q.unit)
	if r.IntN(2) == 0 {
		v *= 1.21
	}
	q.bound = math.Max(math.Round(v/1.1*1e5)/1e5, 1e-5)
	return q
}

func (q limitQuestion) args() []string {
	args := []string{"capacity", "--clock", "virtual", "--strategy", "semaphore", "--workload",
		q.workload, "--arrival", q.arrival, "--objective", fmt.Sprintf("%s<%v", q.unit,
			time.Duration(q.bound*1e9)), "--seed", fmt.Sprint(q.seed), "--quiet"}
	if q.ofRate {
		args = append(args, "--limit", fmt.Sprint(q.limit), "--rate-range",
			fmt.Sprintf("%.4g,%.4g", 0.2*q.rate, 1.5*q.rate))
	} else {
		args = append(args, "--find", "limit", "--rate", fmt.Sprint(q.rate))
	}
	if q.target.rate > 0 {
		args = append(args, "--target", q.target.spec())
	}
	if q.n > 0 {
		args = append(args, "--n", fmt.Sprint(q.n))
	}
	return args
}

// surely reports whether two independent plans both meet, or both miss, the bound by more than
// their error.
func (q limitQuestion) surely(t testing.TB, met bool, limit int, load float64, tasks int) bool {
	if q.busy()*load >= float64(limit) {
		return !met
	}
	for seed := range uint64(2) {
		due, took := q.draw(t, tasks, 5000+7*q.seed+seed, load, 1)
		v, _ := course{due: due, took: took, limit: limit, target: q.target}.metric(q.unit)
		const margin = 0.05
		if met && v > q.bound*(1-margin) || !met && v < q.bound*(1+margin) {
			return false
		}
	}
	return true
}

// Answers to random questions are compared with a simulation with other seeds. -sweep uses 100
// questions.
func TestCapacityTruth(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	questions, tasks := 8, 500_000
	if *sweep {
		questions, tasks = 100, 1_000_000
	}
	counts := map[string]int{}
	wrong := 0
	for i := range questions {
		q := limitQuestions(t, i)
		t.Chdir(t.TempDir())
		before := wrong
		complain := func(format string, a ...any) {
			wrong++
			t.Logf("question %d, poolbench %s: %s", i, strings.Join(q.args(), " "),
				fmt.Sprintf(format, a...))
		}
		o := clitest.Command(t, append(q.args(), "--format", "json")...)
		var doc show.SearchDocument
		if err := json.Unmarshal([]byte(o.Stdout), &doc); err != nil {
			t.Fatalf("question %d, poolbench %s: %v\n%s", i, strings.Join(q.args(), " "), err,
				o.Stderr)
		}
		a := doc.Answers[0]
		at := func(end *float64) (limit int, load float64) {
			if q.ofRate {
				return q.limit, *end / q.rate
			}
			return int(*end), 1
		}
		if a.Met != nil {
			if limit, load := at(a.Met); q.surely(t, false, limit, load, tasks) {
				complain("%v misses it", *a.Met)
			}
		}
		if a.Missed != nil {
			if limit, load := at(a.Missed); q.surely(t, true, limit, load, tasks) {
				complain("%v meets it", *a.Missed)
			}
		}
		if a.Outcome == "nowhere" && !q.ofRate {
			for limit := 1 + int(q.busy()); limit < q.limit+4; limit++ {
				if q.surely(t, true, limit, 1, tasks) {
					complain("a limit of %d meets it", limit)
					break
				}
			}
		}
		switch {
		case wrong > before:
			counts["wrong"]++
		case a.Met == nil || a.Missed == nil:
			counts[a.Outcome]++
		case q.ofRate && *a.Missed <= 1.1**a.Met:
			counts["rate within 10 %"]++
		case q.ofRate:
			counts["a wider rate"]++
		case *a.Met == *a.Missed+1:
			counts["one limit"]++
		case *a.Met == *a.Missed+2:
			counts["two limits"]++
		default:
			counts["more limits"]++
			t.Logf("question %d, poolbench %s: %v to %v", i, strings.Join(q.args(), " "),
				*a.Missed+1, *a.Met)
		}
	}
	t.Logf("%d questions: %v", questions, counts)
	if counts["wrong"]*50 > questions {
		t.Errorf("%d of %d answers are wrong", counts["wrong"], questions)
	}
}
