package searches

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/reports/page"
)

// targetQuestion is a question to advise about a service that limits, delays or fails calls.
type targetQuestion struct {
	bench.Encoded        // without the searched values
	bound         string // bound of the p99 response
	value         float64
	more          []string // further flags
}

// targetKinds create services whose work keeps busy slots in use at the given rate.
var targetKinds = []func(r *rand.Rand, rate, busy float64) (target string, more []string){
	func(*rand.Rand, float64, float64) (string, []string) { return "none", nil },
	func(r *rand.Rand, rate, _ float64) (string, []string) {
		return fmt.Sprintf("token_bucket:rate=%.0f,burst=%d", math.Ceil(rate*(1.05+r.Float64()/2)),
			1+r.IntN(20)), nil
	},
	func(r *rand.Rand, rate, _ float64) (string, []string) {
		return fmt.Sprintf("leaky_bucket:rate=%.0f,queue=%d", math.Ceil(rate*(1.05+r.Float64()/2)),
			r.IntN(10)), nil
	},
	func(r *rand.Rand, rate, _ float64) (string, []string) {
		return fmt.Sprintf("fixed_window:limit=%.0f,window=1s", math.Ceil(rate*(1.1+r.Float64()/2))),
			nil
	},
	func(r *rand.Rand, rate, _ float64) (string, []string) {
		return fmt.Sprintf("sliding_window:limit=%.0f,window=1s",
			math.Ceil(rate*(1.1+r.Float64()/2))), nil
	},
	func(r *rand.Rand, _, busy float64) (string, []string) {
		return fmt.Sprintf("conn_pool:conns=%d,timeout=60s", 2+int(busy*(1+r.Float64()))), nil
	},
	func(r *rand.Rand, _, busy float64) (string, []string) {
		return fmt.Sprintf("concurrency_cap:limit=%d", 2+int(busy*(1+r.Float64()))), nil
	},
	func(r *rand.Rand, _, busy float64) (string, []string) {
		return fmt.Sprintf("brownout:knee=%d", 1+int(busy*(1+r.Float64()))), nil
	},
	func(*rand.Rand, float64, float64) (string, []string) {
		return "flaky", []string{"--may", "drop", "--objective", "failed<5%"}
	},
	func(r *rand.Rand, _, _ float64) (string, []string) {
		return fmt.Sprintf("freeze:period=2s,stop=%dms", 20+r.IntN(200)), nil
	},
}

// targetQuestions returns a random question. A semaphore with some limit may meet its bound.
func targetQuestions(t testing.TB, i int) targetQuestion {
	r := rand.New(rand.NewPCG(uint64(i), 1041))
	mean := time.Duration(5+r.IntN(25)) * time.Millisecond
	busy := math.Exp(math.Log(0.5) + r.Float64()*math.Log(16))
	rate := math.Round(10*busy/mean.Seconds()) / 10
	target, more := targetKinds[i%len(targetKinds)](r, rate, busy)
	q := targetQuestion{Encoded: bench.Encoded{Target: target, Arrival: "poisson", Rate: rate,
		Clock: "virtual", Seed: uint64(1 + r.IntN(1000)),
		Workload: fmt.Sprintf([]string{"exponential:mean=%v", "hyperexp:mean=%v,c2=4",
			"lognormal:mean=%v,c2=2", "constant:mean=%v"}[r.IntN(4)], mean)}, more: more}
	v := math.Inf(1)
	for limit := 1 + int(busy) + r.IntN(3); math.IsInf(v, 1); limit++ {
		values, _, _ := q.values(t, page.AdviceOption{Strategy: "semaphore", Limit: limit}, 30_000)
		v = values[0]
	}
	q.value = math.Round(v*(1.05+r.Float64()/2)*1e4) / 1e4
	q.bound = fmt.Sprintf("p99-response<%v", time.Duration(q.value*1e9))
	return q
}

