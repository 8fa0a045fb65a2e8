package reports

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"
)

// reportInput is what a run directory holds beside the groups of its results.
type reportInput struct {
	results  *Results
	searches []*capacitySearch
	dir      string
	written  time.Time // of results.txt, by the file system; zero where unknown
	draw     []Drawer

	responses map[*reportCell]*hdrhistogram.Histogram // pooled over repetitions, in ns; only of cells that a chart shows
	timelines map[*Run][]interval                     // only of runs that a chart shows
	notes     []string                                // what is missing
}

// panelsOfDistributions is how many loads the chart of distributions shows side by side.
const panelsOfDistributions = 3

// readDistributions reads the response histograms that charts will show. The others stay encoded: a histogram of
// three digits takes some 200 kB, and a file may hold a thousand.
func (in *reportInput) readDistributions(path string, groups []*reportGroup) error {
	wanted := make(map[string]*reportCell)
	for _, g := range groups {
		for _, s := range g.sweeps() {
			for _, x := range s.spreadOut(panelsOfDistributions) {
				for _, c := range s.cellsAt(x) {
					for _, r := range c.runs {
						wanted[distributionTag(r, "response")] = c
					}
				}
			}
		}
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		in.notes = append(in.notes, DistributionsFile+" is missing: the report has no charts of distributions.")
		return nil
	} else if err != nil {
		return pathError(path, err)
	}
	defer f.Close()
	in.responses = make(map[*reportCell]*hdrhistogram.Histogram)
	return in.readHistograms(f, path, wanted)
}

// distributionTag names the histogram of a run in the log. A tag of the log format cannot hold a comma.
func distributionTag(r *Run, reading string) string {
	return strings.ReplaceAll(r.Name, ",", ";") + "#" + strconv.Itoa(r.Repetition) + ":" + reading
}

func (in *reportInput) readHistograms(r io.Reader, path string, wanted map[string]*reportCell) error {
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := lines.ReadString('\n')
		cut := errors.Is(err, io.EOF)
		if err != nil && !cut {
			return pathError(path, err)
		}
		if line == "" {
			return nil
		}
		if cut {
			// The runner ends every line; this one was being written when it was killed.
			in.notes = append(in.notes, fmt.Sprintf("%s was cut off in line %d, which is left out.", DistributionsFile, n))
			return nil
		}
		tag, tagged := strings.CutPrefix(line, "Tag=")
		tag, _, _ = strings.Cut(tag, ",")
		c := wanted[tag]
		if !tagged || c == nil {
			continue
		}
		// The log reader skips what it does not understand, and does not count lines: it is given one at a time.
		h, err := hdrhistogram.NewHistogramLogReader(strings.NewReader(line)).NextIntervalHistogram()
		if err == nil && h == nil {
			err = errors.New("not a line of a histogram log")
		}
		if err == nil {
			err = in.pool(c, h)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", Pos{path, n}, err)
		}
	}
}

// pool adds the histogram of a repetition to those of its cell.
func (in *reportInput) pool(c *reportCell, h *hdrhistogram.Histogram) error {
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
