package page

import (
	"bytes"
	"cmp"
	"container/heap"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
)

// The sample is a run directory written by a small FIFO simulation with the strategy's number of
// servers.

const sampleMean = 0.010

// Three of these strategies behave identically.
var sampleStrategies = []string{"bounded_queue_shed", "errgroup_limit", "semaphore", "serial",
	"unbounded", "worker_pool"}

type sampleScenario struct {
	workload, arrival string
	c2                float64
	limit             int
	load              float64 // 0 means a batch
	clock             string
	n, reps           int
}

type sampleRun struct {
	results, timeline, hlog bytes.Buffer
	rows                    *csv.Writer
	log                     *hdrhistogram.HistogramLogWriter
	runs                    int
}

func writeSample(t testing.TB, scenarios []sampleScenario) (dir string) {
	t.Helper()
	return resultstest.Files(t, sampleFiles(scenarios))
}

func sampleFiles(scenarios []sampleScenario) map[string][]byte {
	s := &sampleRun{}
	s.rows = csv.NewWriter(&s.timeline)
	s.log = hdrhistogram.NewHistogramLogWriter(&s.hlog)
	s.header()
	for _, sc := range scenarios {
		for rep := range sc.reps {
			for _, strategy := range sampleStrategies {
				s.run(sc, strategy, rep)
			}
		}
	}
	fmt.Fprintf(&s.results, "# complete %d runs\n", s.runs)
	s.rows.Flush()
	return map[string][]byte{rundir.ResultsFile: s.results.Bytes(),
		rundir.DistributionsFile: s.hlog.Bytes(), rundir.TimelineFile: s.timeline.Bytes()}
}

func (s *sampleRun) header() {
	fmt.Fprintf(&s.results, `# poolbench results 1
# strategies %s
Unit ops/s better=higher
Unit p99-response-sec better=lower
goos: linux
goarch: amd64
cpu: AMD EPYC 7B13 <shared>
gomaxprocs: 2
go: go1.26.8
commit: 0a1b2c3
`, strings.Join(sampleStrategies, " "))
	if err := s.log.OutputLogFormatVersion(); err != nil {
		panic(err)
	}
	s.rows.Write([]string{"run", "repetition", "start-sec", "interval-sec", "arrived", "started",
		"completed", "failed", "throttled", "shed", "abandoned", "in-flight", "queued"})
}

type job struct{ due, start, end, service float64 }

