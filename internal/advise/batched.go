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

type batchReading struct {
	wait, service  [][]int64            // by batch, of tasks that were not shed
	value          map[string][]float64 // other metrics by batch
	spans          map[string]*span     // requested times: response, wait and service
	varianceFactor float64              // variance of a promise over that of a mean
	consecutive    bool                 // each batch continues the previous one
	longest        int                  // longest queue of all batches
	// of the traffic with busier stretches; nil if none are expected
	busierReading func() *batchReading
}

type span struct {
	batches [][]int64
	all     *statistics.Ranking
	n       int // of all
}

func (b *batchReading) grows() bool {
	means := b.value[metric.MeanWait]
	return b.consecutive && len(means) == batches && validity.Grows([batches]float64(means))
}

func modelsMetric(unit string) bool {
	if _, _, ok := quantile(unit); ok {
		return true
	}
	return slices.Contains([]string{metric.MeanResponse, metric.MeanWait, metric.MeanService,
		metric.MaxResponse, metric.MaxWait, metric.MaxService, metric.Shed, metric.Throttled,
		metric.Failed, metric.Abandoned, metric.Makespan}, unit)
}

func quantile(unit string) (p float64, of string, ok bool) {
	name, rest, _ := strings.Cut(unit, "-")
	of, ok = strings.CutSuffix(rest, "-sec")
	percent, err := strconv.ParseFloat(strings.TrimPrefix(name, "p"), 64)
	ok = ok && err == nil && name[0] == 'p' &&
		slices.Contains([]string{metric.Response, metric.Wait, metric.Service}, of)
	return percent / 100, of, ok
}

func (b *batchReading) figure(unit string) Figure {
	f := b.batchFigure(unit)
	if b.busierReading != nil && f.Known() {
		if to := b.busierReading().batchFigure(unit).Mid; to > f.High { // false for NaN
			f.High = to
		}
	}
	return f
}

func (b *batchReading) batchFigure(unit string) Figure {
	if p, of, ok := quantile(unit); ok {
		return b.quantile(p, b.times(of))
	}
	values := b.value[unit]
	if metric.IsMax(unit) && len(values) > 0 {
		return Figure{slices.Min(values), slices.Max(values), slices.Max(values)}
	}
	return spread(values, b.variance(values))
}

// Queues that last from one batch to the next correlate consecutive batches.
func (b *batchReading) variance(values []float64) float64 {
	if !b.consecutive {
		return b.varianceFactor
	}
	r := correlation(values)
	return b.varianceFactor * (1 + r) / (1 - r)
}

// quantile derives the interval from the share of tasks beyond the quantile, on a logarithmic
// scale, which keeps the share in (0, 1). Slow tasks come in bunches within one batch, so the
// shares of the batches are nearly independent. A few bunches may be similar by chance, so a second
// interval, for a tail five times as large, counts if it is wider. The upper end is at least the
// one of an exponential tail, because the next stretch may have a longer bunch.
func (b *batchReading) quantile(p float64, times *span) Figure {
	n := times.n
	if n == 0 || float64(n)*math.Log(p) > math.Log(0.025) {
		return unknown
	}
	tail := 1 - p
	rank := times.all.At
	at := func(tail float64) float64 { return float64(rank(1-min(tail, 1))) / 1e9 }
	low := at(min(10*tail, 0.5)) // first, because the ranking sorts what is beyond it
	half := max(b.relativeHalfWidth(times, rank(p)),
		widerTailFactor*b.relativeHalfWidth(times, rank(1-min(widerTail*tail, 0.5))))
	if b.varianceFactor > 1 { // a future stretch differs more than seeds do
		half *= recordFactor
	}
	mid := float64(rank(p)) / 1e9
	slope := (mid - low) / math.Log(10)
	return Figure{at(tail * math.Exp(half)), mid,
		max(at(tail/math.Exp(half)), mid+slope*half)}
}

const (
	widerTail = 5 // five times the tail has more bunches
	// measured: with 1, promises from half a plan held in at most 18 of 20 cases
	recordFactor    = 1.4
	widerTailFactor = 1.5 // measured variation of shares at five times the tail. Single tasks: 2.2
)

func (b *batchReading) relativeHalfWidth(times *span, from int64) float64 {
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

func (b *batchReading) perBatch(unit string) (values []float64) {
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

// simulateShedding computes only the share of shed tasks.
func (t *traffic) simulateShedding(limit, queue int) *batchReading {
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
			b.addValue(metric.Shed, float64(n)/float64(to-from))
		}
	}
	return b
}

func (t *traffic) empty() *batchReading {
	b := &batchReading{spans: map[string]*span{}, value: map[string][]float64{}, varianceFactor: 1,
		consecutive: t.blocks > 1 && !t.recorded}
	if t.recorded {
		b.varianceFactor = 2
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

func (t *traffic) simulate(l line) *batchReading {
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
			b.addValue(metric.Makespan, float64(end-s.due[0])/1e9)
		}
		for from, to := range t.parts(len(wait)) {
			b.add(wait[from:to], held[from:to])
		}
	}
	if next := t.busierTraffic(); next != nil {
		b.busierReading = sync.OnceValue(func() *batchReading { return next.simulate(l) })
	}
	return b
}

func (b *batchReading) addValue(unit string, v float64) { b.value[unit] = append(b.value[unit], v) }

func (b *batchReading) add(wait, service []int64) {
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
		b.addValue(loss.unit, lost[loss.unit]/float64(len(wait)))
	}
	if len(waits) == 0 {
		return
	}
	b.wait, b.service = append(b.wait, waits), append(b.service, services)
	b.addMeans(waits, services)
}

func (b *batchReading) addMeans(waits, services []int64) {
	var sums [2]float64
	var most [3]int64
	for i, w := range waits {
		sums[0] += float64(w)
		sums[1] += float64(services[i])
		most[0], most[1] = max(most[0], w), max(most[1], services[i])
		most[2] = max(most[2], w+services[i])
	}
	n := float64(len(waits)) * 1e9
	b.addValue(metric.MeanWait, sums[0]/n)
	b.addValue(metric.MeanService, sums[1]/n)
	b.addValue(metric.MeanResponse, (sums[0]+sums[1])/n)
	b.addValue(metric.MaxWait, float64(most[0])/1e9)
	b.addValue(metric.MaxService, float64(most[1])/1e9)
	b.addValue(metric.MaxResponse, float64(most[2])/1e9)
}

// times sorts only the requested times, because sorting is most of the cost.
func (b *batchReading) times(of string) *span {
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
