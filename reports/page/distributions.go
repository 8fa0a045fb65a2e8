package page

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/page/front"
	"github.com/poolbench/poolbench/reports/results"
)

// reportInput is what a run directory holds beside the groups of its results.
type reportInput struct {
	results  *results.Results
	searches []*capacitySearch
	dir      string
	written  time.Time // of results.txt, by the file system; zero where unknown
	draw     []Drawer
	figures  []Figure // that they drew

	// pooled over repetitions, in ns; only of cells that a chart shows
	responses map[*Cell]*hdrhistogram.Histogram
	timelines map[*results.Run][]interval        // only of runs that a chart or the explorer shows
	slowest   map[*results.Run][]rundir.SlowTask // only of runs that a chart shows
	heat      map[*results.Run][]stretch         // likewise
	failed    map[string][]rundir.FailedRun      // by name, # and seed
	detailed  []*Cell                            // that the explorer shows in detail
	curves    map[*Cell]front.Curve              // of these
	notes     []string                           // what is missing
}

// panelsOfDistributions is how many loads the chart of distributions shows side by side.
const panelsOfDistributions = 3

// readDistributions reads the response histograms that charts will show, and those of the detailed
// cells, of which it keeps the curves. The others stay encoded: a histogram of three digits takes
// some 200 kB, and a file may hold a thousand.
func (in *reportInput) readDistributions(path string, groups []*Group) error {
	wanted := make(map[string]*Cell)
	missing := make(map[*Cell]int) // repetitions, of detailed cells
	for _, c := range in.detailed {
		missing[c] = len(c.Cell)
		for _, r := range c.Cell {
			wanted[r.Tag(metric.Response)] = c
		}
	}
	charted := make(map[*Cell]bool)
	for _, g := range groups {
		for _, s := range g.Sweeps() {
			for _, x := range s.SpreadOut(panelsOfDistributions) {
				for _, c := range s.CellsAt(x) {
					charted[c] = true
					for _, r := range c.Cell {
						wanted[r.Tag(metric.Response)] = c
					}
				}
			}
		}
	}
	heat := wantHeat(groups)
	in.responses = make(map[*Cell]*hdrhistogram.Histogram)
	in.curves = make(map[*Cell]front.Curve)
	cutOff, err := rundir.EachHistogram(path,
		func(tag string) bool { return wanted[tag] != nil || heat[tag] != nil },
		func(line rundir.Histogram, h *hdrhistogram.Histogram) error {
			if r := heat[line.Tag]; r != nil {
				return in.addHeat(r, line, h)
			}
			c := wanted[line.Tag]
			err := in.pool(c, h)
			if missing[c]--; missing[c] == 0 {
				in.curves[c] = curveOf(in.responses[c])
				if !charted[c] {
					delete(in.responses, c)
				}
			}
			return err
		})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		in.notes = append(in.notes, rundir.DistributionsFile+
			" is missing: the report has no charts of distributions.")
		return nil
	case cutOff > 0:
		in.notes = append(in.notes, fmt.Sprintf("%s was cut off in line %d, which is left out.",
			rundir.DistributionsFile, cutOff))
	}
	return err
}

// pool adds the histogram of a repetition to those of its cell.
func (in *reportInput) pool(c *Cell, h *hdrhistogram.Histogram) error {
	before := in.responses[c]
	if before == nil {
		in.responses[c] = h
		return nil
	}
	if before.HighestTrackableValue() < h.HighestTrackableValue() {
		before, h = h, before
		in.responses[c] = before
	}
	if lost := before.Merge(h); lost > 0 {
		return fmt.Errorf("%d values do not fit the histogram of another repetition", lost)
	}
	return nil
}
