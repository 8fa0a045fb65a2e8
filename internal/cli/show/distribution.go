package show

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// These are the percentiles that other load testers show.
var percentiles = []struct {
	name string
	q    float64
}{{"p50", 0.5}, {"p75", 0.75}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999},
	{"max", 1}}

var phases = []struct{ head, of string }{{"response", metric.Response},
	{"first byte", metric.FirstByte}, {"connect", "connect"}, {"TLS", "tls"}}

type spread struct {
	responses *hdrhistogram.Histogram // response times of all repetitions; nil if there are none
	quantiles map[string][][]float64  // values of each repetition, by distribution and percentile
}

// add reads the distributions of a repetition before they are written and freed.
func (s *spread) add(r *bench.Result) error {
	if s.quantiles == nil {
		s.quantiles = map[string][][]float64{}
	}
	for _, reading := range r.Readings {
		h, err := hdrhistogram.Decode([]byte(reading.Histogram))
		if err != nil {
			return fmt.Errorf("%s: the distribution of %s: %w", r.Name, reading.Of, err)
		}
		n := int(h.TotalCount())
		all := s.quantiles[reading.Of]
		if all == nil {
			all = make([][]float64, len(percentiles))
			s.quantiles[reading.Of] = all
		}
		for i, p := range percentiles {
			v, exact := r.Metric(metric.StatisticOf(p.name, reading.Of))
			switch {
			case exact:
			case p.q < 1 && statistics.Resolvable(p.q, n):
				v = float64(result.ValueAtRank(h, statistics.Rank(n, p.q))) / 1e9
			default:
				continue
			}
			all[i] = append(all[i], v)
		}
		if reading.Of != metric.Response {
			continue
		}
		if s.responses == nil {
			s.responses = h
			continue
		}
		if h.HighestTrackableValue() > s.responses.HighestTrackableValue() {
			s.responses, h = h, s.responses
		}
		s.responses.Merge(h) // it has room for all values
	}
	return nil
}

const maxTraces = 3

// traces lists the slowest requests of load k that had a trace, and notes if most of them had none.
func (e *loadSeries) traces(k int) string {
	var all []attack.Slow
	for _, r := range e.section(k) {
		all = append(all, r.Answers.Traced...)
	}
	if all == nil {
		return ""
	}
	slices.SortStableFunc(all, func(a, b attack.Slow) int {
		return cmp.Compare(b.Response(), a.Response())
	})
	words := text.Texts(all[:min(len(all), maxTraces)], func(t attack.Slow) string {
		return text.Seconds(t.Response().Seconds()) + " " + t.Trace
	})
	return fmt.Sprintf("slowest requests with a trace id (%s of the requests): %s",
		text.Share(e.loads[k].plan.Trace), strings.Join(words, ", "))
}

// row formats the percentiles of a distribution as medians over the cell's repetitions.
func (s *spread) row(head, of string, cell results.Cell) []string {
	all, ok := s.quantiles[of]
	if !ok {
		return nil
	}
	cells := []string{head}
	for i, values := range all {
		str := "–"
		if len(values) > 0 {
			unit := metric.StatisticOf(percentiles[i].name, of)
			share, _ := cell.Uncertain(unit)
			str = text.Uncertain(unit, statistics.Median(values), share)
		}
		cells = append(cells, str)
	}
	return cells
}

