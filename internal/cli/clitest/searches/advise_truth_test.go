package searches

import (
	"container/heap"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/reports/page"
	"github.com/poolbench/poolbench/workloads"
)

var sweep = flag.Bool("sweep", false, "the long form of TestAdviceTruth and its like")

// adviceQuestion is a question to advise. Brute force finds the answer.
type adviceQuestion struct {
	workload, arrival string
	rate, mean        float64 // tasks per second; seconds
	unit              string  // p99-response
	bound             float64 // seconds
	target            limiter // target with its burst; the zero value means none
	budget            time.Duration
	seed              uint64
}

type limiter struct {
	rate   float64
	burst  int  // 0 means at the ticks of a clock
	delays bool // a leaky bucket, in which all tasks but the first of a burst wait
}

func (l limiter) spec() string {
	if l.delays {
		return fmt.Sprintf("leaky_bucket:rate=%v,queue=%d", l.rate, l.burst-1)
	}
	return fmt.Sprintf("token_bucket:rate=%v,burst=%d", l.rate, l.burst)
}

func (p adviceQuestion) args() []string {
	args := []string{"advise", "--workload", p.workload, "--arrival", p.arrival, "--rate",
		fmt.Sprint(p.rate), "--objective", fmt.Sprintf("%s<%v", p.unit,
			time.Duration(p.bound*1e9)), "--seed", fmt.Sprint(p.seed)}
	if p.budget > 0 {
		args = append(args, "--budget", p.budget.String())
	}
	if p.target.rate > 0 {
		args = append(args, "--target", p.target.spec())
	}
	return args
}

func (p adviceQuestion) busy() float64 { return p.rate * p.mean }

// draw returns n tasks. The factors multiply the load and the service times.
func (p adviceQuestion) draw(
	t testing.TB, n int, seed uint64, load, service float64,
) (due, took []int64) {
	a, w := arrivals.MustParse(p.arrival), workloads.MustParse(p.workload)
	next, err := a.Spec.Open(p.rate*load, seed, a.Values)
	if err != nil {
		t.Fatal(err)
	}
	work, err := w.Spec.Build(seed, w.Values)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		due = append(due, int64(next()))
		took = append(took, int64(service*float64(work.(workloads.Timed).Time(uint64(i)))))
	}
	return due, took
}

// ends is a heap of the times at which slots become free.
type ends []int64

func (e ends) Len() int           { return len(e) }
func (e ends) Less(i, j int) bool { return e[i] < e[j] }
func (e ends) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *ends) Push(v any)        { *e = append(*e, v.(int64)) }
func (e *ends) Pop() any          { panic("slots stay") }

// course simulates a FIFO queue with slots, a rate limit of starts, and a target that refuses calls
// above its own rate.
type course struct {
	due, took    []int64
	limit        int
	pace, target limiter
}

func (p course) run() (waits, responses []int64, refused float64) {
	free := make(ends, p.limit)
	var last, tick int64
	full := 0.0 // when the bucket of the rate limit is full again
	served := 0.0
	n := len(p.due)
	for i, due := range p.due {
		at, delay := max(due, free[0], last), int64(0)
		switch every := 1e9 / p.pace.rate; {
		case p.pace.rate == 0:
		case p.pace.burst == 0:
			if now := at / int64(every); now > tick {
				tick = now
			} else {
				tick++
				at = tick * int64(every)
			}
		default:
			begin := max(float64(at), full-float64(p.pace.burst-1)*every)
			full = max(begin, full) + every
			at = int64(math.Ceil(begin))
		}
		last = at
		if p.target.rate > 0 {
			every := 1e9 / p.target.rate
			// Rounding by a nanosecond must not refuse a task that starts at the target's rate.
			if float64(at)+2 < served-float64(p.target.burst-1)*every {
				if i >= n/20 {
					refused++
				}
				continue
			}
			served = max(float64(at), served) + every
			if p.target.delays {
				delay = max(0, int64(math.Ceil(served-every))-at)
			}
		}
		free[0] = at + delay + p.took[i]
		heap.Fix(&free, 0)
		if i >= n/20 {
			waits = append(waits, at-due)
			responses = append(responses, at+delay+p.took[i]-due)
		}
	}
	return waits, responses, refused / float64(n-n/20)
}

func (p course) metric(unit string) (v, refused float64) {
	waits, responses, refused := p.run()
	name, of, _ := strings.Cut(unit, "-")
	values := responses
	if of == "wait" {
		values = waits
	}
	if name == "mean" {
		for _, w := range values {
			v += float64(w) / float64(len(values)) / 1e9
		}
		return v, refused
	}
	slices.Sort(values)
	percent, _ := strconv.ParseFloat(name[1:], 64)
	return float64(values[int(math.Ceil(percent/100*float64(len(values))))-1]) / 1e9, refused
}

// oracle computes the true answer from two independent plans. A statement is true only if both
// plans agree.
type oracle struct {
	adviceQuestion
	t     testing.TB
	tasks int
	base  [2]course // the two plans, without a limit
}

