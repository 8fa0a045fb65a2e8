package reports

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/internal/judge"
)

// tailUnit is a quantile of one of the clock readings that a run directory keeps histograms of.
var tailUnit = regexp.MustCompile(`^p(\d+(?:\.\d+)?)-(response|wait|service)-sec$`)

// leastTail is the lowest quantile that is judged by histograms: below it, one value of each run tells as much.
const leastTail = 0.99

// tailOf takes a metric apart; ok when it is a tail.
func tailOf(unit string) (quantile float64, reading string, ok bool) {
	m := tailUnit.FindStringSubmatch(unit)
	if m == nil {
		return 0, "", false
	}
	percent, err := strconv.ParseFloat(m[1], 64)
	quantile = percent / 100
	return quantile, m[2], err == nil && quantile >= leastTail && quantile < 1
}

// findTails gives the histograms of their runs to the candidates that are tails and come in pairs, where both inputs are run directories.
// A candidate whose runs do not all have one, with enough tasks for its quantile, is judged by the values of its runs.
func (r *GateReport) findTails(family []*candidate, old, new *Results) error {
	if old.Dir == "" || new.Dir == "" {
		return nil
	}
	var found [2]map[string]judge.Histogram
	for side, in := range []*Results{old, new} {
		wanted := make(map[string]bool)
		for _, c := range family {
			if _, reading, ok := tailOf(c.row.Metric); ok {
				for _, run := range [][]*Run{c.runs.old, c.runs.new}[side] {
					wanted[distributionTag(run, reading)] = true
				}
			}
		}
		if len(wanted) == 0 {
			return nil
		}
		var err error
		if found[side], err = r.readTails(filepath.Join(in.Dir, DistributionsFile), wanted); err != nil {
			return err
		}
	}
	without := 0
	for _, c := range family {
		q, reading, ok := tailOf(c.row.Metric)
		if !ok || len(c.pairs) == 0 {
			continue
		}
		var tails []judge.TailPair
		for i, run := range c.runs.old {
			a, b := found[0][distributionTag(run, reading)], found[1][distributionTag(c.runs.new[i], reading)]
			if min(a.Total(), b.Total()) < judge.Resolvable(q) {
				tails = nil
				break
			}
			tails = append(tails, judge.TailPair{Base: a, Head: b})
		}
		if len(tails) == len(c.pairs) {
			c.tails, c.quantile = tails, q
		} else {
			without++
		}
	}
	if without > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s without histograms of enough tasks in %s: judged by the values of the runs", count(without, "tail"), DistributionsFile))
	}
	return nil
}

// readTails reads the histograms of those tags, in seconds. A log that is missing holds none.
func (r *GateReport) readTails(path string, wanted map[string]bool) (map[string]judge.Histogram, error) {
	found := make(map[string]judge.Histogram)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	} else if err != nil {
		return nil, pathError(path, err)
	}
	defer f.Close()
	cutOff, err := eachHistogram(f, path, func(tag string) bool { return wanted[tag] }, func(tag string, h *hdrhistogram.Histogram) error {
		var err error
		found[tag], err = judgeable(h)
		return err
	})
	if cutOff > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s was cut off in line %d, which is left out", path, cutOff))
	}
	return found, err
}

// judgeable turns ns into seconds. The value of a bar is the greatest that counts there, as the quantiles of a run have it.
func judgeable(h *hdrhistogram.Histogram) (judge.Histogram, error) {
	var bins []judge.Bin
	for _, bar := range h.Distribution() {
		if bar.Count > 0 {
			bins = append(bins, judge.Bin{Value: float64(bar.To) / 1e9, Count: bar.Count})
		}
	}
	return judge.NewHistogram(bins)
}