// writePercentiles writes milliseconds by percentile, a text that the tools of HdrHistogram read.
func (e *loadSeries) writePercentiles() error {
	for k, s := range e.spreads {
		if s.responses == nil {
			continue
		}
		path := filepath.Join(e.Dir.Path(), filepath.FromSlash(
			rundir.PercentilesFile(e.loads[k].Name)))
		err := files.MakeDir(filepath.Dir(path))
		if err == nil {
			err = rundir.Replace(path, func(w io.Writer) error {
				_, err := s.responses.PercentilesPrint(w, 5, 1e6)
				return err
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// For one load showSpread prints each phase and a histogram, for several loads the response time of
// each.
func (e *loadSeries) showSpread(rows []Row) error {
	head := []string{"response"}
	if len(rows) == 1 {
		head[0] = ""
	}
	for _, p := range percentiles {
		head = append(head, p.name)
	}
	lines := [][]string{head}
	add := func(row []string) {
		if row != nil {
			lines = append(lines, row)
		}
	}
	if len(rows) == 1 {
		for _, p := range phases {
			add(e.spreads[0].row(p.head, p.of, rows[0].Cell))
		}
	} else {
		for k, r := range rows {
			add(e.spreads[k].row(r.Strategy, metric.Response, r.Cell))
		}
	}
	if len(lines) == 1 {
		return nil
	}
	fmt.Fprintln(e.Stdout)
	if err := e.Table(lines); err != nil || len(rows) > 1 {
		return err
	}
	width := Width
	if n := e.Columns(); n > 0 {
		width = min(width, n)
	}
	for i, line := range histogram(e.spreads[0].responses, width) {
		if i == 0 {
			fmt.Fprintln(e.Stdout)
		}
		fmt.Fprintln(e.Stdout, line)
	}
	return nil
}

const maxBars = 8

// The upper ends of a histogram's rows grow geometrically, so both the body and a long tail are
// visible.
func histogram(h *hdrhistogram.Histogram, width int) (lines []string) {
	if h == nil || h.TotalCount() == 0 {
		return nil
	}
	low, high := float64(max(h.Min(), 1)), float64(max(h.Max(), 1))
	// minimum ratio between successive rows, which would otherwise have equal labels
	const finest = 1.01
	rows := min(max(int(math.Log(high/low)/math.Log(finest)), 1), maxBars)
	counts, most := make([]int64, rows), int64(0)
	for _, bar := range h.Distribution() {
		if bar.Count == 0 {
			continue
		}
		i := 0
		if rows > 1 {
			at := math.Log(float64(max(bar.From, 1))/low) / math.Log(high/low)
			i = min(max(int(math.Ceil(at*float64(rows)))-1, 0), rows-1)
		}
		counts[i] += bar.Count
		most = max(most, counts[i])
	}
	digits := len(fmt.Sprint(most))
	for i, n := range counts {
		upTo := low * math.Pow(high/low, float64(i+1)/float64(rows))
		label := fmt.Sprintf("  ≤ %8s  %*d  ", text.Seconds(upTo/1e9), digits, n)
		lines = append(lines, strings.TrimRight(
			label+bar(float64(n)/float64(most), width-len([]rune(label))), " "))
	}
	return lines
}

// bar draws a share in eighths of a column. Any share above 0 is visible.
func bar(share float64, columns int) string {
	eighths := []rune(" ▏▎▍▌▋▊▉")
	n := int(math.Ceil(share * float64(8*max(columns, 1))))
	return strings.Repeat("█", n/8) + strings.TrimSpace(string(eighths[n%8]))
}

// traffic returns the bytes sent and received over all repetitions, or "" if they were not counted.
func traffic(cell results.Cell) string {
	var sent, received, connections, seconds float64
	known := false
	for _, run := range cell {
		n := float64(run.Iters)
		out, counted := run.Value(metric.SentBytes)
		in, _ := run.Value(metric.ReceivedBytes)
		opened, _ := run.Value(metric.Connections)
		took, _ := run.Value(metric.Makespan)
		known = known || counted
		sent, received, connections = sent+n*out, received+n*in, connections+n*opened
		seconds += took
	}
	if !known {
		return ""
	}
	opened := "connections"
	if math.Round(connections) == 1 {
		opened = "connection"
	}
	s := fmt.Sprintf("opened %.0f %s, sent %s, received %s", connections, opened,
		text.Size(sent), text.Size(received))
	if received > 0 && seconds > 0 {
		s += fmt.Sprintf(", %s/s", text.Size(received/seconds))
	}
	return s + " in bodies"
}
