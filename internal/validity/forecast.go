package validity

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/statistics/recursion"
	"github.com/poolbench/poolbench/targets"
)

// A Forecast simulates the plan for the length of many runs, and compares stretches of one run's
// length with the whole.
type Forecast struct {
	MeanWait float64
	Waits    float64
	length   float64 // tasks per stretch
	count    int
	mostLag  float64 // upper bound on the correlation of neighbouring stretches
	errors   map[string]errorOf
}

type errorOf struct {
	factor float64 // 95 % bound on |ln(stretch value/true value)|
	// 95 % bound on the relative error for runs longer than a stretch
	linear float64
	lag    float64 // correlation of neighbouring stretches, at least 0
	value  int64   // of the quantile
	edges  [2]edge // of the quantile's value, with the standard errors of a stretch
	levels []level // for a quantile at an atom, instead of factor and linear
}

// Error returns the relative 95 % error of a metric of a run of n tasks. With an error of 0.5 the
// measured value is between 1/1.5 and 1.5 times the true value.
func (f *Forecast) Error(unit string, n float64) (share float64, ok bool) {
	if f == nil {
		return 0, false
	}
	e, ok := f.errors[unit]
	if !ok || n <= 0 {
		return 0, false
	}
	if e.levels != nil {
		return errorAt(e.levels, n), true
	}
	factor := e.factor
	if n > f.length {
		factor = max(factor, e.linear)
	}
	return math.Expm1(factor * f.scale(e.lag, n)), true
}

func (f *Forecast) scale(lag, n float64) float64 {
	if n <= f.length {
		return math.Sqrt(f.length / n)
	}
	lag = min(lag, f.mostLag)
	return math.Sqrt(f.length / n * (1 + lag) / (1 - lag))
}

// TasksFor returns the number of tasks for a relative 95 % error share of a metric. ok is false if
// the forecast does not determine it.
func (f *Forecast) TasksFor(unit string, share float64) (n float64, ok bool) {
	if e := f.errors[unit]; e.levels != nil {
		return f.tasksWithin(e.levels, share)
	}
	long := 100 * f.length
	e, ok := f.Error(unit, long)
	return long * e * e / (share * share), ok
}

// edgesFor returns the edges of a quantile whose value in a run of n tasks is v. If it is not the
// plan's value, the nearer edge of the plan's value lies between them.
func (f *Forecast) edgesFor(quantile metric.Quantile, v int64, n float64) (edges [2]edge, ok bool) {
	if f == nil {
		return edges, false
	}
	e, ok := f.errors[quantile.Unit(metric.Response)]
	edges = e.edges
	for i := range edges {
		edges[i].se *= f.scale(edges[i].lag, n)
	}
	switch {
	case v < e.value:
		edges[1] = edges[0]
	case v > e.value:
		edges[0] = edges[1]
	}
	return edges, ok && max(edges[0].se, edges[1].se) > 0
}

// Sizes of a forecast, in tasks unless noted. Simulating a task takes about 0.1 µs.
const (
	stretchesOfForecast = 100
	minOfForecast       = 25     // fewest stretches, used if they are long
	stretchLeast        = 10_000 // shortest stretch if the run is longer
	stretchMemories     = 20     // shortest stretch, in relaxation times
	forecastMemories    = 200    // shortest simulation, in relaxation times
	maxForecast         = 2_000_000
	forecastSeed        = 0x666f7265_63617374
)

type forecastPlan struct {
	arrival      string
	rate         float64
	law          string
	limit, queue int     // limit 0 means unlimited
	offered      float64 // mean number of tasks in service without a limit
	pace         recursion.Pace
	target       string
	pools        [2]int // slots for short and for long tasks; 0 means one common pool
	classes      bool
	long         bool // the stretch is at least stretchMemories relaxation times long
	stretch      int
	total        int
}

var (
	forecasts     = map[forecastPlan]func() *Forecast{}
	forecastsLock sync.Mutex
)

const maxForecasts = 2000

// ForecastOf returns nil under the real clock, and for plans that it cannot simulate. n is the
// number of measured tasks, relax the relaxation time in tasks.
func ForecastOf(o *observe.Run, n, relax float64) *Forecast {
	return forecastOf(o, n, relax, maxForecast)
}

func forecastOf(o *observe.Run, n, relax float64, most int) *Forecast {
	p, ok := planOf(o)
	if !ok || n < 1 || !(forecastMemories/4*relax <= float64(most)) {
		return nil
	}
	stretch := min(n, max(stretchLeast, stretchMemories*relax),
		float64(most)/minOfForecast)
	digits := math.Pow(10, math.Floor(math.Log10(stretch))) / 10
	p.stretch = max(int(math.Floor(stretch/digits)*digits), 1)
	p.long = stretch >= stretchMemories*relax
	p.total = int(min(max(float64(stretchesOfForecast*p.stretch), forecastMemories*relax),
		float64(most)))
	p.total -= p.total % p.stretch
	forecastsLock.Lock()
	f := forecasts[p]
	if f == nil {
		if len(forecasts) >= maxForecasts {
			clear(forecasts)
		}
		arrival, d := o.Plan.Arrival.Spec.Open, o.Dist()
		values, rate, served := o.Plan.Arrival.Values, p.rate, o.Plan.Served
		f = sync.OnceValue(func() *Forecast {
			next, err := arrival(rate, forecastSeed, values)
			if err != nil {
				return nil
			}
			return p.forecast(next, d, o.Classes(d), targets.PolicyFor(served))
		})
		forecasts[p] = f
	}
	forecastsLock.Unlock()
	return f()
}

