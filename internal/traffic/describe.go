package traffic

import (
	"cmp"
	"math"
	"slices"

	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/traffic/traces"
)

// A Description contains the properties of recorded tasks. Times are in seconds.
type Description struct {
	Tasks  int     `json:"tasks"`
	Span   float64 `json:"span_sec"`            // from the first arrival to the last
	Rate   float64 `json:"rate_per_sec"`        // gaps over span
	Course []int   `json:"course"`              // tasks in equal parts of the span
	Peak   Peak    `json:"peak"`                // the busiest tenth of the span
	GapC2  float64 `json:"gap_c2"`              // squared coefficient of variation of the gaps
	GapRho float64 `json:"gap_autocorrelation"` // of a gap and the next; 0 if all are equal
	// share of the tasks that arrived at the same instant as the one before
	Together   float64      `json:"together_share"`
	Dispersion []Dispersion `json:"dispersion"` // by window
	Swing      *Swing       `json:"swing"`      // null if the rate is steady
	Durations  *Durations   `json:"durations,omitempty"`
	Classes    []Class      `json:"classes,omitempty"` // those with most of the work first
}

type Peak struct {
	From float64 `json:"from_sec"` // since the first arrival
	Rate float64 `json:"rate_per_sec"`
}

// A Dispersion is the index of dispersion of the counts in windows of one length.
type Dispersion struct {
	Window float64 `json:"window_sec"`
	Index  float64 `json:"index"`
}

// A Likeness compares a built-in process with the recorded arrivals.
type Likeness struct {
	Arrival string `json:"arrival"` // to be used with the rate of the record
	// Factor is the largest ratio of the variances of the counts, in windows of any length, and at
	// least 1.
	Factor float64 `json:"factor"`
}

type Durations struct {
	Mean float64 `json:"mean_sec"`
	P50  float64 `json:"p50_sec"`
	P99  float64 `json:"p99_sec,omitempty"` // 0: too few tasks
	Max  float64 `json:"max_sec"`
	C2   float64 `json:"c2"`
	Rho  float64 `json:"autocorrelation"` // of a duration and the next
	// Busy is rate × mean, the mean number of busy slots. A limit must be above it.
	Busy float64 `json:"busy"`
}

type Class struct {
	Name  string  `json:"name"`
	Tasks int     `json:"tasks"`
	Share float64 `json:"share"`      // of the tasks
	Work  float64 `json:"work_share"` // of the sum of the durations; 0 without durations
	Mean  float64 `json:"mean_sec"`
	C2    float64 `json:"c2"` // of its durations
	Long  bool    `json:"long"`
}

const (
	courseParts = 60
	peakShare   = 0.1
	// MinWindows is the least number of windows for an index. Its standard deviation is then 20
	// %.
	MinWindows = 50
	ladder     = 10 // ratio of the lengths of successive windows
)

// Describe describes tasks in the order of arrival, at two or more instants. timed means that the
// durations are known.
func Describe(due []traces.Record, timed bool) Description {
	n := len(due)
	span := Span(due) / 1e9
	d := Description{Tasks: n, Span: span, Rate: float64(n-1) / span,
		Course: counts(due, courseParts), Peak: peak(due)}
	together := 0
	for i := range n - 1 {
		if due[i+1].At == due[i].At {
			together++
		}
	}
	d.GapC2, d.GapRho = moments(n-1, func(i int) float64 {
		return float64(due[i+1].At - due[i].At)
	})
	d.Together = float64(together) / float64(n)
	d.Dispersion = Dispersions(due)
	d.Swing = SwingOf(due)
	if timed {
		d.Durations = durations(due, d.Rate)
	}
	return d
}

func Span(due []traces.Record) float64 { return float64(due[len(due)-1].At - due[0].At) }

func counts(due []traces.Record, parts int) []int {
	c := make([]int, parts)
	first, span := due[0].At, Span(due)
	for _, r := range due {
		c[min(int(float64(r.At-first)/span*float64(parts)), parts-1)]++
	}
	return c
}