// values measures an option with two other seeds in long runs. It returns the p99 response and the
// bounds of its confidence intervals.
func (q targetQuestion) values(
	t testing.TB, o page.AdviceOption, tasks int,
) (v [2]float64, low, high float64) {
	low = math.Inf(1)
	for i := range v {
		w := q.Encoded
		w.Strategy, w.Limit, w.Tasks, w.Warmup = o.Strategy, o.Limit, tasks, 0.1
		w.Seed = 9000 + 7*q.Seed + uint64(i)
		if o.Queue != nil {
			w.Queue = cmp.Or(*o.Queue, bench.NoQueue)
		}
		sc, err := w.Scenario()
		if err != nil {
			t.Fatal(err)
		}
		r, err := bench.Run(t.Context(), sc)
		if err != nil {
			t.Fatal(err)
		}
		v[i], _ = r.Metric("p99-response-sec")
		for _, name := range []string{"p99-response-low-sec", "p99-response-high-sec"} {
			end, has := r.Metric(name)
			if !has {
				end = v[i]
			}
			low, high = min(low, end), max(high, end)
		}
	}
	return v, low, high
}

func (q targetQuestion) args() []string {
	return append([]string{"advise", "--quiet", "--workload", q.Workload, "--rate",
		fmt.Sprint(q.Rate), "--target", q.Target, "--objective", q.bound, "--seed",
		fmt.Sprint(q.Seed), "--budget", "5s"}, q.more...)
}

// Answers to random questions about ten kinds of targets are compared with long runs with other
// seeds. The recommendation must meet its bound. No other examined option may be clearly better at
// the same limit.
func TestAdviceOnTargets(t *testing.T) {
	if !*sweep {
		t.Skip("a sweep: -sweep")
	}
	questions, tasks := 10*len(targetKinds), 100_000
	counts := map[string]int{}
	for i := range questions {
		q := targetQuestions(t, i)
		asked := strings.Join(q.args(), " ")
		o := clitest.Command(t, append(q.args(), "--format", "json")...)
		var d page.AdviceDocument
		if err := json.Unmarshal([]byte(o.Stdout), &d); err != nil {
			t.Fatalf("question %d, poolbench %s: %v\n%s", i, asked, err, o.Stderr)
		}
		counts[d.Verdict]++
		best := d.Recommendation
		if best.Low == nil || d.Verdict != "meets" {
			continue
		}
		counts["promises"]++
		own, low, high := q.values(t, best, tasks)
		if high < *best.Low || low > *best.High {
			counts["does not hold"]++
			t.Logf("question %d, poolbench %s: %s, limit %d promises %.4g to %.4g, long runs have %.4g",
				i, asked, best.Strategy, best.Limit, *best.Low, *best.High, own)
		}
		others := []page.AdviceOption{{Strategy: "semaphore", Limit: best.Limit}}
		for _, other := range d.RunnersUp[:min(3, len(d.RunnersUp))] {
			if other.Limit == best.Limit && other.Verdict == "met" && !other.Same {
				others = append(others, other)
			}
		}
		others = slices.DeleteFunc(others, func(o page.AdviceOption) bool {
			return o.Strategy == best.Strategy
		})
		width := *best.High / *best.Low
		for _, other := range others {
			v, _, _ := q.values(t, other, tasks)
			if min(own[0], own[1]) > max(v[0], v[1])*width && other.Strategy != "semaphore" {
				counts["worse than another"]++
				t.Logf("question %d, poolbench %s: %s has %.4g, %s %.4g", i, asked, best.Strategy, own,
					other.Strategy, v)
				break
			}
		}
	}
	t.Logf("%d questions: %v", questions, counts)
	if n := counts["promises"]; counts["does not hold"]*20 > n+10 {
		t.Errorf("%d of %d promises do not hold", counts["does not hold"], n)
	}
	if n := counts["worse than another"]; n*20 > questions {
		t.Errorf("%d of %d recommendations are worse than another strategy", n, questions)
	}
}