// Strategies with another order of starts get the FIFO forecast, because their slots are equally
// busy.
func planOf(o *observe.Run) (p forecastPlan, ok bool) {
	s, spec, d := o.Plan, o.Plan.Strategy, o.Dist()
	a := s.Arrival
	if !s.Virtual || d == nil || math.IsInf(d.C2(), 1) || o.Follows || o.Recorded ||
		a.IsClosed() || a.Spec.AllAtOnce || a.Spec.Unsteady || a.Stages() != nil ||
		s.Timeout != 0 || s.Patience != nil || s.Drain != 0 || spec.Hedges || o.Mean <= 0 {
		return p, false
	}
	p = forecastPlan{arrival: a.String(), rate: s.Rate(o.Mean), law: fmt.Sprintf("%T%+v", d, d),
		limit: o.Bound(), queue: recursion.NeverFull, classes: o.Classes(d) != nil}
	if s.Target != "none" {
		if spec.Retries || targets.PolicyFor(s.Served) == nil {
			return p, false
		}
		p.target = s.Served.String()
	}
	p.offered = p.rate * o.Mean.Seconds()
	if spec.Sheds {
		if spec.Capacity == nil || !spec.FIFO || p.target != "" || spec.ClassPools != nil {
			return p, false
		}
		p.queue = spec.Capacity(s.Params) - o.Bound()
	}
	if spec.Starts != nil {
		starts := spec.Starts(s.Params)
		if starts.Several || starts.PerSecond <= 0 {
			return p, false
		}
		p.pace = recursion.Pace{Every: float64(time.Second) / starts.PerSecond, Kept: starts.Kept}
	}
	if spec.ClassPools != nil && p.classes {
		for i, class := range observe.BothClasses {
			p.pools[i] = o.SlotsOf(class)
		}
		if p.pools[0] == 0 || p.pools[1] == 0 {
			return p, false
		}
	}
	return p, true
}

func (p forecastPlan) forecast(
	next func() time.Duration, d dist.Dist, classes []dist.Branch, policy targets.Policy,
) *Forecast {
	warm := p.total / 20
	n := warm + p.total
	times := make([]int64, 2*n)
	due, service := times[:n], times[n:]
	var long []bool
	if p.classes {
		long = make([]bool, n)
	}
	r := rand.New(rand.NewPCG(forecastSeed, 0))
	for i := range n {
		due[i] = int64(next())
		from := d
		if p.classes {
			long[i] = r.Float64() >= classes[0].P
			from = classes[0].Dist
			if long[i] {
				from = classes[1].Dist
			}
		}
		service[i] = int64(from.Sample(r))
	}
	responses, held := p.responses(due, service, long, policy)
	f := &Forecast{length: float64(p.stretch), count: p.total / p.stretch, mostLag: 1,
		errors: map[string]errorOf{}}
	if p.long {
		// Means of stretches of m relaxation times have a correlation of 1/(2m). A larger estimate
		// than 1/m is sampling error.
		f.mostLag = 1. / stretchMemories
	}
	responses, held = responses[warm:], held[warm:]
	if long != nil {
		long = long[warm:]
		for i, class := range observe.BothClasses {
			f.addTimes(class.String()+"-", metric.Response, p.stretch, responses,
				func(j int) (int64, bool) {
					return responses[j], responses[j] >= 0 && long[j] == (i == 1)
				})
		}
	}
	f.addTimes("", metric.Response, p.stretch, responses, func(j int) (int64, bool) {
		return responses[j], responses[j] >= 0
	})
	f.MeanWait = f.addTimes("", metric.Wait, p.stretch, responses, func(j int) (int64, bool) {
		waits := responses[j] - held[j]
		if waits > 0 {
			f.Waits += 1 / float64(len(responses))
		}
		return waits, responses[j] >= 0
	})
	f.addService(service[warm:])
	return f
}