func peak(due []traces.Record) (p Peak) {
	length := max(int64(Span(due)*peakShare), 1)
	most, last := 0, 0
	for first, r := range due {
		for last < len(due) && due[last].At < r.At+length {
			last++
		}
		if last-first > most {
			most, p.From = last-first, float64(r.At-due[0].At)/1e9
		}
	}
	p.Rate = float64(most) / (float64(length) / 1e9)
	return p
}

const rounding = 1e-20

func moments(n int, value func(i int) float64) (c2, rho float64) {
	mean := 0.0
	for i := range n {
		mean += value(i) / float64(n)
	}
	var squares, products, before float64
	for i := range n {
		off := value(i) - mean
		squares += off * off
		products += off * before
		before = off
	}
	if c2 = squares / float64(n) / (mean * mean); !(c2 > rounding) { // includes 0/0
		return 0, 0
	}
	return c2, products / squares
}

// Dispersions returns the indices for windows of 1, 10, 100 and so on mean gaps.
func Dispersions(due []traces.Record) (all []Dispersion) {
	n, span := len(due), Span(due)
	for window := span / float64(n-1); span/window >= MinWindows; window *= ladder {
		all = append(all, Dispersion{window / 1e9, Index(due, window)})
	}
	return all
}

// It ignores tasks after the last complete window.
func Index(due []traces.Record, window float64) float64 {
	parts := int(Span(due) / window)
	var sum, squares float64
	i := 0
	for part := range parts {
		n := 0.0
		for ; i < len(due) && float64(due[i].At-due[0].At) < window*float64(part+1); i++ {
			n++
		}
		sum += n
		squares += n * n
	}
	mean := sum / float64(parts)
	return math.Max(squares/float64(parts)-mean*mean, 0) / mean
}

func durations(tasks []traces.Record, rate float64) *Durations {
	sum := 0.0
	took := make([]int64, len(tasks)) // sorted below
	for i, r := range tasks {
		took[i] = r.Took()
		sum += float64(took[i])
	}
	var d Durations
	d.C2, d.Rho = moments(len(took), func(i int) float64 { return float64(took[i]) })
	d.Mean = sum / float64(len(took)) / 1e9
	d.Busy = rate * d.Mean
	q := statistics.NearestRanks(nil, took, 0.5, 0.99, 1)
	d.P50, d.Max = float64(q[0])/1e9, float64(q[2])/1e9
	if statistics.Resolvable(0.99, len(took)) {
		d.P99 = float64(q[1]) / 1e9
	}
	return &d
}

func Classes(tasks []traces.Record, names []string, long []bool) []Class {
	all := make([]Class, len(names))
	sums, squares := make([]float64, len(names)), make([]float64, len(names))
	for _, r := range tasks {
		all[r.Class()].Tasks++
		sums[r.Class()] += float64(r.Took())
	}
	total := 0.0
	for i, name := range names {
		n := float64(max(all[i].Tasks, 1))
		total += sums[i]
		all[i].Name, all[i].Long = name, long[i]
		all[i].Share, all[i].Mean = n/float64(len(tasks)), sums[i]/n
	}
	for _, r := range tasks {
		off := float64(r.Took()) - all[r.Class()].Mean
		squares[r.Class()] += off * off
	}
	for i := range all {
		if c := &all[i]; sums[i] > 0 {
			c.C2 = squares[i] / float64(c.Tasks) / (c.Mean * c.Mean)
			c.Work = sums[i] / total
			c.Mean /= 1e9
		}
	}
	all = slices.DeleteFunc(all, func(c Class) bool { return c.Tasks == 0 }) // of another window
	slices.SortStableFunc(all, func(a, b Class) int {
		return cmp.Or(cmp.Compare(b.Work, a.Work), b.Tasks-a.Tasks)
	})
	return all
}
