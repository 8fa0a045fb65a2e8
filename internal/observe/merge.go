package observe

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics"
)

// MergeResults merges the results of generators that sent parts of one load at the same time. Names
// must be equal and lengths must agree within 10 %. Quantiles come from the summed histograms, to
// three digits. leftOut lists the metrics that cannot be merged. follow means that tasks are due
// when others have ended. Then lengths may differ, and rates are over the longest part.
func MergeResults(
	parts []*result.Result, follow bool,
) (merged *result.Result, leftOut []string, err error) {
	if len(parts) == 0 {
		return nil, nil, ErrNoTasks
	}
	first := parts[0]
	merged = &result.Result{Name: first.Name, Seed: first.Seed}
	for _, p := range parts {
		if p.Name != first.Name {
			return nil, nil, fmt.Errorf("%s and %s are two different loads", first.Name, p.Name)
		}
		if a, b := length(first), length(p); !follow && max(a, b) > min(a, b)+max(a, b)/10 {
			return nil, nil, fmt.Errorf("%s: one run sent for %v and another for %v, so they are "+
				"not parts of one load", p.Name, a, b)
		}
		merged.Tasks += p.Tasks
		if merged.Machine = common(merged.Machine, p.Machine); p == first {
			merged.Machine = p.Machine
		}
		merged.Agents = append(merged.Agents, p.Agents...)
		merged.Broken = append(merged.Broken, p.Broken...)
		for _, reason := range p.Reasons {
			merged.Doubt(reason.Verdict, reason.Check, "%s", reason.Text)
		}
		merged.Verdict = max(merged.Verdict, p.Verdict)
	}
	sums, err := MergeReadings(merged, parts)
	if err != nil {
		return nil, nil, err
	}
	if merged.Windows, err = windows(parts); err != nil {
		return nil, nil, err
	}
	merged.Timeline, merged.Slowest = mergeTimelines(parts), MergeSlowest(parts, true)
	for _, unit := range MergeUnits(parts) {
		if unit == decide.MaxLag {
			EachDue(merged, sums)
		}
		v, known, counts := mergedMetric(unit, parts, sums, merged)
		if follow && known {
			v *= rateOverLongest(unit, parts)
		}
		switch {
		case known:
			merged.Add(unit, v)
		case !counts && !strings.HasPrefix(unit, decide.Due):
			leftOut = append(leftOut, unit)
		}
	}
	return merged, leftOut, nil
}

func length(r *result.Result) (last time.Duration) {
	for _, v := range r.Timeline {
		if v.Arrived > 0 {
			last = v.Start + v.Length
		}
	}
	return last
}

func common(a, b []benchfmt.Config) []benchfmt.Config {
	return slices.DeleteFunc(slices.Clone(a), func(of benchfmt.Config) bool {
		return !slices.ContainsFunc(b, func(in benchfmt.Config) bool {
			return in.Key == of.Key && bytes.Equal(in.Value, of.Value)
		})
	})
}

func MergeUnits(parts []*result.Result) (units []string) {
	for _, p := range parts {
		for _, m := range p.Metrics {
			if !slices.Contains(units, m.Unit) {
				units = append(units, m.Unit)
			}
		}
	}
	return units
}

func MergeReadings(
	merged *result.Result, parts []*result.Result,
) (sums map[string]*hdrhistogram.Histogram, err error) {
	sums = map[string]*hdrhistogram.Histogram{}
	var order []string
	for _, p := range parts {
		for _, reading := range p.Readings {
			h, err := hdrhistogram.Decode([]byte(reading.Histogram))
			if err != nil {
				return nil, fmt.Errorf("%s: the distribution of %s: %w", p.Name, reading.Of, err)
			}
			sum := sums[reading.Of]
			if sum == nil {
				order = append(order, reading.Of)
			}
			if sum == nil || h.HighestTrackableValue() > sum.HighestTrackableValue() {
				sum, h = h, sum
			}
			if h != nil && sum.Merge(h) > 0 {
				return nil, fmt.Errorf("%s: the distribution of %s has values beyond its end",
					p.Name, reading.Of)
			}
			sums[reading.Of] = sum
		}
	}
	for _, of := range order {
		text, err := record.EncodeHistogram(sums[of])
		if err != nil {
			return nil, err
		}
		merged.Readings = append(merged.Readings,
			result.Reading{Of: of, Histogram: text, Max: sums[of].ValueAtQuantile(100)})
	}
	return sums, nil
}

// All windows begin with the run. The result has the longest window length of any part.
func windows(parts []*result.Result) ([]result.Window, error) {
	var all []result.Window
	longest := time.Duration(0)
	for _, p := range parts {
		for _, w := range p.Windows {
			all, longest = append(all, w), max(longest, w.Length)
		}
	}
	return AddWindows(all, longest)
}

