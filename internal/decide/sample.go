package decide

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/text"
)

// Units of a load test's evidence, in addition to the metrics of completed requests.
const (
	// Due is the prefix of a percentile over all due requests, where uncompleted requests count as
	// the slowest: due-p99-response-sec. A result has it only if it differs and the percentile is
	// not among the uncompleted requests.
	Due = "due-"
	// the largest delay of the load generator
	MaxLag = metric.MaxLag
)

// Mark is the prefix of an objective on completed requests only.
const Mark = "completed-"

// If more requests are lost, an objective on a mean is missed, because the mean of the other
// requests is misleading.
const MaxLost = 0.01

type latency struct {
	// prefix of a session, a step or a stage, including the hyphen; "" for all requests
	part      string
	statistic string // mean, max or the name of a percentile
	p         float64
	of        string // response, wait, service or first-byte
}

func latencyOf(unit string) (l latency, ok bool) {
	for _, of := range []string{metric.Response, metric.Wait, metric.Service, metric.FirstByte} {
		rest, is := strings.CutSuffix(unit, "-"+of+"-sec")
		if !is {
			continue
		}
		at := strings.LastIndexByte(rest, '-') + 1
		l = latency{part: rest[:at], statistic: rest[at:], of: of}
		for _, q := range metric.Quantiles {
			if q.Name == l.statistic {
				l.p = q.P
			}
		}
		return l, l.p > 0 || l.statistic == metric.Mean || l.statistic == metric.Max
	}
	return l, false
}

func (l latency) unit() string { return l.part + metric.StatisticOf(l.statistic, l.of) }

func (l latency) String() string {
	text := l.statistic + " " + strings.ReplaceAll(l.of, "-", " ")
	if url, _, ok := metric.CutURL(l.part); ok {
		text += " of " + url
	} else if part := strings.TrimSuffix(l.part, "-"); part != "" {
		text = part + " " + text
	}
	return text
}

// ok is false if unit has no Mark or is not a latency.
func Completed(unit string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(unit, Mark)
	if _, is := latencyOf(rest); ok && is {
		return rest, true
	}
	return unit, false
}

// Load decides an objective from the metrics of one load test. Requests that failed, were refused,
// abandoned or never sent count as slower than any bound, unless the objective is about completed
// requests only. The lower bound of a latency is the measured value without the generator's own
// waits for a processor. All other metrics are decided by their value.
func Load(b Bound, lookup func(unit string) (float64, bool), tasks int) Decision {
	s := sample{bound: b, lookup: lookup, sent: tasks, requests: tasks}
	if laws, _ := lookup(metric.BrokenLaws); laws > 0 {
		return s.undecided("the run breaks an invariant, so its numbers are wrong", "")
	}
	unit, alone := Completed(b.Unit)
	l, ok := latencyOf(unit)
	if !ok {
		return s.byValue()
	}
	s.latency = l
	s.count()
	if lost := s.lostShare(); alone {
		s.counted = 1 - lost
		s.requests = int(math.Round(float64(s.requests) * s.counted))
	} else {
		s.lost, s.counted = lost, 1
	}
	switch {
	case l.p > 0 && s.lost < 1: // if all are lost, every percentile is missed
		return s.percentile()
	case s.isAmongLost():
		return s.amongLost()
	}
	return s.value()
}

// Lost decides an objective on a latency of a run by the tasks that did not complete, by the rules
// of Load. ok is false if they leave the decision to the completed tasks: the objective is about
// these, or at most MaxLost of the tasks are lost and a percentile covers more than the completed
// ones.
func Lost(b Bound, lookup func(unit string) (float64, bool)) (d Decision, ok bool) {
	l, is := latencyOf(b.Unit)
	if _, marked := Completed(b.Unit); marked || !is {
		return d, false
	}
	s := sample{bound: b, lookup: lookup, latency: l, counted: 1, noun: "tasks"}
	s.lost = s.lostShare()
	if s.isAmongLost() {
		return s.amongLost(), true
	}
	if s.lost <= MaxLost {
		return d, false
	}
	low, high, known := s.ends(l)
	if !known || b.Meets(low) == b.Meets(high) {
		return d, false
	}
	return Decision{Value: low, Low: low, High: high, Reason: fmt.Sprintf("%s between %s and %s of "+
		"all tasks, of which %s were lost", l, text.Seconds(low), text.Seconds(high),
		text.Share(s.lost))}, true
}

type sample struct {
	noun     string // of what is counted, in the plural; "" for requests
	bound    Bound
	lookup   func(unit string) (float64, bool)
	latency  latency
	sent     int
	requests int // number of the part's requests, or of its completed ones; 0 if unknown
	lost     float64
	counted  float64
}

func (s *sample) undecided(reason, next string) Decision {
	unknown := math.NaN()
	return Decision{Value: unknown, Low: unknown, High: unknown, Reason: reason, Next: next}
}

