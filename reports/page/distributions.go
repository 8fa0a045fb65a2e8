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

type reportInput struct {
	results  *results.Results
	searches []*capacitySearch
	dir      string
	written  time.Time // modification time of results.txt, or zero
	draw     []FigureFunc
	figures  []Figure // made by the drawers

	// pooled over repetitions, in ns
	responses map[*Cell]*hdrhistogram.Histogram
	timelines map[*results.Run][]interval        // for runs with a chart or in the explorer
	slowest   map[*results.Run][]rundir.SlowTask // for runs with a chart
	heat      map[*results.Run][]stretch         // for runs with a chart
	failed    map[string][]rundir.FailedRun      // by name, # and seed
	detailed  []*Cell                            // with details in the explorer
	curves    map[*Cell]front.Curve              // of detailed cells
	notes     []string                           // missing parts
}

const panelsOfDistributions = 3

// readDistributions keeps histograms only for charts, since one uses about 200 kB and a file may
// contain a thousand.
func (in *reportInput) readDistributions(path string, groups []*Group) error {
	wanted := make(map[string]*Cell)
	missing := make(map[*Cell]int) // missing repetitions of detailed cells
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
		in.notes = append(in.notes, fmt.Sprintf("%s was cut off in line %d, which is omitted.",
			rundir.DistributionsFile, cutOff))
	}
	return err
}

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
