package objectives

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/text"
)

// Parse parses objectives, separated by commas:
//
//	METRIC OP VALUE    p99-response<50ms   shed <= 1%   goodput>=500
//
// METRIC is the unit of a metric, optionally without its suffix -sec, /op or ops/s. The plain ops/s
// is throughput, and a percentile alone means the response. Metrics of a stage, a session or a step
// have a prefix (step1-log_in-p99-response), metrics of some URLs a suffix (p95[GET /item/*]). A
// latency with the prefix completed- is for completed requests only. VALUE is a duration for a
// time, a share (1% or 0.01) for a share, and otherwise a number, optionally followed by /s. The
// error is one line.
func Parse(text string) (List, error) {
	var all List
	for _, one := range split(text) {
		o, err := parse(one)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, all.check()
}

// Errors of Add include invalid combinations.
func (l List) Add(text string) (List, error) {
	more, err := Parse(text)
	if err != nil {
		return nil, err
	}
	all := append(slices.Clip(l), more...)
	return all, all.check()
}

// check rejects two bounds on one metric in the same direction, because one of them has no effect.
func (l List) check() error {
	seen := map[string]Objective{}
	for _, o := range l {
		key := o.Unit + o.Op[:1]
		if before, ok := seen[key]; ok {
			return fmt.Errorf("%s and %s bound the same metric in the same direction", before, o)
		}
		seen[key] = o
	}
	return nil
}

func parse(s string) (Objective, error) {
	s = strings.TrimSpace(s)
	s, url, ofURL := cutPattern(s)
	at := strings.IndexAny(s, "<>")
	if at < 1 {
		return Objective{}, fmt.Errorf("want METRIC<VALUE, such as p99-response<50ms or "+
			"shed<=1%%, got %q", s)
	}
	var o Objective
	name, rest := strings.TrimSpace(s[:at]), s[at:]
	for _, op := range decide.Operators {
		if value, ok := strings.CutPrefix(rest, op); ok {
			o.Op, rest = op, strings.TrimSpace(value)
			break
		}
	}
	bare, completed := strings.CutPrefix(name, decide.Mark)
	bare = metric.ExpandQuantile(bare)
	if ofURL {
		bare = metric.OfURL(url) + bare
	}
	better := ""
	for _, m := range append(metrics(), partMetrics(bare)...) {
		if m.Unit != bare && metric.Short(m.Unit) != bare {
			continue
		}
		better = m.Better
		if marked := decide.Mark + m.Unit; !completed {
			o.Unit = m.Unit
		} else if _, ok := decide.Completed(marked); ok {
			o.Unit = marked
		}
	}
	if o.Unit == "" {
		return Objective{}, unknownMetric(name, ofURL)
	}
	var err error
	if o.Bound, o.text, err = value(o.Unit, rest); err != nil {
		return Objective{}, fmt.Errorf("%s: %w", name, err)
	}
	switch {
	case o.Op[0] == '>' && isTime(o.Unit) && better == "lower":
		opposite := o
		opposite.Op = strings.Replace(o.Op, ">", "<", 1)
		return Objective{}, fmt.Errorf("%s: lower is better, so write %s instead of %s", name,
			opposite, o)
	case o.Op == "<" && o.Bound == 0:
		return Objective{}, fmt.Errorf("%s: values are never below 0, so no run would meet %s", name, o)
	case o.Op == ">=" && o.Bound == 0:
		return Objective{}, fmt.Errorf("%s: values are always at least 0, so every run would "+
			"meet %s",
			name, o)
	}
	return o, nil
}

// synonyms maps names that other tools use to ours.
var synonyms = map[string]string{
	"error": "failed", "errors": "failed", "error-rate": "failed", "errors-rate": "failed",
	"failure": "failed", "failures": "failed", "failure-rate": "failed", "fail": "failed",
	"failed-rate": "failed", "http-req-failed": "failed", "success": "failed",
	"success-rate": "failed",
	"latency":      "p99-response", "response-time": "p99-response",
	"response": "p99-response", "http-req-duration": "p99-response",
	"avg": "mean-response", "average": "mean-response", "mean": "mean-response",
	"median": "p50-response", "max": "max-response", "p100": "max-response",
	"p999": "p99.9-response", "rps": "throughput", "qps": "throughput", "tps": "throughput",
	"rate": "throughput", "dropped": "shed", "rejected": "shed",
}

const maxNames = 8

func unknownMetric(name string, ofURL bool) error {
	known := similarNames(name)
	if ofURL {
		known = namesOfURL()
	}
	spelt := strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	like := synonyms[spelt]
	if like == "" && slices.Contains(known, spelt) {
		like = spelt
	}
	if like != "" && (!ofURL || slices.Contains(known, like)) {
		return fmt.Errorf("unknown metric %q (did you mean %s? poolbench list metrics lists all)", name,
			like)
	}
	all := ""
	if len(known) > maxNames+1 {
		all = "; poolbench list metrics lists all"
	}
	return fmt.Errorf("unknown metric %q (known: %s%s)", name,
		text.List(text.Truncate(known, maxNames)), all)
}

func namesOfURL() (all []string) {
	for _, m := range partMetrics(metric.OfURL("")) {
		_, rest, _ := metric.CutURL(m.Unit)
		all = append(all, short(rest))
	}
	return all
}

func split(text string) (all []string) {
	depth, begin := 0, 0
	for i, c := range text {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ',' && depth <= 0:
			all, begin = append(all, text[begin:i]), i+1
		}
	}
	return append(all, text[begin:])
}