func (j *oracle) each(limit int, pace limiter, load, service float64) (v [2]float64, lost float64) {
	for i, c := range j.base {
		if c.due == nil || load != 1 || service != 1 {
			c.due, c.took = j.draw(j.t, j.tasks, 1000+j.seed*7+uint64(i), load, service)
		}
		if load == 1 && service == 1 {
			j.base[i] = c
		}
		c.limit, c.pace, c.target = limit, pace, j.target
		one, refused := c.metric(j.unit)
		v[i], lost = one, max(lost, refused)
	}
	return v, lost
}

func (j *oracle) surely(met bool, limit int, pace limiter, load float64) bool {
	if j.busy()*load >= float64(limit) || pace.rate > 0 && j.rate*load >= pace.rate {
		return !met
	}
	values, lost := j.each(limit, pace, load, 1)
	for _, v := range values {
		if (v < j.bound && lost == 0) != met {
			return false
		}
	}
	return true
}

func randomQuestion(t testing.TB, i int) adviceQuestion {
	r := rand.New(rand.NewPCG(uint64(i), 28))
	mean := math.Round(5+45*r.Float64()) / 1000
	of := time.Duration(mean * 1e9)
	law := []string{"constant:mean=%v", "exponential:mean=%v", "hyperexp:mean=%v,c2=4",
		"hyperexp:mean=%v,c2=16", "lognormal:mean=%v,c2=4",
		"bounded_pareto:low=%v"}[r.IntN(6)]
	if strings.HasPrefix(law, "bounded") {
		of /= 5
	}
	p := adviceQuestion{workload: fmt.Sprintf(law, of), seed: uint64(1 + r.IntN(1000))}
	w := workloads.MustParse(p.workload)
	work, err := w.Spec.Build(1, w.Values)
	if err != nil {
		t.Fatal(err)
	}
	mean = work.Mean().Seconds()
	p.mean = mean
	busy := math.Exp(math.Log(0.4) + r.Float64()*math.Log(16/0.4))
	if r.IntN(4) == 0 { // close to a whole number of slots
		busy = float64(1+r.IntN(9)) * (0.9 + 0.1*r.Float64())
	}
	p.rate = math.Round(100*busy/mean) / 100
	p.arrival = []string{"poisson", "poisson", "poisson", "constant", "onoff",
		"mmpp"}[r.IntN(6)]
	p.unit = []string{"p99-response", "p99-response", "p99-response", "p90-response",
		"p50-response", "mean-response", "mean-wait", "p99-wait"}[r.IntN(8)]
	p.budget = []time.Duration{time.Second, time.Second, 2 * time.Second, 5 * time.Second,
		0}[r.IntN(5)]
	if r.IntN(5) == 0 {
		p.arrival = "poisson"
		p.target = limiter{rate: math.Ceil(p.rate * (0.95 + 0.6*r.Float64())),
			burst: 1 + r.IntN(20)}
		if p.budget == 0 {
			p.budget = 5 * time.Second
		}
	}
	// a bound between the values of two neighbouring limits, or any bound
	due, took := p.draw(t, 100_000, 77, 1, 1)
	limit := 1 + int(p.busy()) + r.IntN(3)
	above, _ := course{due: due, took: took, limit: limit}.metric(p.unit)
	below, _ := course{due: due, took: took, limit: limit + 1}.metric(p.unit)
	p.bound = below + (above-below)*(0.1+0.8*r.Float64())
	if r.IntN(3) == 0 {
		p.bound = mean * math.Exp(r.Float64()*math.Log(60))
	}
	p.bound = math.Max(math.Round(p.bound*1e5)/1e5, 1e-5)
	return p
}

// Answers to random questions are compared with a simulation with other seeds. With -sweep there
// are 200 questions of a million tasks each.
func TestAdviceTruth(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	questions, tasks, briefly := 4, 200_000, true
	if *sweep {
		questions, tasks, briefly = 200, 1_000_000, false
	}
	counts := map[string]int{}
	for i := range questions {
		p := randomQuestion(t, i)
		if briefly {
			p.budget = time.Second
		}
		j := &oracle{adviceQuestion: p, t: t, tasks: tasks}
		for _, complaint := range j.checkAnswer(counts) {
			t.Errorf("question %d, poolbench %s: %s", i, strings.Join(p.args(), " "), complaint)
		}
	}
	t.Logf("%d questions: %v", questions, counts)
	if n := counts["promises"]; n >= 50 && counts["hold"]*100 < 92*n {
		t.Errorf("the promise holds in %d of %d", counts["hold"], n)
	}
}

