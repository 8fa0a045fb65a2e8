package show

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

const maxURLs = 10

var urlColumns = []Column{
	{Head: "requests", Unit: metric.Count},
	{Head: "failed", Unit: metric.Failed},
	{Head: "p50", Unit: metric.P50Response},
	{Head: "p95", Unit: metric.P95Response},
	{Head: "p99", Unit: metric.P99Response},
}

// The URL with the worst p95 comes first.
func (e *loadSeries) showURLs(k int, r Row) error {
	urls := slices.DeleteFunc(slices.Clone(e.loads[k].urls), func(u attack.URL) bool {
		_, ok := r.Estimate(u.Prefix + metric.Count)
		return !ok
	})
	if len(urls) == 0 || e.loads[k].steps != nil {
		return nil
	}
	slices.SortStableFunc(urls, func(a, b attack.URL) int {
		return cmp.Compare(r.worst(b.Prefix), r.worst(a.Prefix))
	})
	of := "URL"
	if len(e.loads) > 1 {
		of = r.Strategy + ": URL"
	}
	lines := [][]string{append(append([]string{of}, Heads(urlColumns)...), "status")}
	for _, u := range urls[:min(len(urls), maxURLs)] {
		cells := []string{u.Name}
		for _, c := range urlColumns {
			cells = append(cells, r.part(u.Prefix, c))
		}
		lines = append(lines, append(cells, r.statuses(u.Prefix)))
	}
	e.Prose("\n")
	if err := e.Table(lines); err != nil {
		return err
	}
	if more := len(urls) - maxURLs; more > 0 {
		e.Paragraph("  ", fmt.Sprintf("and %d more: the report and --format json list all", more), Width)
	}
	return nil
}

func (r Row) part(prefix string, c Column) string {
	if v, ok := r.Estimate(prefix + c.Unit); ok && c.Unit == metric.Count {
		return fmt.Sprintf("%.0f", v.Mid)
	}
	return r.Show(prefix + c.Unit)
}

// worst returns the p95 of a URL for sorting, or the mean if there are too few requests. Failed
// requests count as slower than all others.
func (r Row) worst(prefix string) float64 {
	failed, _ := r.Estimate(prefix + metric.Failed)
	shed, _ := r.Estimate(prefix + metric.Shed)
	if failed.Mid+shed.Mid > 0.05 {
		return math.Inf(1)
	}
	for _, unit := range []string{decide.Due + metric.P95Response, metric.P95Response,
		metric.MeanResponse} {
		if v, ok := r.Estimate(prefix + unit); ok {
			return v.Mid
		}
	}
	return 0
}

func (r Row) statuses(prefix string) string {
	return strings.Join(text.Texts(statusCounts(r.Cell, prefix), func(c attack.Count) string {
		return fmt.Sprintf("%s × %d", c.What, c.N)
	}), ", ")
}

func statusCounts(cell results.Cell, prefix string) (all []attack.Count) {
	for _, s := range results.Statuses(cell, prefix) {
		all = append(all, attack.Count{What: s.Status, N: int(s.Count)})
	}
	return all
}

// urlLine is a URL of an attack, or a step of its sessions. Times are in seconds. A percentile with
// too few requests is absent.
type urlLine struct {
	Name     string `json:"name"`
	Requests int    `json:"requests"`
	// includes requests that were refused or had no answer
	Failed   int                `json:"failed"`
	Metrics  map[string]float64 `json:"metrics"`
	Statuses []attack.Count     `json:"statuses,omitempty"`
	Sent     int                `json:"sent_bytes"` // bytes of request bodies
	Received int                `json:"received_bytes"`
}

func urlLines(run *results.Run) (all []urlLine) {
	for _, part := range results.PartsOf(run) {
		n, _ := run.Value(part.Prefix + metric.Count)
		of := func(unit string) int {
			v, _ := run.Value(part.Prefix + unit)
			return int(math.Round(n * v))
		}
		line := urlLine{Name: part.Name, Requests: int(n), Metrics: map[string]float64{},
			Failed: of(metric.Failed) + of(metric.Shed), Sent: of(metric.SentBytes),
			Received: of(metric.ReceivedBytes),
			Statuses: statusCounts(results.Cell{run}, part.Prefix)}
		for unit, v := range run.Values {
			if rest, ok := strings.CutPrefix(unit, part.Prefix); ok && text.KindOf(rest) == text.Times {
				line.Metrics[rest] = v
			}
		}
		all = append(all, line)
	}
	return all
}