// known is false without a value. counts is false if the metric cannot be merged.
func mergedMetric(
	unit string, parts []*result.Result, sums map[string]*hdrhistogram.Histogram,
	merged *result.Result,
) (v float64, known, counts bool) {
	sum := func(weight func(*result.Result) float64) (total, weights float64) {
		for _, p := range parts {
			if x, ok := p.Metric(unit); ok {
				w := weight(p)
				total, weights = total+w*x, weights+w
			}
		}
		return total, weights
	}
	mean := func(weight func(*result.Result) float64) (float64, bool, bool) {
		total, weights := sum(weight)
		return total / weights, weights > 0, true
	}
	one := func(*result.Result) float64 { return 1 }
	largest := func() (v float64, known, counts bool) {
		for _, p := range parts {
			x, _ := p.Metric(unit)
			v = max(v, x)
		}
		return v, true, true
	}
	switch unit {
	case metric.Throughput, metric.Goodput, metric.Offered, metric.BrokenLaws:
		v, _ = sum(one)
		return v, true, true
	case metric.NsPerOp:
		for _, p := range parts {
			if x, ok := p.Metric(unit); ok && x > 0 {
				v += 1 / x
			}
		}
		return 1 / v, v > 0, true
	case metric.Shed, metric.Throttled, metric.Failed, metric.Abandoned, metric.Resent,
		metric.SentBytes, metric.ReceivedBytes, metric.Connections,
		metric.GoAways, metric.Resets:
		return mean(func(p *result.Result) float64 { return float64(p.Tasks) })
	case metric.Attempts:
		return mean(func(p *result.Result) (started float64) {
			for _, v := range p.Timeline {
				started += float64(v.Started)
			}
			return started
		})
	case metric.Makespan, decide.MaxLag:
		return largest()
	case metric.Verdict:
		return float64(merged.Verdict), true, true
	}
	if IsPartMean(unit) {
		return mean(completed)
	}
	for of, h := range sums {
		rest, is := strings.CutSuffix(unit, "-"+of+"-sec")
		if !is {
			continue
		}
		switch rest {
		case metric.Mean:
			return mean(completed)
		case metric.Max:
			return largest()
		}
		for _, q := range metric.Quantiles {
			if n := int(h.TotalCount()); rest == q.Name {
				v := float64(result.ValueAtRank(h, statistics.Rank(n, q.P))) / Second
				return v, statistics.Resolvable(q.P, n), true
			}
		}
	}
	return 0, false, false
}

func EachDue(r *result.Result, sums map[string]*hdrhistogram.Histogram) {
	for _, of := range []string{metric.Response, metric.Service} {
		if h := sums[of]; h != nil {
			MergeDue(r.Tasks, of, h, math.MaxInt64, r.Add)
		}
	}
}

// MergeDue calls add with quantiles over n due requests, from the histogram of the completed ones.
// longest is in ns.
func MergeDue(
	n int, of string, h *hdrhistogram.Histogram, longest int64, add func(unit string, v float64),
) {
	result.EachDue(n, int(h.TotalCount()), of, func(rank int) int64 {
		return min(result.ValueAtRank(h, rank), longest)
	}, add)
}

func rateOverLongest(unit string, parts []*result.Result) float64 {
	sum, counts, longest := 0.0, 0.0, 0.0
	for _, p := range parts {
		perTask, _ := p.Metric(metric.NsPerOp)
		took, rate := perTask*float64(p.Tasks), 1.0
		if unit != metric.NsPerOp {
			rate, _ = p.Metric(unit)
		} else if took > 0 {
			rate = float64(p.Tasks) / took
		}
		sum, counts, longest = sum+rate, counts+rate*took, max(longest, took)
	}
	switch {
	case sum == 0 || longest == 0:
	case unit == metric.NsPerOp:
		return sum / (counts / longest)
	case strings.HasSuffix(unit, metric.Throughput):
		return counts / longest / sum
	}
	return 1
}

func completed(r *result.Result) (n float64) {
	for _, v := range r.Timeline {
		n += float64(v.Completed)
	}
	return n
}

// An interval of another length is added to the interval that contains its middle.
func mergeTimelines(parts []*result.Result) []result.Bucket {
	begin, end := time.Duration(math.MaxInt64), time.Duration(0)
	for _, p := range parts {
		for _, v := range p.Timeline {
			begin, end = min(begin, v.Start), max(end, v.Start+v.Length)
		}
	}
	if end <= begin {
		return nil
	}
	length := (end-begin-1)/Intervals + 1
	line := make([]result.Bucket, (end-begin-1)/length+1)
	for i := range line {
		line[i].Start, line[i].Length = begin+time.Duration(i)*length, length
	}
	for _, p := range parts {
		at := 0
		for _, v := range p.Timeline {
			sum, of := line[int((v.Start+v.Length/2-begin)/length)].Counts(), v.Counts()
			for i := range sum[:7] { // the first seven are counts of events, the others are levels
				*sum[i] += *of[i]
			}
		}
		for i := range line {
			until := line[i].Start + length
			for at < len(p.Timeline) && p.Timeline[at].Start+p.Timeline[at].Length <= until {
				at++
			}
			if at > 0 {
				line[i].InFlight += p.Timeline[at-1].InFlight
				line[i].Queued += p.Timeline[at-1].Queued
				line[i].Limit += p.Timeline[at-1].Limit
			}
		}
	}
	return line
}
