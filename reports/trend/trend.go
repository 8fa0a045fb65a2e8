package trend

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/poolbench/poolbench/internal/changepoint"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// Options are the settings of Find.
type Options struct {
	Metrics []string `json:"-"`     // only these, tidied or not. none means all
	Alpha   float64  `json:"alpha"` // probability of any false alarm in all series. 0 means 0.05
	// changes of a level by a smaller share are counted and not listed
	Margin float64 `json:"margin"`
	// list only changes that begin in that many last results. 0 means all
	Last int    `json:"-"`
	Seed uint64 `json:"-"` // of the permutations
}

// Trend contains the lasting changes of metrics through a series of results.
type Trend struct {
	Results []string `json:"results"` // labels, in order
	Options          // with defaults filled in
	Tested  int      `json:"tested"` // tested series: those that vary and are long enough
	// results that a series needs for a significant change
	Enough int `json:"enough"`
	// no series has enough results, and no shorter one shows a change
	Undecided bool `json:"undecided"`
	// by benchmark and metric, in the order of first appearance
	Series []Series `json:"series"`
	// why runs are SUSPECT or INVALID
	Doubts   []string `json:"doubts"`
	Warnings []string `json:"warnings"`
}

// Series is one metric of one benchmark through the results.
type Series struct {
	Benchmark string            `json:"benchmark"` // with its package, if any
	Unit      string            `json:"unit"`
	Better    results.Direction `json:"better"`
	At        []int             `json:"at"`        // the results that have it, ascending
	Values    []float64         `json:"values"`    // median of the runs in each
	Suspect   []int             `json:"suspect"`   // results with SUSPECT runs
	Uncertain []int             `json:"uncertain"` // results with an error above 25 %
	Errors    []results.Number  `json:"errors"`    // of Uncertain, relative
	Changes   []Change          `json:"changes"`   // listed changes, in order
	// lag-1 autocorrelation of ranks within levels, if there are changes
	Rho     float64 `json:"rho"`
	MostRho float64 `json:"most_rho"` // its expected maximum for that many results
	// at a correlation of MostRho, chance would cause such changes more often than Alpha
	Doubtful bool      `json:"doubtful"`
	Unlisted int       `json:"unlisted"` // changes below the margin, or before the last results
	earlier  int       // those before the last results
	levels   []float64 // medians of the stretches between changes
}

// Change is the start of a new level.
type Change struct {
	At     int            `json:"at"`     // index of the first result of the new level
	Result string         `json:"result"` // its label
	Before float64        `json:"before"` // medians of the levels
	After  float64        `json:"after"`
	Ratio  results.Number `json:"ratio"`  // of the levels: 1 for none, +Inf from 0
	P      float64        `json:"p"`      // probability of such a change by chance
	Word   string         `json:"change"` // better, worse, or differs without a known direction
	// SUSPECT if a run of the two levels is, else ""
	Doubt string `json:"doubt,omitempty"`

	aboutBefore, aboutAfter bool // a value of the level is uncertain
}