func (j *oracle) checkAnswer(counts map[string]int) (wrong []string) {
	complain := func(format string, a ...any) { wrong = append(wrong, fmt.Sprintf(format, a...)) }
	o := clitest.Command(j.t, append(j.args(), "--format", "json", "--quiet")...)
	var d page.AdviceDocument
	if err := json.Unmarshal([]byte(o.Stdout), &d); err != nil {
		return []string{o.Stderr}
	}
	counts[d.Verdict]++
	best := d.Recommendation
	pace, known := paceOfAdvice(best)
	if !known {
		counts["other strategies"]++
		j.t.Logf("%s: %s", best.Strategy, strings.Join(j.args(), " "))
		return nil
	}
	j.numbers(d, complain)
	j.stresses(best, pace, complain)
	if d.Verdict == "nothing_meets" {
		for limit := 1 + int(j.busy()); limit < 4*(2+int(j.busy())); limit++ {
			if j.target.rate == 0 && j.surely(true, limit, limiter{}, 1) {
				complain("a limit of %d meets it", limit)
				break
			}
		}
		return wrong
	}
	if best.Low != nil {
		values, _ := j.each(best.Limit, pace, 1, 1)
		counts["promises"]++
		if *best.Low <= max(values[0], values[1]) && min(values[0], values[1]) <= *best.High {
			counts["hold"]++
		} else {
			counts["off"]++
			j.t.Logf("promise %.4g to %.4g, brute force %.4g: %s", *best.Low, *best.High, values,
				strings.Join(j.args(), " "))
		}
	}
	if d.Verdict != "meets" {
		return wrong
	}
	if j.target.rate == 0 && best.Strategy != "semaphore" {
		complain("%s, and semaphore does the same", best.Strategy)
	}
	if j.surely(false, best.Limit, pace, 1) {
		complain("%s with a limit of %d does not meet it", best.Strategy, best.Limit)
	}
	less := best.Limit - 1
	if d.Below != nil && d.Below.Verdict == "undecided" {
		counts["two limits named"]++
		less--
	}
	if less >= 1 && j.surely(true, less, pace, 1) {
		complain("limit %d, and a limit of %d meets it", best.Limit, less)
	}
	if k := best.HoldsUpTo; k != nil && *k > 1.05 && *k < 8 &&
		j.surely(false, best.Limit, pace, *k/1.05) {
		complain("holds up to %v times the load, and at %v it does not", *k, *k/1.05)
	}
	return wrong
}

// paceOfAdvice returns the rate limit of an option. known is false if the simulation does not
// support the strategy.
func paceOfAdvice(o page.AdviceOption) (l limiter, known bool) {
	name, values, _ := strings.Cut(o.Strategy, ":")
	if name == "semaphore" {
		return l, true
	}
	for value := range strings.SplitSeq(values, ",") {
		key, text, _ := strings.Cut(value, "=")
		switch v, _ := strconv.ParseFloat(text, 64); key {
		case "rate":
			l.rate = v
		case "burst":
			l.burst = int(v)
		}
	}
	return l, l.rate > 0 && (name == "token_bucket" || name == "ticker_limited")
}

// An option must have no number if the load reaches the capacity of its slots or its rate limit.
func (j *oracle) numbers(d page.AdviceDocument, complain func(string, ...any)) {
	for _, o := range append([]*page.AdviceOption{&d.Recommendation, d.Below, d.Above},
		pointers(d.RunnersUp)...) {
		if o == nil {
			continue
		}
		over := j.busy() >= float64(o.Limit) || o.Rate != nil && j.rate >= *o.Rate ||
			j.target.rate > 0 && j.rate >= j.target.rate
		told := o.Low != nil || o.Value != nil || o.High != nil || o.HoldsUpTo != nil
		if over && (told || o.Verdict != page.Unstable) {
			complain("%s with a limit of %d: %v busy, and %s", o.Strategy, o.Limit, j.busy(),
				o.Verdict)
		}
		if o.Verdict == page.Unstable && told {
			complain("%s with a limit of %d is unstable and has a number", o.Strategy, o.Limit)
		}
	}
}

func pointers(options []page.AdviceOption) (all []*page.AdviceOption) {
	for i := range options {
		all = append(all, &options[i])
	}
	return all
}

// Values under stress must never be better than the option's values, must be missing under
// overload, and must agree with the simulation if it supports the strategy.
func (j *oracle) stresses(o page.AdviceOption, pace limiter, complain func(string, ...any)) {
	for _, s := range o.Stresses {
		kind, by, _ := strings.Cut(s.Name, " x")
		times, err := strconv.ParseFloat(by, 64)
		load, service := 1.0, 1.0
		switch {
		case err == nil && kind == "load":
			load = times
		case err == nil && kind == "service":
			service = times
		default:
			err = fmt.Errorf("another")
		}
		over := j.busy()*load*service >= float64(o.Limit) ||
			pace.rate > 0 && j.rate*load >= pace.rate ||
			j.target.rate > 0 && j.rate*load >= j.target.rate
		if over && (s.Value != nil || s.Verdict != page.Unstable) {
			complain("%s: %s, with %v busy of %d", s.Name, s.Verdict, j.busy()*times, o.Limit)
		}
		if s.Value == nil || o.Value == nil {
			continue
		}
		if *s.Value < *o.Value {
			complain("%s: %v, without it %v", s.Name, *s.Value, *o.Value)
		}
		if err == nil && service >= 1 && j.target.rate == 0 {
			values, _ := j.each(o.Limit, pace, load, service)
			low, high := min(values[0], values[1]), max(values[0], values[1])
			if high < 1.1*low && (*s.Value < low/1.25 || *s.Value > high*1.25) {
				complain("%s: %v, and by brute force %v", s.Name, *s.Value, values)
			}
		}
	}
}
