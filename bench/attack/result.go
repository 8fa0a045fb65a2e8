package attack

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/bench"
)

// Name is the benchmark name of the attack: every axis that is not at its default. Neither seed nor port-like chance is part of it, if Label says what is attacked.
func (a Attack) Name() string {
	given := a
	a = a.withDefaults()
	parts := []string{"Attack"}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if a.through() {
		add("strategy=%s", a.Strategy)
	}
	add("target=%s", a.label())
	switch {
	case a.Clients > 0:
		add("arrival=closed:clients=%d,think=0s", a.Clients)
	default:
		add("arrival=%s", a.Arrival)
	}
	if a.through() {
		add("limit=%d", a.Limit)
	}
	if a.Rate != 0 {
		add("rate=%v", a.Rate)
	}
	if a.Queue != 0 {
		add("queue=%d", a.Queue)
	}
	if a.Tasks != 0 {
		add("n=%d", a.Tasks)
	}
	if a.Duration != 0 {
		add("duration=%v", a.Duration)
	}
	switch given.Workers {
	case 0, DefaultWorkers:
	case Unlimited:
		add("workers=unlimited")
	default:
		add("workers=%d", given.Workers)
	}
	if a.Connections != 0 {
		add("connections=%d", a.Connections)
	}
	if a.Timeout != DefaultTimeout {
		add("timeout=%v", a.Timeout)
	}
	return strings.Join(append(parts, "clock=real"), "/")
}

// label names what is attacked, without what would end a part of a benchmark's name.
func (a Attack) label() string {
	label := a.Label
	if label == "" && len(a.Requests) > 0 {
		label = a.Requests[0].URL
		if u, err := url.Parse(label); err == nil {
			label = u.Host + strings.TrimSuffix(u.EscapedPath(), "/")
		}
		if n := len(a.Requests); n > 1 {
			label += "+" + strconv.Itoa(n-1)
		}
	}
	var b strings.Builder
	for _, c := range label {
		if c <= ' ' || c == '/' || c == '%' || c == 0x7f {
			b.WriteString(url.QueryEscape(string(c)))
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

const second = float64(time.Second)

// report computes what a run directory takes, in the order of bench.Metrics.
func (r *run) report(cut error, w *bench.Witness) (*Report, error) {
	t := r.tally
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.offered == 0 {
		if cut != nil {
			return nil, cut
		}
		return nil, ErrNothing
	}
	res := &bench.Result{Name: r.attack.Name(), Seed: r.attack.Seed, Tasks: t.offered, Timeline: t.timeline.intervals()}
	add := func(unit string, v float64) { res.Metrics = append(res.Metrics, bench.Metric{Unit: unit, Value: v}) }
	n := float64(t.offered)
	if elapsed := float64(t.lastEnd-t.firstDue) / second; elapsed > 0 {
		add("ns/op", elapsed*second/n)
		add("ops/s", float64(t.outcomes[completed])/elapsed)
	}
	if span := float64(t.lastDue-t.firstDue) / second; span > 0 {
		add("offered-ops/s", (n-1)/span)
	}
	for _, reading := range []struct {
		of string
		*reading
	}{{"response", &t.response}, {"wait", &t.wait}, {"service", &t.service}} {
		if err := reading.report(res, reading.of, add); err != nil {
			return nil, err
		}
	}
	if resolvable(0.99, t.lag.histogram.TotalCount()) {
		add("p99-lag-sec", float64(nearestRank(t.lag.histogram, 0.99))/second)
	}
	add("shed/op", float64(t.outcomes[shed])/n)
	add("throttled/op", float64(t.outcomes[throttled])/n)
	add("failed/op", float64(t.outcomes[failed])/n)
	add("abandoned/op", float64(t.outcomes[abandoned])/n)
	if t.started > 0 {
		add("attempts/op", float64(t.attempts)/float64(t.started))
		mean := float64(t.busy) / float64(t.started)
		if mean > 0 {
			add("service-c2", max(t.busySq/float64(t.started)/(mean*mean)-1, 0))
		}
	}
	add("peak-inflight", float64(t.peak))
	add("makespan-sec", float64(t.lastEnd-t.firstDue)/second)
	res.Broken = r.brokenLaws(cut != nil)
	add("broken-laws", float64(len(res.Broken)))
	r.judge(res, w)
	return &Report{Result: res, Statuses: t.statusCounts(), Errors: sorted(t.errors), Cut: cut}, nil
}

func (r *reading) report(res *bench.Result, of string, add func(string, float64)) error {
	n := r.histogram.TotalCount()
	if n == 0 {
		return nil
	}
	add("mean-"+of+"-sec", r.sum/float64(n)/second)
	for _, q := range quantiles {
		if resolvable(q.p, n) {
			add(q.name+"-"+of+"-sec", float64(nearestRank(r.histogram, q.p))/second)
		}
	}
	add("max-"+of+"-sec", float64(r.max)/second)
	text, err := r.histogram.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return fmt.Errorf("distribution of %s: %w", of, err)
	}
	res.Readings = append(res.Readings, bench.Reading{Of: of, Histogram: string(text)})
	return nil
}

// brokenLaws checks what holds in every attack.
func (r *run) brokenLaws(cut bool) (broken []string) {
	t := r.tally
	law := func(holds bool, format string, args ...any) {
		if !holds {
			broken = append(broken, fmt.Sprintf(format, args...))
		}
	}
	// The Attacker may be stopped between its Pacer's word and its sending.
	law(t.offered == r.issued || cut && t.offered == r.issued-1, "conservation: %d requests were due, %d were settled", r.issued, t.offered)
	law(r.twice == 0, "conservation: %d requests were settled twice", r.twice)
	law(t.negative == 0, "response ≥ service ≥ 0: %d requests started before they were due, or ended before they started", t.negative)
	if a := r.attack; a.through() && a.Strategy.Spec.Bound != nil {
		bound := a.Strategy.Spec.Bound(a.params())
		law(t.peak <= bound, "bound: %d requests were in flight at once, the limit is %d", t.peak, bound)
	}
	return broken
}

func (t *tally) statusCounts() (all []Count) {
	for status, n := range t.statuses {
		all = append(all, Count{strconv.Itoa(status), n})
	}
	slices.SortFunc(all, func(a, b Count) int { return strings.Compare(a.What, b.What) })
	return all
}