// Find finds changes in every metric of every benchmark through the inputs, which must be in the
// order of time.
//
// Each of m series is tested at the level Alpha/m (Bonferroni), so the probability of any false
// alarm is at most Alpha. From 10 for one series, each tenfold of m needs about three more results.
// Only series with changes need time: 2m/Alpha permutations each, 0.15 s for 60 results and a
// thousand series.
//
// The level is guaranteed if results without a change are exchangeable. A series whose neighbours
// are too similar for this is Doubtful.
//
// A value is the median of a benchmark's runs in one result. Results with an INVALID run of a
// benchmark are excluded from its series. Errors are: fewer than two inputs, contradicting Unit
// lines, a metric of opts that is in none, and too many samples (results.ErrSamples).
func Find(inputs []results.Input, opts Options) (*Trend, error) {
	if len(inputs) < 2 {
		return nil, errors.New("a trend needs two results or more")
	}
	opts.Alpha = cmp.Or(opts.Alpha, 0.05)
	units, err := results.MergeUnits(inputs)
	if err != nil {
		return nil, err
	}
	metrics, err := results.ChooseMetrics(opts.Metrics, inputs)
	if err != nil {
		return nil, err
	}
	t := &Trend{Results: results.LabelsOf(inputs), Options: opts}
	if err := t.gather(inputs, metrics); err != nil {
		return nil, err
	}
	search := changepoint.Default()
	for i := range t.Series {
		if s := &t.Series[i]; len(s.Values) >= 2*search.Shortest &&
			slices.Min(s.Values) < slices.Max(s.Values) {
			t.Tested++
		}
		t.Series[i].Better = results.Direction(units.GetBetter(t.Series[i].Unit))
	}
	search.Alpha = opts.Alpha / float64(max(1, t.Tested))
	if search.Alpha < minLevel || opts.Alpha >= 1 {
		return nil, fmt.Errorf("alpha %v: want a share from %v below 1, for %s", opts.Alpha,
			minLevel*float64(max(1, t.Tested)), text.Count(t.Tested, "series"))
	}
	// With 1/Alpha permutations a p of Alpha/2 would be found 3 times in 5, with twice as many 3
	// times in 4.
	search.Permutations = max(search.Permutations, int(math.Ceil(2/search.Alpha))-1)
	t.Enough = search.Enough()
	t.findAll(search)
	t.Undecided = !slices.ContainsFunc(t.Series, func(s Series) bool {
		return len(s.Values) >= t.Enough || len(s.levels) > 1
	})
	t.Warnings = slices.Concat(t.Warnings, missingBenchmarks(inputs), environmentChanges(inputs),
		results.InputWarnings(inputs))
	return t, nil
}

// Every changed series needs 2/minLevel permutations.
const minLevel = 1e-6

// Each series has its own seed, so the order of the searches does not matter.
func (t *Trend) findAll(search changepoint.Options) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(t.Series)); i = next.Add(1) - 1 {
				s, with := &t.Series[i], search
				with.Seed = t.Options.Seed ^ seedFor(s.Benchmark, s.Unit)
				s.find(with, t.Options, t.Results)
			}
		})
	}
	wait.Wait()
}

func seedFor(texts ...string) uint64 {
	h := fnv.New64a()
	for _, text := range texts {
		h.Write([]byte(text)) // a hash never fails
		h.Write([]byte{0})
	}
	return h.Sum64()
}

func (t *Trend) gather(inputs []results.Input, metrics []string) error {
	var benchmarks []string
	cells := map[string][]results.Cell{} // of a benchmark, by result
	for at, in := range inputs {
		for i := range in.Results.Runs {
			run := &in.Results.Runs[i]
			name := run.Qualified()
			if cells[name] == nil {
				cells[name] = make([]results.Cell, len(inputs))
				benchmarks = append(benchmarks, name)
			}
			cells[name][at] = append(cells[name][at], run)
		}
	}
	suspect := map[string][]int{}
	var doubted []*results.DoubtfulCell
	for _, name := range benchmarks {
		suspect[name] = []int{}
		for at, cell := range cells[name] {
			if !cell.Judged() {
				continue
			}
			d := results.NewDoubted("", t.Results[at], cell)
			if d == nil {
				continue
			}
			if len(benchmarks) > 1 {
				d.Row = name
			}
			doubted = append(doubted, d)
			if d.Verdict == results.Suspect {
				suspect[name] = append(suspect[name], at)
			}
		}
	}
	count := map[string]int{} // benchmarks, by result
	for _, of := range cells {
		for at, cell := range of {
			if len(cell) > 0 {
				count[t.Results[at]]++
			}
		}
	}
	t.Doubts = results.DoubtLines(doubted, count)
	if slices.ContainsFunc(doubted, func(d *results.DoubtfulCell) bool {
		return d.Verdict == results.Invalid
	}) {
		t.Doubts = append(t.Doubts, "a benchmark with an INVALID run is omitted from that result")
	}
	having, err := benchmarksWith(metrics, benchmarks, cells)
	if err != nil {
		return err
	}
	for _, unit := range metrics {
		for _, name := range having[unit] {
			s := Series{Benchmark: name, Unit: unit, Changes: []Change{}, Suspect: suspect[name],
				Uncertain: []int{}, Errors: []results.Number{}}
			for at, cell := range cells[name] {
				v := cell.Value(unit)
				if math.IsNaN(v) || slices.ContainsFunc(cell, (*results.Run).Invalid) {
					continue
				}
				s.At, s.Values = append(s.At, at), append(s.Values, v)
				if share, uncertain := cell.Uncertain(unit); uncertain {
					s.Uncertain = append(s.Uncertain, at)
					s.Errors = append(s.Errors, results.Number(share))
				}
			}
			if len(s.Values) > 0 {
				t.Series = append(t.Series, s)
			}
		}
	}
	return nil
}

