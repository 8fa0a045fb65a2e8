package front

// Schema is the version of Data.
const Schema = 1

// Data is the input of the explorer. Equal parts are stored once. types.ts declares the same type,
// as a test checks. Values have all digits of results.txt.
type Data struct {
	Schema  int         `json:"schema"`
	Title   string      `json:"title"`
	Command string      `json:"command"` // reproduces the runs approximately, or ""
	About   [][2]string `json:"about"`   // machine and versions: key and value
	Enough  int         `json:"enough"`  // repetitions required for 95 % intervals
	// ranks, from 1, of a median's interval by the number of values
	Ranks [][2]int `json:"ranks"`
	// labels of several results, the baseline first
	Sources    []string     `json:"sources,omitempty"`
	Strategies []string     `json:"strategies"`
	Metrics    []Metric     `json:"metrics"`
	Shapes     [][]int      `json:"shapes"`  // metrics of runs, as indices
	Runs       [][]float64  `json:"runs"`    // index of a shape, then the value of each metric
	Reasons    []string     `json:"reasons"` // doubts on runs
	Curves     []Curve      `json:"curves"`
	Courses    []TimeSeries `json:"courses"`
	Scenarios  []Scenario   `json:"scenarios"`
}

// A Metric is a unit with its labels.
type Metric struct {
	ID     string `json:"id"`   // in links: p99
	Unit   string `json:"unit"` // in results.txt, normalized
	Label  string `json:"label"`
	Hint   string `json:"hint"`
	Better string `json:"better"` // lower, higher, or ""
	Kind   string `json:"kind"`   // seconds, rate, bytes, share, number
	// visible to callers, unlike, for example, the place where a task waits
	Behaviour bool `json:"behaviour"`
	Grows     bool `json:"grows"`  // with the length of the run, if the queue grows
	Theory    int  `json:"theory"` // index of the metric with its exact value. -1: none
	// objectives, in its unit
	Bounds []float64 `json:"bounds,omitempty"`
}

// A Scenario contains comparable cells.
type Scenario struct {
	ID       string   `json:"id"` // of its section on the page
	Title    string   `json:"title"`
	Facts    []string `json:"facts"`
	Study    string   `json:"study"` // its study, or ""
	Series   []Series `json:"series"`
	Axes     []Axis   `json:"axes"`
	Cells    []Cell   `json:"cells"`
	Paired   bool     `json:"paired"`
	Deadline float64  `json:"deadline"` // of the response, in seconds. 0: none
}

// A Series is a strategy in one result, with its style in package charts.
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
	Series  int   `json:"series"` // index in the scenario
	At      []int `json:"at"`     // index of its value by axis. -1: none
	Runs    []int `json:"runs"`   // repetitions, in order
	Growing bool  `json:"growing,omitempty"`
	// of the worst repetition. 0: VALID, 1: SUSPECT, 2: INVALID
	Verdict int   `json:"verdict,omitempty"`
	Reasons []int `json:"reasons,omitempty"`
	// index and relative 95 % error of metrics with uncertain values
	Uncertain [][2]float64 `json:"uncertain,omitempty"`

	Curve  int `json:"curve"`  // index. -1: none
	Course int `json:"course"` // index. -1: none
}

// A Curve is the response time by quantile. Sec[i] is at i/10 nines (0.99 has two). The last value
// is at Nines, the highest resolved quantile.
type Curve struct {
	Nines float64   `json:"nines"`
	Sec   []float64 `json:"sec"`
}

// TimeSeries is the time series of the first repetition.
type TimeSeries struct {
	Start  float64 `json:"start"`  // seconds from the first arrival to the first interval
	Step   float64 `json:"step"`   // seconds
	Flight []int   `json:"flight"` // at the end of each interval
	Queued []int   `json:"queued"` // at the same time
	Done   []int   `json:"done"`   // completed within the interval
	Lost   []int   `json:"lost"`   // shed, throttled, failed and abandoned within the interval
	// incompletely recorded intervals
	Missing []int `json:"missing,omitempty"`
}