// A missed rate of an INVALID run is undecided, because the generator may have sent less than
// planned.
func (s *sample) byValue() Decision {
	v, ok := s.lookup(s.bound.Unit)
	if !ok || math.IsNaN(v) {
		return s.undecided("the run does not report "+s.bound.Unit, "")
	}
	d := Decision{Verdict: Interval(s.bound, v, v), Value: v, Low: v, High: v,
		Reason: text.Metric(s.bound.Unit, v)}
	const invalid = 2
	if mark, _ := s.lookup(metric.Verdict); mark == invalid && d.Verdict == Missed &&
		strings.HasSuffix(s.bound.Unit, metric.Throughput) {
		d.Verdict = Undecided
		d.Reason += ", and the run is INVALID: the generator may have sent fewer requests than " +
			"planned"
	}
	return d
}

func (s *sample) count() {
	if part := s.latency.part; part != "" {
		n, _ := s.lookup(part + metric.Count) // stages do not report it
		s.requests = int(n)
	}
}

var losses = []struct{ unit, words string }{
	{metric.Failed, "failed"}, {metric.Throttled, "were refused"}, {metric.Shed, "were shed"},
	{metric.Abandoned, "were abandoned"}, {metric.GaveUp, "were abandoned by their callers"},
}

func (s *sample) lostShare() (sum float64) {
	for _, loss := range losses {
		share, _ := s.lookup(s.latency.part + loss.unit)
		sum += share
	}
	return min(sum, 1)
}

// isAmongLost reports whether so many are lost that the statistic is infinite, or that a mean of
// the others is misleading.
func (s *sample) isAmongLost() bool {
	switch {
	case s.latency.p > 0:
		return s.lost > 1-s.latency.p+1e-12
	case s.latency.statistic == metric.Max:
		return s.lost > 0
	}
	return s.lost > MaxLost
}

func (s *sample) amongLost() Decision {
	var words, shares []string
	for _, loss := range losses {
		if share, _ := s.lookup(s.latency.part + loss.unit); share > 0 {
			words = append(words, loss.words)
			shares = append(shares, text.Share(share)+" "+loss.words)
		}
	}
	lost := words[0]
	if len(words) > 1 {
		lost = "were lost (" + strings.Join(shares, ", ") + ")"
	}
	v := math.Inf(1)
	return Decision{Verdict: Sample(s.bound, v, v), Value: v, Low: v, High: v,
		Reason: text.Share(s.lost) + cmp.Or(s.ofRequests(), " of the "+cmp.Or(s.noun, "requests")) + " " +
			lost +
			" and count as slower than any bound"}
}

func (s *sample) ofRequests() string {
	of := "requests"
	if s.latency.part == metric.Sessions {
		of = "sessions"
	}
	if s.counted < 1 {
		of = "completed " + of
	}
	if s.requests == 0 {
		return ""
	}
	return " of " + grouped(s.requests) + " " + of
}

func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// If there are too few requests, the highest percentile with enough requests decides: if that
// misses the bound, so does the requested one.
func (s *sample) percentile() Decision {
	asked := s.latency
	for i := len(metric.Quantiles) - 1; i >= 0; i-- {
		q := metric.Quantiles[i]
		if q.P > asked.p {
			continue
		}
		s.latency.statistic, s.latency.p = q.Name, q.P
		if !s.resolves(q.P) {
			continue
		}
		var d Decision
		if s.isAmongLost() {
			d = s.amongLost()
		} else {
			d = s.value()
		}
		switch {
		case q.P == asked.p:
			return d
		case math.IsNaN(d.Low):
			continue
		}
		if v := Interval(s.bound, d.Low, math.Inf(1)); v != Undecided {
			d.Verdict, d.High = v, math.Inf(1)
			return d
		}
		break
	}
	least := statistics.MinTasks(asked.p)
	have := "there are too few requests"
	if s.requests > 0 {
		have = strings.TrimPrefix(s.ofRequests(), " of ") + " are too few"
	}
	next := ""
	if s.counted > 0 {
		next = fmt.Sprintf("--n %.0f", math.Ceil(float64(least)/s.counted))
	}
	return s.undecided(fmt.Sprintf("%s: a %s needs %d", have, asked.statistic, least), next)
}

// The run reports a percentile of a stage only if it has enough requests.
func (s *sample) resolves(p float64) bool {
	if s.requests > 0 {
		return statistics.Resolvable(p, s.requests)
	}
	_, ok := s.lookup(s.latency.unit())
	return ok || s.lost > 1-p
}