func benchmarksWith(
	metrics, benchmarks []string, cells map[string][]results.Cell,
) (having map[string][]string, err error) {
	chosen := make(map[string]bool, len(metrics))
	for _, unit := range metrics {
		chosen[unit] = true
	}
	having = make(map[string][]string)
	samples := 0
	for _, name := range benchmarks {
		in := make(map[string]int) // the last input, from 1, that has a metric
		for at, cell := range cells[name] {
			for _, run := range cell {
				for unit := range run.Values {
					if !chosen[unit] || in[unit] == at+1 {
						continue
					}
					if in[unit] == 0 {
						having[unit] = append(having[unit], name)
					}
					in[unit] = at + 1
					samples++
				}
			}
		}
		if samples > results.MaxSamples {
			return nil, results.ErrSamples
		}
	}
	return having, nil
}

func (s *Series) find(search changepoint.Options, opts Options, labels []string) {
	points := changepoint.Find(s.Values, search)
	d := changepoint.Depends(s.Values, points, search)
	s.Rho, s.MostRho, s.Doubtful = d.Rho, d.Most, d.Doubtful
	from := 0
	var suspect, uncertain []bool // by level
	for _, p := range append(points, changepoint.Point{Index: len(s.Values)}) {
		s.levels = append(s.levels, statistics.Median(s.Values[from:p.Index]))
		among := func(some []int) bool {
			return slices.ContainsFunc(s.At[from:p.Index], func(at int) bool {
				return slices.Contains(some, at)
			})
		}
		suspect = append(suspect, among(s.Suspect))
		uncertain = append(uncertain, among(s.Uncertain))
		from = p.Index
	}
	for i, p := range points {
		at, before, after := s.At[p.Index], s.levels[i], s.levels[i+1]
		c := Change{At: at, Result: labels[at], Before: before, After: after,
			Ratio: results.Number(statistics.Ratio(before, after)), P: p.P, Word: "differs",
			aboutBefore: uncertain[i], aboutAfter: uncertain[i+1]}
		if suspect[i] || suspect[i+1] {
			c.Doubt = results.Suspect.String()
		}
		if s.Better != 0 && c.Before != c.After {
			c.Word = "worse"
			if (c.After > c.Before) == (s.Better > 0) {
				c.Word = "better"
			}
		}
		recent := opts.Last == 0 || c.At >= len(labels)-opts.Last
		if recent && math.Abs(c.After-c.Before) >= opts.Margin*math.Abs(c.Before) {
			s.Changes = append(s.Changes, c)
			continue
		}
		if s.Unlisted++; !recent {
			s.earlier++
		}
	}
}

// Worse reports whether a listed change is for the worse.
func (t *Trend) Worse() bool {
	return slices.ContainsFunc(t.Series, func(s Series) bool {
		return slices.ContainsFunc(s.Changes, func(c Change) bool { return c.Word == "worse" })
	})
}
