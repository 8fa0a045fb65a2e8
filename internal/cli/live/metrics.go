package live

import (
	"bytes"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/poolbench/poolbench/internal/machine"
)

// The scraper's Accept header selects the format: native histograms exist only in protobuf.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	var f Frame
	if frames, _, _ := s.course.since(-1); len(frames) > 0 {
		f = frames[len(frames)-1]
	}
	var b bytes.Buffer
	format := expfmt.NegotiateAccept(r.Header, expfmt.DefaultAcceptedFormats()...)
	encoder := expfmt.NewEncoder(&b, format)
	for _, family := range append(f.families(),
		responses(s.course.meter.Answered(), s.course.begun)...) {
		if err := encoder.Encode(family); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	w.Header().Set("Content-Type", string(format))
	_, _ = b.WriteTo(w) // a viewer that is gone
}

func newFamily(name string, kind dto.MetricType, help string) *dto.MetricFamily {
	return &dto.MetricFamily{Name: new("poolbench_" + name), Help: &help, Type: &kind}
}

// Prometheus rejects values that are not UTF-8.
func label(name, value string) *dto.LabelPair {
	return &dto.LabelPair{Name: &name, Value: new(strings.ToValidUTF8(value, "\uFFFD"))}
}

// families omits unknown values.
func (f *Frame) families() (all []*dto.MetricFamily) {
	one := func(name, help string, value *float64, labels ...*dto.LabelPair) {
		if value == nil {
			return
		}
		family := newFamily(name, dto.MetricType_GAUGE, help)
		family.Metric = []*dto.Metric{{Label: labels, Gauge: &dto.Gauge{Value: value}}}
		all = append(all, family)
	}
	one("runs_finished", "Completed runs of the command.", new(float64(f.Done)))
	one("runs_planned", "Total runs of the command; 0 if unknown.", new(float64(f.Planned)))
	one("left_seconds", "Estimated time until the end of the command.", f.Left)
	others := newFamily("tasks_not_completed_total", dto.MetricType_COUNTER,
		"Tasks of the command's runs that were not completed, by outcome.")
	for i, n := range f.Others {
		if machine.Outcome(i) > machine.Completed {
			others.Metric = append(others.Metric, &dto.Metric{
				Label:   []*dto.LabelPair{label("outcome", machine.Names[i])},
				Counter: &dto.Counter{Value: new(float64(n))}})
		}
	}
	all = append(all, others)
	if f.Run == "" {
		return all
	}
	one("run_info", "The current run.", new(1.0), label("run", f.Run))
	one("run_elapsed_seconds", "Time since the current run began.", &f.Elapsed)
	one("run_tasks_settled", "Settled tasks of the current run.", new(float64(f.Settled)))
	one("tasks_settled_per_second", "Settled tasks per second, over the last two seconds.", f.Rate)
	const of = " of the response times, from the due time, of tasks completed within the last " +
		"two seconds."
	one("recent_response_p50_seconds", "Median"+of, f.P50)
	one("recent_response_p99_seconds", "99th percentile"+of, f.P99)
	if f.InFlight != nil {
		one("tasks_in_flight", "Tasks that run.", new(float64(*f.InFlight)))
	}
	if f.Limit > 0 {
		one("tasks_in_flight_limit", "Largest number of tasks that may run at once.", new(float64(f.Limit)))
	}
	return all
}

func responses(answered []machine.AnswerTimes, begun time.Time) []*dto.MetricFamily {
	family := newFamily("response_duration_seconds", dto.MetricType_HISTOGRAM,
		"Response time, from the due time, of the tasks of all runs, by outcome and by status of "+
			"the answer, within 3 %.")
	for _, a := range answered {
		m := &dto.Metric{Label: []*dto.LabelPair{label("outcome", machine.Names[a.Outcome])},
			Histogram: histogramOf(&a.Responses)}
		if a.Status != "" {
			m.Label = append(m.Label, label("status", a.Status))
		}
		m.Histogram.CreatedTimestamp = timestamppb.New(begun)
		family.Metric = append(family.Metric, m)
	}
	if len(family.Metric) == 0 {
		return nil
	}
	return []*dto.MetricFamily{family}
}

// Native buckets grow by 2^(2^-schema), 9 %. The buckets of machine.Responses grow by 6 % or less,
// so a finer schema would have empty ones. A response below least is 0.
const (
	schema = 3
	least  = 1e-9 // seconds
)

func histogramOf(r *machine.Responses) *dto.Histogram {
	classic := make([]uint64, len(bounds))
	native := map[int32]int64{}
	sum, zero := 0.0, uint64(0)
	r.Each(func(response time.Duration, n uint64) {
		seconds := response.Seconds()
		sum += float64(n) * seconds
		if at, _ := slices.BinarySearch(bounds, seconds); at < len(bounds) {
			classic[at] += n
		}
		if seconds < least {
			zero += n
		} else {
			native[int32(math.Ceil(math.Log2(seconds)*(1<<schema)))] += int64(n)
		}
	})
	h := &dto.Histogram{SampleCount: &r.Total, SampleSum: &sum, Schema: new(int32(schema)),
		ZeroThreshold: new(least), ZeroCount: &zero}
	below := uint64(0)
	for i, n := range classic {
		below += n
		h.Bucket = append(h.Bucket, &dto.Bucket{UpperBound: &bounds[i],
			CumulativeCount: new(below)})
	}
	h.PositiveSpan, h.PositiveDelta = spans(native)
	return h
}

// spans encodes native buckets: runs of consecutive buckets, each with the gap before it, and the
// difference of each count to the previous one.
func spans(buckets map[int32]int64) (all []*dto.BucketSpan, deltas []int64) {
	var indices []int32
	for i := range buckets {
		indices = append(indices, i)
	}
	slices.Sort(indices)
	next, before := int32(0), int64(0)
	for _, i := range indices {
		if len(all) == 0 || i != next {
			all = append(all, &dto.BucketSpan{Offset: new(i - next), Length: new(uint32)})
		}
		*all[len(all)-1].Length++
		deltas = append(deltas, buckets[i]-before)
		next, before = i+1, buckets[i]
	}
	if all == nil { // without a span it would not be a native one
		all = []*dto.BucketSpan{{Offset: new(int32), Length: new(uint32)}}
	}
	return all, deltas
}
