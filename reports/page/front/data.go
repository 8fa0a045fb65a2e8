package front

// Schema is the version of Data.
const Schema = 1

// Data is the input of the explorer: each run, curve, time series and reason once. The script
// declares the same type (types.ts), which a test checks. All values of metrics equal those in
// results.txt, to the last digit.
type Data struct {
	Schema  int         `json:"schema"`
	Title   string      `json:"title"`
	Command string      `json:"command"` // reproduces the runs, at least approximately, or ""
	About   [][2]string `json:"about"`   // the machine, the versions: key and value
	Enough  int         `json:"enough"`  // repetitions from which intervals are 95 % intervals
	// by the number of values: the ranks, from 1, of the interval of their median
	Ranks [][2]int `json:"ranks"`
	// labels of several results. All are compared with the first
	Sources    []string    `json:"sources,omitempty"`
	Strategies []string    `json:"strategies"`
	Metrics    []Metric    `json:"metrics"`
	Shapes     [][]int     `json:"shapes"`  // indices of the metrics of runs
	Runs       [][]float64 `json:"runs"`    // index of a shape, then the value of each metric
	Reasons    []string    `json:"reasons"` // doubts on runs
	Curves     []Curve     `json:"curves"`
	Courses    []Course    `json:"courses"`
	Scenarios  []Scenario  `json:"scenarios"`
}

// A Metric is a unit with its labels.
type Metric struct {
	ID     string `json:"id"`   // in links: p99
	Unit   string `json:"unit"` // in results.txt, tidied
	Label  string `json:"label"`
	Hint   string `json:"hint"`
	Better string `json:"better"` // lower, higher, or ""
	Kind   string `json:"kind"`   // seconds, rate, bytes, share, number
	// callers notice a difference in it, unlike, for example, the place where a task waits
	Behaviour bool `json:"behaviour"`
	Grows     bool `json:"grows"`  // with the length of the run, if a run falls behind
	Theory    int  `json:"theory"` // index of the metric with its exact value. -1: none
	// objectives, in its unit
	Bounds []float64 `json:"bounds,omitempty"`
}

// A Scenario contains comparable cells, which differ in strategy and on its axes.
type Scenario struct {
	ID     string   `json:"id"` // of its section on the page
	Title  string   `json:"title"`
	Facts  []string `json:"facts"`
	Study  string   `json:"study"` // its study, or ""
	Series []Series `json:"series"`
	Axes   []Axis   `json:"axes"`
	Cells  []Cell   `json:"cells"`
	// repetitions with the same number had the same arrivals and task times for all strategies
	Paired   bool    `json:"paired"`
	Deadline float64 `json:"deadline"` // of the response, in seconds. 0: none
}

// A Series is a strategy of a scenario in one of the results. Its style is that of package charts.
type Series struct {
	Strategy int `json:"strategy"`
	Style    int `json:"style"`
	Source   int `json:"source,omitempty"` // index, if there are several
}

// An Axis is a quantity that varies among cells.
type Axis struct {
	Key   string    `json:"key"`   // load, rate, limit
	Label string    `json:"label"` // below the axis
	Unit  string    `json:"unit"`  // after a value: /s
	Log   bool      `json:"log"`
	At    []float64 `json:"at"` // sorted values
}

// A Cell is a strategy at one value of each axis.
type Cell struct {
	Series int   `json:"series"` // index, in the scenario
	At     []int `json:"at"`     // by axis: index of its value. -1: the cell has none
	Runs   []int `json:"runs"`   // repetitions, in order
	// the queue grew throughout the arrivals
	Growing bool `json:"growing,omitempty"`
	// of the worst repetition: 0: VALID, 1: SUSPECT, 2: INVALID
	Verdict int   `json:"verdict,omitempty"`
	Reasons []int `json:"reasons,omitempty"`
	// metrics with uncertain values: the index, and the relative 95 % error
	Uncertain [][2]float64 `json:"uncertain,omitempty"`

	Curve  int `json:"curve"`  // index. -1: none
	Course int `json:"course"` // index. -1: none
}

// A Curve is the response by quantile, over all repetitions: Sec[i] at i/10 nines, where the
// quantile 0.99 has two nines. The last value is at Nines, the highest resolved quantile.
type Curve struct {
	Nines float64   `json:"nines"`
	Sec   []float64 `json:"sec"`
}

// A Course is the time series of the first repetition, in intervals of equal length.
type Course struct {
	Start  float64 `json:"start"`  // seconds from the first arrival to the first interval
	Step   float64 `json:"step"`   // seconds
	Flight []int   `json:"flight"` // in flight at the end of each interval
	Queued []int   `json:"queued"` // queued at the same time
	Done   []int   `json:"done"`   // completed within it
	Lost   []int   `json:"lost"`   // shed, throttled, failed and abandoned within it
	// intervals that are not completely recorded
	Missing []int `json:"missing,omitempty"`
}