// responses returns for each task the response, negative if it was rejected, and the time for which
// it held its slot, in ns.
func (p forecastPlan) responses(
	due, service []int64, long []bool, policy targets.Policy,
) (responses, held []int64) {
	switch {
	case p.pools[0] > 0:
		responses = make([]int64, len(due))
		pools := [2]*recursion.Slots{recursion.NewSlots(p.pools[0]),
			recursion.NewSlots(p.pools[1])}
		for i, at := range due {
			pool := pools[0]
			if long[i] {
				pool = pools[1]
			}
			responses[i] = pool.Start(at, service[i]) + service[i] - at
		}
		return responses, service
	case p.limit == 0 && p.pace.Every == 0 && p.target == "":
		return service, service
	}
	pool := recursion.Pool{Pace: p.pace}
	if policy != nil {
		pool.Gate = func(at int64) (wait int64, admitted bool) {
			d := policy.Admit(time.Duration(at))
			return int64(d.Wait), d.Admitted
		}
	}
	limit := p.limit
	if limit == 0 { // practically unlimited
		limit = 64 + int(8*p.offered)
	}
	pool.Run(due, service, min(limit, len(due)), p.queue)
	return pool.Responses(), pool.Occupied()
}

func (f *Forecast) addTimes(
	class, of string, stretch int, all []int64, value func(int) (int64, bool),
) float64 {
	unit := func(statistic string) string { return class + metric.StatisticOf(statistic, of) }
	var shares []float64
	for _, q := range metric.Quantiles {
		shares = append(shares, q.P)
	}
	values := make([]int64, 0, len(all))
	parts := make([][]float64, 1+len(shares)) // mean first, then the quantiles
	begin, sum, total := 0, 0.0, 0.0
	for i := range all {
		if v, counts := value(i); counts {
			values = append(values, v)
			sum += float64(v)
		}
		if (i+1)%stretch > 0 {
			continue
		}
		if part := values[begin:]; len(part) > 0 {
			parts[0] = append(parts[0], sum/float64(len(part)))
			for q, v := range statistics.NearestRanks(nil, part, shares...) {
				if statistics.Resolvable(shares[q], len(part)) {
					parts[1+q] = append(parts[1+q], float64(v))
				}
			}
		}
		total += sum
		begin, sum = len(values), 0
	}
	if len(values) == 0 {
		return 0
	}
	mean := total / float64(len(values))
	f.add(unit(metric.Mean), mean, parts[0])
	whole := statistics.NewRanking(slices.Clone(values))
	for q, p := range shares {
		v := whole.At(p)
		name := unit(metric.Quantiles[q].Name)
		if f.add(name, float64(v), parts[1+q]); len(parts[1+q]) < 2 || v == 0 {
			continue
		}
		e := f.errors[name]
		e.value, e.edges = v, edgesOf(v, values, f.count, planned)
		e.lag, e.levels = e.edges[1].lag, f.levels(v, p, values)
		const around = 1.5
		low, high := whole.At(1-(1-p)*around), whole.At(1-(1-p)/around)
		if low > 0 {
			slope := math.Log(float64(high)/float64(low)) / (2 * math.Log(around) * (1 - p))
			e.linear = z95 * max(e.edges[0].se, e.edges[1].se) * slope
		}
		f.errors[name] = e
	}
	return mean / observe.Second
}

func (f *Forecast) addService(service []int64) {
	sorted := slices.Clone(service)
	slices.Sort(sorted)
	mean, square, n := 0.0, 0.0, float64(len(sorted))
	for _, v := range sorted {
		mean += float64(v) / n
	}
	if mean == 0 {
		return
	}
	for _, v := range sorted {
		square += (float64(v) - mean) * (float64(v) - mean) / n
	}
	f.errors[metric.MeanService] = errorOf{factor: z95 * math.Sqrt(square/f.length) / mean}
	for _, q := range metric.Quantiles {
		half := z95 * math.Sqrt(q.P*(1-q.P)/f.length)
		at := func(p float64) float64 {
			return float64(sorted[statistics.Rank(len(sorted), min(max(p, 0), 1))-1])
		}
		if v := at(q.P); v > 0 {
			f.errors[q.Unit(metric.Service)] = errorOf{
				factor: math.Log(max(at(q.P+half)/v, v/max(at(q.P-half), 1))),
				levels: f.levels(int64(v), q.P, service)}
		}
	}
}

func (f *Forecast) add(unit string, whole float64, parts []float64) {
	if whole <= 0 || len(parts) < 2 {
		return
	}
	off := make([]float64, len(parts))
	for i, v := range parts {
		off[i] = -1 // the stretch has no value, for example no waits
		if v > 0 {
			off[i] = math.Log(v / whole)
		}
	}
	var e errorOf
	e.factor, _ = spreadOf(off, 0)
	e.linear, e.lag = spreadOf(parts, whole)
	e.factor, e.linear = z95*e.factor, z95*e.linear/whole
	f.errors[unit] = e
}

func spreadOf(values []float64, expected float64) (spread, lag float64) {
	square, product, before := 0.0, 0.0, 0.0
	for _, v := range values {
		off := v - expected
		square += off * off
		product += off * before
		before = off
	}
	if square > 0 {
		lag = min(max(product/square, 0), 0.9)
	}
	return math.Sqrt(square / float64(len(values))), lag
}