func cutPattern(s string) (rest, pattern string, ok bool) {
	begin, end := strings.IndexByte(s, '['), strings.LastIndexByte(s, ']')
	if begin < 1 || end < begin {
		return s, "", false
	}
	return s[:begin] + s[end+1:], strings.TrimSpace(s[begin+1 : end]), true
}

// partMetrics returns the metrics of the stage, session, step or URL that a name begins with.
func partMetrics(name string) []observe.MetricInfo {
	return slices.DeleteFunc(slices.Clone(observe.PartMetrics(name)),
		func(m observe.MetricInfo) bool { return isDue(m.Unit) })
}

// Evidence of a load test cannot be bounded. A step may have the name "due".
func isDue(unit string) bool {
	if _, rest, ok := metric.CutURL(unit); ok {
		return strings.HasPrefix(rest, decide.Due)
	}
	_, rest, _ := strings.Cut(unit, "-")
	if strings.HasPrefix(unit, "step") {
		_, rest, _ = strings.Cut(rest, "-")
	}
	return strings.HasPrefix(rest, decide.Due)
}

// similarNames returns the metrics of the same part, or the names that share a word with the
// unknown name, or all names.
func similarNames(name string) (some []string) {
	part, _, _ := strings.Cut(name, "-")
	for _, m := range partMetrics(part + "-NAME") {
		some = append(some, short(m.Unit))
	}
	if some != nil {
		return some
	}
	words := strings.Split(name, "-")
	some = slices.DeleteFunc(Names(), func(known string) bool {
		return !slices.ContainsFunc(strings.Split(known, "-"), func(word string) bool {
			return slices.Contains(words, word)
		})
	})
	if len(some) > 0 {
		return some
	}
	return Names()
}

func value(unit, text string) (float64, string, error) {
	switch {
	case isTime(unit):
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return 0, "", fmt.Errorf("want a duration such as 50ms, got %q", text)
		}
		return d.Seconds(), dist.FormatDuration(d), nil
	case isShare(unit):
		return shareOf(unit, text)
	}
	number := text
	if strings.HasSuffix(unit, metric.Throughput) {
		number = strings.TrimSuffix(text, "/s")
	}
	x, err := dist.ParseFloat(number)
	if err != nil || x < 0 {
		return 0, "", fmt.Errorf("want a number such as 500, got %q", text)
	}
	return x, dist.FormatFloat(x), nil
}

func isTime(unit string) bool {
	return strings.HasSuffix(unit, "-sec") || strings.HasSuffix(unit, "-sec/op")
}

func isShare(unit string) bool {
	switch unit {
	case metric.Attempts, metric.AllocsPerOp, metric.BytesPerOp, metric.WrittenBytes,
		metric.VoluntarySwitches, metric.InvoluntarySwitches, metric.PageFaults, metric.MajorFaults:
		return false
	}
	return strings.HasSuffix(unit, "/op") || strings.HasSuffix(unit, metric.Utilisation) ||
		strings.HasSuffix(unit, "-share")
}

func shareOf(unit, text string) (float64, string, error) {
	number, percent := strings.CutSuffix(text, "%")
	if percent {
		number += "e-2" // rounds once: 99.9/100 is not the float nearest to 0.999
	}
	x, err := dist.ParseFloat(number)
	if err != nil || x < 0 {
		return 0, "", fmt.Errorf("want a share such as 1%% or 0.01, got %q", text)
	}
	// A plain 1 means 1 % to most readers and 100 % to others.
	if !percent && x >= 1 {
		meant, _ := strconv.ParseFloat(number+"e-2", 64)
		return 0, "", fmt.Errorf("want a share such as 1%% or 0.01, got %q: write %s%% or %s", text,
			number, dist.FormatFloat(meant))
	}
	if x > 1 && strings.HasSuffix(unit, "/op") {
		return 0, "", fmt.Errorf("want a share of at most 100%%, got %q", text)
	}
	hundredths := dist.FormatFloat(math.Round(1e10*x) / 1e8)
	if back, err := strconv.ParseFloat(hundredths+"e-2", 64); err == nil && back == x {
		return x, hundredths + "%", nil
	}
	if x >= 1 {
		return x, text, nil
	}
	return x, dist.FormatFloat(x), nil
}
