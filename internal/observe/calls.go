package observe

import (
	"fmt"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics"
)

func PhaseStatistics() []string {
	names := []string{metric.Mean}
	for _, q := range metric.Quantiles {
		if q.Main {
			names = append(names, q.Name)
		}
	}
	return append(names, metric.Max)
}

// Mean and maximum are exact, quantiles within 0.1 %.
func (o *Run) ReportCalls(r *result.Result, n int) error {
	if o.Calls == nil {
		return nil
	}
	sums := o.Calls.Sums()
	r.Add(metric.SentBytes, float64(sums.Sent)/float64(n))
	r.Add(metric.ReceivedBytes, float64(sums.Received)/float64(n))
	r.Add(metric.Connections, float64(sums.Connections)/float64(n))
	if s := sums.Streams; s != nil {
		if s.Peak >= 0 {
			r.Add(metric.PeakStreams, float64(s.Peak))
		}
		if s.Limit > 0 {
			r.Add(metric.StreamLimit, float64(s.Limit))
		}
		r.Add(metric.GoAways, float64(s.GoAways)/float64(n))
		r.Add(metric.Resets, float64(s.Resets)/float64(n))
	}
	return o.Calls.EachPhase(func(
		of string, h *hdrhistogram.Histogram, sum float64, longest int64,
	) error {
		return ReportHistogram(r, of, h, sum, longest, func(quantile string) bool {
			return slices.Contains(PhaseStatistics(), quantile)
		})
	})
}

// sum and longest are exact, in ns.
func ReportHistogram(
	r *result.Result, of string, h *hdrhistogram.Histogram, sum float64, longest int64,
	takes func(quantile string) bool,
) error {
	n := int(h.TotalCount())
	r.Add(metric.StatisticOf(metric.Mean, of), sum/float64(n)/Second)
	for _, q := range metric.Quantiles {
		if takes(q.Name) && statistics.Resolvable(q.P, n) {
			v := min(result.ValueAtRank(h, statistics.Rank(n, q.P)), longest)
			r.Add(q.Unit(of), float64(v)/Second)
		}
	}
	r.Add(metric.StatisticOf(metric.Max, of), float64(longest)/Second)
	return addReading(r, of, h)
}

func addReading(r *result.Result, of string, h *hdrhistogram.Histogram) error {
	text, err := record.EncodeHistogram(h)
	if err != nil {
		return fmt.Errorf("distribution of %s: %w", of, err)
	}
	r.Readings = append(r.Readings,
		result.Reading{Of: of, Histogram: text, Max: h.ValueAtQuantile(100)})
	return nil
}