func (s *sample) value() Decision {
	l := s.latency
	low, high, ok := s.ends(l)
	if !ok {
		return s.undecided("the run does not report "+l.unit(), "")
	}
	least := s.minOf(l, low, high)
	d := Decision{Verdict: Sample(s.bound, high, least), Value: high, Low: least, High: high}
	d.Reason = l.String() + " " + text.Seconds(high) + s.ofRequests()
	if low < high {
		d.Value = low
		d.Reason = fmt.Sprintf("%s between %s and %s%s, of which %s were lost", l,
			text.Seconds(low), text.Seconds(high), s.ofRequests(), text.Share(s.lost))
	}
	switch service, ok := s.serviceOf(l); {
	case d.Verdict == Met:
	case d.Verdict == Undecided && least <= minRequest:
		d.Reason += ", in all of which the generator may have waited for a processor"
	case d.Verdict == Undecided && low == high:
		d.Reason += fmt.Sprintf(", at least %s without the waits of the generator",
			text.Seconds(least))
	case d.Verdict == Missed && ok && l.of == metric.Response && !s.bound.Meets(service) &&
		text.Seconds(service) != text.Seconds(high):
		d.Reason += ", service alone " + text.Seconds(service)
	}
	return d
}

// ends returns the range of a statistic over all due requests.
func (s *sample) ends(l latency) (low, high float64, ok bool) {
	v, has := s.lookup(l.unit())
	if s.lost == 0 || l.p == 0 {
		return v, v, has && !math.IsNaN(v)
	}
	if due, has := s.lookup(l.due()); has {
		return due, due, true
	}
	if !has {
		return 0, 0, false
	}
	high = math.Inf(1)
	higher := l
	if higher.statistic = metric.Max; s.lost < 1 {
		if v, ok := s.lookup(higher.unit()); ok {
			high = v
		}
	}
	for i := len(metric.Quantiles) - 1; i >= 0 && metric.Quantiles[i].P >= l.p/(1-s.lost); i-- {
		higher.statistic = metric.Quantiles[i].Name
		if v, ok := s.lookup(higher.unit()); ok {
			high = v
		}
	}
	return v, high, true
}

func (l latency) due() string { return l.part + Due + metric.StatisticOf(l.statistic, l.of) }

// minOf returns a lower bound of the statistic for a generator that is never late and always has
// a free processor. A response that waits for the generator's processor also lengthens the measured
// service.
func (s *sample) minOf(l latency, low, high float64) float64 {
	var least float64
	switch l.of {
	case metric.Response:
		// before the request is sent, and before the response is read
		least = s.withoutOwnWaits(l, low, 2)
		service := l
		service.of = metric.Service
		if v, ok := s.serviceOf(l); ok {
			least = max(least, s.withoutOwnWaits(service, v, 1))
		}
	case metric.Wait, metric.Service, metric.FirstByte:
		least = s.withoutOwnWaits(l, low, 1)
	}
	if l.of == metric.Wait {
		return min(max(least, 0), high)
	}
	return min(max(least, minRequest), high)
}

const minRequest = 1e-6

// If a share b of the requests waits for longer than w, the true p-quantile is at least the
// measured (p−b)-quantile minus w. waits is the number of the generator's own waits per request.
func (s *sample) withoutOwnWaits(l latency, measured, waits float64) float64 {
	longest := s.ownWait(MaxLag, metric.MaxHiccup)
	usual := min(s.ownWait(metric.P99Lag, metric.P99Hiccup), longest)
	switch {
	case l.part == metric.Sessions:
		waits *= s.steps()
	case l.statistic == metric.Mean:
		return measured - waits*min(s.ownWait(metric.MeanLag, metric.P99Hiccup), longest)
	}
	least := measured - longest - (waits-1)*usual // two of the longest waits rarely coincide
	const beyond = 0.01                           // share of the waits that are longer than usual
	p := l.p
	if l.statistic == metric.Max {
		p = 1
	}
	for _, q := range metric.Quantiles {
		if q.P > max(p-waits*beyond, 0.5)+1e-12 { // so few waits hardly affect the median
			continue
		}
		l.statistic = q.Name
		if v, _, ok := s.ends(l); ok {
			least = max(least, v-waits*usual)
		}
	}
	return least
}

// ownWait returns a bound on the generator's waits for a processor, in seconds. It is +Inf if the
// run reports only MaxLag.
func (s *sample) ownWait(lateness, delay string) float64 {
	late, hasLate := s.lookup(lateness)
	delayed, hasDelay := s.lookup(delay)
	if _, measured := s.lookup(MaxLag); measured && !hasLate && !hasDelay {
		return math.Inf(1)
	}
	return max(late, delayed)
}

func (s *sample) steps() float64 {
	if s.requests == 0 || s.sent < s.requests {
		return 1
	}
	return float64(s.sent) / float64(s.requests)
}

func (s *sample) serviceOf(l latency) (float64, bool) {
	l.of = metric.Service
	low, _, ok := s.ends(l)
	return low, ok
}
