package observe

import (
	"fmt"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/workloads"
)

func (o *Run) ReportTimes(r *result.Result, first int, m Totals) error {
	scratch := make([]int64, 0, m.N)
	var shares []float64
	for _, q := range metric.Quantiles {
		shares = append(shares, q.P)
	}
	for _, reading := range []struct {
		of   string
		time func(*record.Record) (ns int64, counts bool)
	}{
		{metric.Response, func(r *record.Record) (int64, bool) { return r.Response(), true }},
		{metric.Wait, func(r *record.Record) (int64, bool) { return r.Wait(), true }},
		{metric.Service, func(r *record.Record) (int64, bool) { return r.Busy, true }},
	} {
		if reading.of == metric.Wait && o.Splits() {
			continue
		}
		values, mean := o.timesOf(first, scratch, reading.time)
		if len(values) == 0 {
			continue
		}
		r.Add(metric.StatisticOf(metric.Mean, reading.of), mean)
		for i, v := range statistics.NearestRanks(nil, values, shares...) {
			if statistics.Resolvable(metric.Quantiles[i].P, len(values)) {
				r.Add(metric.Quantiles[i].Unit(reading.of), float64(v)/Second)
			}
		}
		longest := slices.Max(values)
		r.Add(metric.StatisticOf(metric.Max, reading.of), float64(longest)/Second)
		if o.Recorded && reading.of != metric.Wait {
			result.EachDue(m.N, len(values), reading.of, func(rank int) int64 {
				share := float64(rank) / float64(len(values))
				return statistics.NearestRanks(nil, values, share)[0]
			}, r.Add)
		}
		h := hdrhistogram.New(1, max(int64(time.Hour), longest), 3)
		for _, v := range values {
			if err := h.RecordValue(v); err != nil {
				return fmt.Errorf("distribution of %s: %w", reading.of, err)
			}
		}
		if err := addReading(r, reading.of, h); err != nil {
			return err
		}
	}
	o.reportClasses(r, first, scratch)
	o.reportLabels(r, first, m, scratch)
	o.ReportFound(r, first)
	lags := scratch[:0]
	for i, lag := range o.Trace.Lags() {
		if i >= first {
			lags = append(lags, lag)
		}
	}
	if statistics.Resolvable(0.99, len(lags)) {
		r.Add(metric.P99Lag, float64(statistics.NearestRanks(nil, lags, 0.99)[0])/Second)
	}
	if o.Recorded {
		r.Add(decide.MaxLag, float64(slices.Max(lags))/Second)
	}
	return nil
}

// The times are stored in scratch. Their mean is in seconds.
func (o *Run) timesOf(
	first int, scratch []int64, of func(*record.Record) (ns int64, counts bool),
) (values []int64, mean float64) {
	values, sum := scratch[:0], 0.0
	for _, rec := range o.Trace.From(first) {
		if rec.Outcome == record.Completed {
			if t, counts := of(rec); counts {
				values = append(values, t)
				sum += float64(t)
			}
		}
	}
	return values, sum / float64(len(values)) / Second
}

func (o *Run) reportedClasses() []strategies.Class {
	if _, either := o.Workload.(workloads.Computing); either {
		return []strategies.Class{strategies.CPU, strategies.IO}
	}
	return BothClasses
}

// The response over all tasks does not show that short tasks overtake long ones.
func (o *Run) reportClasses(r *result.Result, first int, scratch []int64) {
	slowdown, n := 0.0, 0
	for _, class := range o.reportedClasses() {
		if !o.has(class) {
			continue
		}
		responses, _ := o.timesOf(first, scratch, func(rec *record.Record) (int64, bool) {
			if rec.Class == class && rec.Busy > 0 {
				slowdown += float64(rec.Response()) / float64(rec.Busy)
				n++
			}
			return rec.Response(), rec.Class == class
		})
		addResponses(r, metric.OfKind(class.String(), ""), responses)
	}
	if n > 0 {
		r.Add(metric.MeanSlowdown, slowdown/float64(n))
	}
}

const MaxFound = 8

// ReportFound adds the share of short tasks that find a given number of slots occupied by long
// tasks, which must hold their slots until they end, and their mean wait.
func (o *Run) ReportFound(r *result.Result, first int) {
	limit, spec := o.Bound(), o.Plan.Strategy
	if limit == 0 || limit > MaxFound || spec.Quantum != nil || spec.Retries ||
		!o.has(strategies.Long) {
		return
	}
	starts, ends := o.StartsAndEnds(func(r *record.Record) bool {
		return r.Class == strategies.Long
	})
	if len(starts) == 0 {
		return
	}
	found, wait := make([]int, limit+1), make([]float64, limit+1)
	shorts, begun, over := 0, 0, 0
	for i, rec := range o.Trace.From(0) {
		for begun < len(starts) && starts[begun] < rec.Due {
			begun++
		}
		for over < len(ends) && ends[over] < rec.Due {
			over++
		}
		if i < first || rec.Class != strategies.Short || rec.Outcome != record.Completed ||
			begun-over > limit {
			continue
		}
		shorts++
		found[begun-over]++
		wait[begun-over] += float64(rec.Wait())
	}
	for j := range found {
		if shorts > 0 {
			r.Add(metric.FoundLong(j), float64(found[j])/float64(shorts))
		}
		if found[j] > 0 {
			r.Add(metric.FoundLongWait(j), wait[j]/float64(found[j])/Second)
		}
	}
}

const Intervals = 100

func (o *Run) Timeline() []result.Bucket {
	t := o.Trace
	begin, end := t.At(0).Due, t.At(0).Due
	for _, rec := range t.From(0) {
		end = max(end, rec.End)
	}
	length := max((end-begin)/Intervals+1, 1)
	line := make([]result.Bucket, (end-begin)/length+1)
	for i := range line {
		line[i].Start, line[i].Length = time.Duration(begin+int64(i)*length), time.Duration(length)
	}
	at := func(instant int64) *result.Bucket {
		return &line[min(max((instant-begin)/length, 0), int64(len(line)-1))]
	}
	for _, rec := range t.From(0) {
		countIn(at, rec)
	}
	sumUp(line)
	o.addLimits(line)
	return line
}

func countIn(at func(instant int64) *result.Bucket, r *record.Record) {
	at(r.Due).Arrived++
	if r.Attempts > 0 {
		at(r.Start).Started++
	}
	if r.Outcome == record.Unsettled {
		return
	}
	last := at(r.End) // until sumUp, InFlight and Queued count departures
	if *last.Count(r.Outcome)++; r.Attempts > 0 {
		last.InFlight--
	} else {
		last.Queued--
	}
}

func sumUp(line []result.Bucket) {
	var inFlight, queued int
	for i := range line {
		v := &line[i]
		inFlight += v.Started + v.InFlight
		queued += v.Arrived - v.Started + v.Queued
		v.InFlight, v.Queued = inFlight, queued
	}
}