func (s *sampleRun) run(sc sampleScenario, strategy string, rep int) {
	jobs, shed, servers := simulate(sc, strategy, rep)
	where := fmt.Sprintf("/limit=%d", sc.limit)
	if sc.load > 0 {
		where += "/load=" + strconv.FormatFloat(sc.load, 'g', -1, 64)
	}
	name := fmt.Sprintf("Run/strategy=%s/workload=%s/target=none/arrival=%s%s/clock=%s", strategy,
		sc.workload, sc.arrival, where, sc.clock)
	var response, wait, service []float64
	end, busy := 0.0, 0.0
	for _, j := range jobs {
		response, wait, service = append(response, j.end-j.due), append(wait, j.start-j.due),
			append(service, j.service)
		end, busy = max(end, j.end), busy+j.service
	}
	n := float64(len(jobs) + shed)
	var line strings.Builder
	put := func(v float64, unit string) { fmt.Fprintf(&line, " %v %s", v, unit) }
	put(end/n*1e9, "ns/op")
	put(float64(len(jobs))/end, "ops/s")
	put(float64(len(jobs))/end, "goodput-ops/s")
	if sc.load > 0 {
		put(n/jobs[len(jobs)-1].due, "offered-ops/s")
	}
	for _, r := range []struct {
		name   string
		values []float64
	}{{"response", response}, {"wait", wait}, {"service", service}} {
		slices.Sort(r.values)
		sum := 0.0
		for _, v := range r.values {
			sum += v
		}
		put(sum/float64(len(r.values)), "mean-"+r.name+"-sec")
		for _, q := range []float64{0.5, 0.9, 0.99, 0.999} {
			if float64(len(r.values))*(1-q) >= resolvable {
				put(r.values[int(math.Ceil(q*float64(len(r.values))))-1],
					"p"+strconv.FormatFloat(100*q, 'g', 4, 64)+"-"+r.name+"-sec")
			}
		}
	}
	waited := 0.0
	for _, w := range wait {
		if w > 1e-12 {
			waited++
		}
	}
	mean := busy / float64(len(jobs))
	square := 0.0
	for _, v := range service {
		square += (v - mean) * (v - mean)
	}
	put(square/float64(len(jobs))/mean/mean, "service-c2")
	put(sc.c2, "workload-c2")
	put(waited/float64(len(jobs)), "waited/op")
	put(float64(shed)/n, "shed/op")
	put(0, "failed/op")
	put(busy/end/float64(sc.limit), "utilisation")
	put(end, "makespan-sec")
	put(0, "broken-laws")
	if sc.clock == "virtual" && strategy != "bounded_queue_shed" {
		put(0, "oracle-max-diff-sec")
	}
	if sc.clock == "real" {
		put(80e-6*(1+sc.load), "p99-lag-sec")
		put(2e-6, "cpu-sec/op")
		put(48, "B/op")
		put(1, "allocs/op")
	}
	if sc.c2 == 1 && sc.load > 0 && (strategy == "worker_pool" || strategy == "semaphore" ||
		strategy == "errgroup_limit") {
		q, w := erlang(servers, sc.load)
		put(w*sampleMean, "theory-mean-wait-sec")
		for _, p := range []float64{0.5, 0.9, 0.99, 0.999} {
			put(q(p)*sampleMean, "theory-p"+strconv.FormatFloat(100*p, 'g', 4, 64)+"-response-sec")
		}
	}
	fmt.Fprintf(&s.results, "Benchmark%s %d%s\n", name, len(jobs), line.String())
	s.runs++
	s.histogram(name, rep, response)
	s.intervals(name, rep, jobs, end)
}

func (s *sampleRun) histogram(name string, rep int, response []float64) {
	h := hdrhistogram.New(1, 3600e9, 3)
	for _, v := range response {
		if err := h.RecordValue(int64(math.Round(v * 1e9))); err != nil {
			panic(err)
		}
	}
	h.SetTag(strings.ReplaceAll(name, ",", ";") + "#" + strconv.Itoa(rep) + ":response")
	if err := s.log.OutputIntervalHistogram(h); err != nil {
		panic(err)
	}
}

func (s *sampleRun) intervals(name string, rep int, jobs []job, end float64) {
	var due, started, ended []float64
	for _, j := range jobs {
		due, started, ended = append(due, j.due), append(started, j.start), append(ended, j.end)
	}
	slices.Sort(ended) // the other times are sorted already
	before := func(times []float64, at float64) int {
		return sort.SearchFloat64s(times, math.Nextafter(at, math.Inf(1)))
	}
	const n = 60
	step := end / n
	for i := range n {
		at := step * float64(i+1)
		flight, queued := before(started, at)-before(ended, at), before(due, at)-before(started, at)
		row := []string{name, strconv.Itoa(rep), strconv.FormatFloat(at-step, 'f', 6, 64),
			strconv.FormatFloat(step, 'f', 6, 64),
			"0", "0", "0", "0", "0", "0", "0", strconv.Itoa(flight), strconv.Itoa(queued)}
		s.rows.Write(row)
	}
}

// floats is a heap of the times at which servers become free.
type floats []float64

func (f floats) Len() int           { return len(f) }
func (f floats) Less(i, j int) bool { return f[i] < f[j] }
func (f floats) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *floats) Push(x any)        { *f = append(*f, x.(float64)) }
func (f *floats) Pop() any {
	x := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return x
}

