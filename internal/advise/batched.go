package advise

import (
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/statistics/recursion"
	"github.com/poolbench/poolbench/internal/validity"
)

// A batched reading is the result of the recursion by batches of tasks.
type batched struct {
	wait, service [][]int64            // by batch, of tasks that were not shed
	value         map[string][]float64 // other metrics by batch
	spans         map[string]*span     // requested times: response, wait and service
	ahead         float64              // variance of a promise over that of a mean
	inRow         bool                 // each batch continues the previous one
	longest       int                  // longest queue of all batches
	// the reading with stretches as busy as they may become. nil: no busier ones may come
	next func() *batched
}

type span struct {
	batches [][]int64
	all     *statistics.Ranking
	n       int // of all
}

// grows reports whether the mean wait grew throughout a plan of steady traffic.
func (b *batched) grows() bool {
	means := b.value[metric.MeanWait]
	return b.inRow && len(means) == batches && validity.Grows([batches]float64(means))
}

// tells reports whether the recursion computes the metric.
func tells(unit string) bool {
	if _, _, ok := quantile(unit); ok {
		return true
	}
	return slices.Contains([]string{metric.MeanResponse, metric.MeanWait, metric.MeanService,
		metric.MaxResponse, metric.MaxWait, metric.MaxService, metric.Shed, metric.Throttled,
		metric.Failed, metric.Abandoned, metric.Makespan}, unit)
}

// quantile parses p99-response-sec.
func quantile(unit string) (p float64, of string, ok bool) {
	name, rest, _ := strings.Cut(unit, "-")
	of, ok = strings.CutSuffix(rest, "-sec")
	percent, err := strconv.ParseFloat(strings.TrimPrefix(name, "p"), 64)
	ok = ok && err == nil && name[0] == 'p' &&
		slices.Contains([]string{metric.Response, metric.Wait, metric.Service}, of)
	return percent / 100, of, ok
}

// figure returns the figure. Its interval extends to the value with stretches as busy as they may
// become.
func (b *batched) figure(unit string) Figure {
	f := b.seen(unit)
	if b.next != nil && f.Known() {
		if to := b.next().seen(unit).Mid; to > f.High { // false for NaN
			f.High = to
		}
	}
	return f
}

// seen returns the figure from these batches alone.
func (b *batched) seen(unit string) Figure {
	if p, of, ok := quantile(unit); ok {
		return b.quantile(p, b.times(of))
	}
	values := b.value[unit]
	if metric.IsMax(unit) && len(values) > 0 {
		return Figure{slices.Min(values), slices.Max(values), slices.Max(values)}
	}
	return spread(values, b.variance(values))
}

// variance returns the variance of a promise relative to that of the mean of independent batches.
// Consecutive batches are correlated by lasting queues.
func (b *batched) variance(values []float64) float64 {
	if !b.inRow {
		return b.ahead
	}
	r := correlation(values)
	return b.ahead * (1 + r) / (1 - r)
}

// quantile returns the quantile of all batches together. Its interval is that of the share of tasks
// beyond it, on a logarithmic scale to keep it in (0, 1). Such tasks come in bunches within one
// batch, so the batches' shares are nearly independent. Few bunches may look alike by chance, so
// the shares beyond the quantile of five times the tail, with more bunches, count too. The upper
// end is at least that of an exponential tail: the worst bunch of the next stretch may be longer
// than any in this one.
func (b *batched) quantile(p float64, times *span) Figure {
	n := times.n
	if n == 0 || float64(n)*math.Log(p) > math.Log(0.025) {
		return unknown
	}
	tail := 1 - p
	rank := times.all.At
	at := func(tail float64) float64 { return float64(rank(1-min(tail, 1))) / 1e9 }
	low := at(min(10*tail, 0.5)) // first: usually all others are beyond it
	half := max(b.relative(times, rank(p)),
		rarer*b.relative(times, rank(1-min(bunches*tail, 0.5))))
	if b.ahead > 1 { // a future stretch differs more than seeds do
		half *= unlike
	}
	mid := float64(rank(p)) / 1e9
	slope := (mid - low) / math.Log(10)
	return Figure{at(tail * math.Exp(half)), mid,
		max(at(tail/math.Exp(half)), mid+slope*half)}
}

const (
	bunches = 5 // five times the tail has more bunches
	// measured: with 1, promises from half a plan held in at most 18 of 20 cases
	unlike = 1.4
	rarer  = 1.5 // measured variation of shares at five times the tail. Single tasks: 2.2
)

// relative returns the half-width of the interval of the share of tasks from a time on, relative to
// the share.
func (b *batched) relative(times *span, from int64) float64 {
	shares := make([]float64, 0, len(times.batches))
	for _, batch := range times.batches {
		beyond := 0
		for _, v := range batch {
			if v >= from {
				beyond++
			}
		}
		if len(batch) > 0 {
			shares = append(shares, float64(beyond)/float64(len(batch)))
		}
	}
	mean, half := halfWidth(shares, b.variance(shares))
	return half / mean
}

