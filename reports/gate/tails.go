package gate

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/lazyregexp"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// tailUnit matches a quantile of a clock reading with histograms in run directories.
var tailUnit = lazyregexp.New(`^p(\d+(?:\.\d+)?)-(response|wait|service)-sec$`)

// Below minTail, one value per run has as much information as its histogram.
const minTail = 0.99

func tailOf(unit string) (quantile float64, reading string, ok bool) {
	m := tailUnit.FindStringSubmatch(unit)
	if m == nil {
		return 0, "", false
	}
	percent, err := strconv.ParseFloat(m[1], 64)
	quantile = percent / 100
	return quantile, m[2], err == nil && quantile >= minTail && quantile < 1
}

// findTails adds histograms to paired samples of tails. Samples with missing histograms, or too few
// tasks, are judged by the values of their runs.
func (in inputs) findTails(samples []judge.Sample, paired map[benchmarkID]results.Pairing) error {
	if in.old.Dir == "" || in.new.Dir == "" {
		return nil
	}
	found := [2]map[string]judge.Histogram{{}, {}} // wanted histograms, by tag
	for _, s := range samples {
		if _, reading, ok := tailOf(s.Unit); ok && len(s.Pairs) > 0 {
			runs := paired[benchmarkID{s.Package, s.Benchmark}]
			for i := range runs.Old {
				found[0][runs.Old[i].Tag(reading)] = judge.Histogram{}
				found[1][runs.New[i].Tag(reading)] = judge.Histogram{}
			}
		}
	}
	if len(found[0]) == 0 {
		return nil
	}
	for side, of := range in.both() {
		if err := in.readTails(filepath.Join(of.Dir, rundir.DistributionsFile),
			found[side]); err != nil {
			return err
		}
	}
	without := 0
	for i := range samples {
		s := &samples[i]
		q, reading, ok := tailOf(s.Unit)
		if !ok || len(s.Pairs) == 0 || equal(s.Pairs) {
			continue
		}
		runs := paired[benchmarkID{s.Package, s.Benchmark}]
		var tails []judge.TailPair
		for i, run := range runs.Old {
			a, b := found[0][run.Tag(reading)], found[1][runs.New[i].Tag(reading)]
			if min(a.Total(), b.Total()) < judge.Resolvable(q) {
				tails = nil
				break
			}
			tails = append(tails, judge.TailPair{Base: a, Head: b})
		}
		if len(tails) == len(s.Pairs) {
			s.Pairs, s.Tails, s.Quantile = nil, tails, q
		} else {
			without++
		}
	}
	if without > 0 {
		in.warn("%s without histograms of enough tasks in %s: compared by the values of the runs",
			text.Count(without, "tail"), rundir.DistributionsFile)
	}
	return nil
}

// Histograms are less exact than values.
func equal(pairs []judge.Pair) bool {
	return !slices.ContainsFunc(pairs, func(p judge.Pair) bool { return p.Base != p.Head })
}

// readTails returns seconds. A missing log has no histograms.
func (in inputs) readTails(path string, found map[string]judge.Histogram) error {
	wanted := func(tag string) bool {
		_, ok := found[tag]
		return ok
	}
	cutOff, err := rundir.EachHistogram(path, wanted,
		func(line rundir.Histogram, h *hdrhistogram.Histogram) error {
			var err error
			found[line.Tag], err = judgeable(h)
			return err
		})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if cutOff > 0 {
		in.warn("%s was cut off in line %d, which is omitted", path, cutOff)
	}
	return err
}

// judgeable converts ns to seconds. As in the quantiles of a run, the value of a bin is its
// largest.
func judgeable(h *hdrhistogram.Histogram) (judge.Histogram, error) {
	var bins []judge.Bin
	for _, bar := range h.Distribution() {
		if bar.Count > 0 {
			bins = append(bins, judge.Bin{Value: float64(bar.To) / 1e9, Count: bar.Count})
		}
	}
	return judge.NewHistogram(bins)
}