func simulate(sc sampleScenario, strategy string, rep int) (jobs []job, shed, servers int) {
	r := rand.New(rand.NewPCG(uint64(rep), 7)) // equal work for every strategy
	servers, queue := sc.limit, math.MaxInt
	switch strategy {
	case "serial":
		servers = 1
	case "unbounded":
		servers = sc.n
	case "bounded_queue_shed":
		queue = 16
	}
	free := make(floats, servers)
	heap.Init(&free)
	due := 0.0
	begun := 0 // number of started jobs
	for range sc.n {
		gap := r.ExpFloat64()
		if sc.load > 0 {
			due += gap * sampleMean / (sc.load * float64(sc.limit))
		}
		service := draw(r, sc.c2) * sampleMean
		if sc.clock == "real" {
			service += 0.0003
		}
		for begun < len(jobs) && jobs[begun].start <= due {
			begun++
		}
		if len(jobs)-begun >= queue && sc.load > 0 {
			shed++
			continue
		}
		start := max(due, free[0])
		free[0] = start + service
		heap.Fix(&free, 0)
		jobs = append(jobs, job{due, start, start + service, service})
	}
	return jobs, shed, servers
}

// draw returns a random service time with mean 1: constant, exponential, or hyperexponential with
// balanced branches.
func draw(r *rand.Rand, c2 float64) float64 {
	u, e := r.Float64(), r.ExpFloat64()
	switch {
	case c2 == 0:
		return 1
	case c2 == 1:
		return e
	}
	p := (1 + math.Sqrt((c2-1)/(c2+1))) / 2
	if u < p {
		return e / (2 * p)
	}
	return e / (2 * (1 - p))
}

// erlang returns the exact response quantiles and mean wait of M/M/k, in units of the mean service
// time.
func erlang(k int, load float64) (quantile func(p float64) float64, meanWait float64) {
	a, b := load*float64(k), 1.0
	for i := 1; i <= k; i++ {
		b = a * b / (float64(i) + a*b)
	}
	c := b / (1 - load*(1-b))
	theta := float64(k) * (1 - load)
	tail := func(t float64) float64 {
		if math.Abs(theta-1) < 1e-9 {
			return (1-c)*math.Exp(-t) + c*(1+t)*math.Exp(-t)
		}
		return (1-c)*math.Exp(-t) + c*(theta*math.Exp(-t)-math.Exp(-theta*t))/(theta-1)
	}
	return func(p float64) float64 {
		low, high := 0.0, 1e4
		for range 100 {
			if mid := (low + high) / 2; tail(mid) > 1-p {
				low = mid
			} else {
				high = mid
			}
		}
		return low
	}, c / theta
}

// sampleSweep returns a sweep over loads with three repetitions, several variances at one load, and
// a batch: 252 runs.
func sampleSweep() (out []sampleScenario) {
	for _, load := range []float64{0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95} {
		out = append(out, sampleScenario{"exponential:mean=10ms", "poisson", 1, 4, load,
			"virtual", 4000, 3})
	}
	out = append(out, sampleScenario{"constant:mean=10ms", "poisson", 0, 4, 0.8,
		"virtual", 4000, 3})
	for _, c2 := range []float64{4, 16, 64} {
		out = append(out, sampleScenario{fmt.Sprintf("hyperexp:mean=10ms,c2=%v", c2), "poisson", c2,
			4, 0.8, "virtual", 4000, 3})
	}
	for _, limit := range []int{2, 4, 8} {
		out = append(out, sampleScenario{"exponential:mean=10ms", "batch", 1, limit, 0,
			"virtual", 400, 1})
	}
	for _, load := range []float64{0.5, 0.8} {
		for _, limit := range []int{4, 8} {
			out = append(out, sampleScenario{"lognormal:mean=10ms,sigma=1", "poisson", 2, limit,
				load, "real", 1000, 6})
		}
	}
	slices.SortStableFunc(out, func(a, b sampleScenario) int {
		return cmp.Compare(a.clock, b.clock) * -1
	})
	return out
}