// perBatch returns the metric of each batch separately, as a run reports it.
func (b *batched) perBatch(unit string) (values []float64) {
	p, of, ok := quantile(unit)
	if !ok {
		return b.value[unit]
	}
	for _, batch := range b.times(of).batches {
		values = append(values,
			float64(statistics.NearestRanks(nil, slices.Clone(batch), p)[0])/1e9)
	}
	return values
}

// sheds simulates a pool only for the share of shed tasks.
func (t *traffic) sheds(limit, queue int) *batched {
	b := t.empty()
	var pool recursion.Pool
	for _, s := range t.samples {
		pool.Run(s.due, s.service, max(1, min(limit, len(s.due))), queue)
		for from, to := range t.parts(len(s.due)) {
			n := 0
			for _, response := range pool.Responses()[from:to] {
				if response == shed {
					n++
				}
			}
			b.note(metric.Shed, float64(n)/float64(to-from))
		}
	}
	return b
}

func (t *traffic) empty() *batched {
	b := &batched{spans: map[string]*span{}, value: map[string][]float64{}, ahead: 1,
		inRow: t.blocks > 1 && !t.recorded}
	if t.recorded {
		b.ahead = 2
	}
	return b
}

func (t *traffic) parts(n int) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		first := t.first(n)
		for j := range t.blocks {
			from, to := first+j*(n-first)/t.blocks, first+(j+1)*(n-first)/t.blocks
			if from < to && !yield(from, to) {
				return
			}
		}
	}
}

func (t *traffic) through(l line) *batched {
	b := t.empty()
	for _, s := range t.samples {
		wait, held := l.serve(s)
		if l.load == 1 && l.service == 1 { // unused otherwise
			b.longest = max(b.longest, longest(s.due, wait))
		}
		var end int64
		for i, w := range wait {
			if w >= 0 {
				end = max(end, s.due[i]+w+held[i])
			}
		}
		if len(s.due) > 0 {
			b.note(metric.Makespan, float64(end-s.due[0])/1e9)
		}
		for from, to := range t.parts(len(wait)) {
			b.add(wait[from:to], held[from:to])
		}
	}
	if next := t.ahead(); next != nil {
		b.next = sync.OnceValue(func() *batched { return next.through(l) })
	}
	return b
}

func (b *batched) note(unit string, v float64) { b.value[unit] = append(b.value[unit], v) }

func (b *batched) add(wait, service []int64) {
	waits, services := wait, service
	lost := map[string]float64{}
	if slices.ContainsFunc(wait, func(w int64) bool { return w < 0 }) {
		waits = make([]int64, 0, len(wait))
		services = make([]int64, 0, len(wait))
		for i, w := range wait {
			switch w {
			case shed:
				lost[metric.Shed]++
			case refused:
				lost[metric.Throttled]++
			default:
				waits, services = append(waits, w), append(services, service[i])
			}
		}
	}
	for _, loss := range losses {
		b.note(loss.unit, lost[loss.unit]/float64(len(wait)))
	}
	if len(waits) == 0 {
		return
	}
	b.wait, b.service = append(b.wait, waits), append(b.service, services)
	b.noteTimes(waits, services)
}

func (b *batched) noteTimes(waits, services []int64) {
	var sums [2]float64
	var most [3]int64
	for i, w := range waits {
		sums[0] += float64(w)
		sums[1] += float64(services[i])
		most[0], most[1] = max(most[0], w), max(most[1], services[i])
		most[2] = max(most[2], w+services[i])
	}
	n := float64(len(waits)) * 1e9
	b.note(metric.MeanWait, sums[0]/n)
	b.note(metric.MeanService, sums[1]/n)
	b.note(metric.MeanResponse, (sums[0]+sums[1])/n)
	b.note(metric.MaxWait, float64(most[0])/1e9)
	b.note(metric.MaxService, float64(most[1])/1e9)
	b.note(metric.MaxResponse, float64(most[2])/1e9)
}

// times returns the times by batch. Sorting is most of the cost, so it is deferred and partial.
func (b *batched) times(of string) *span {
	if s, ok := b.spans[of]; ok {
		return s
	}
	s := &span{batches: b.wait}
	switch of {
	case metric.Service:
		s.batches = b.service
	case metric.Response:
		s.batches = make([][]int64, len(b.wait))
		for i, waits := range b.wait {
			s.batches[i] = make([]int64, len(waits))
			for j, w := range waits {
				s.batches[i][j] = w + b.service[i][j]
			}
		}
	}
	b.spans[of] = s.ranked()
	return s
}

func (s *span) ranked() *span {
	all := slices.Concat(s.batches...)
	s.all, s.n = statistics.NewRanking(all), len(all)
	return s
}
