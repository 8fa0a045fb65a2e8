package front

// Schema is the version of Data.
const Schema = 1

// Data is what the explorer draws from: each run, curve, course and reason once. The script has the
// same type (types.ts), and a test holds the two together. All values of metrics are those of
// results.txt, to the last digit.
type Data struct {
	Schema  int         `json:"schema"`
	Title   string      `json:"title"`   // of the directory
	Command string      `json:"command"` // that runs the same, or nearly; "": not known
	About   [][2]string `json:"about"`   // the machine, the versions: key and value
	Enough  int         `json:"enough"`  // repetitions from which intervals are of 95 %
	// by the number of values: the ranks, from 1, between which the interval of their median lies
	Ranks [][2]int `json:"ranks"`
	// results that are shown together, by their labels; the others are held against the first
	Sources    []string    `json:"sources,omitempty"`
	Strategies []string    `json:"strategies"`
	Metrics    []Metric    `json:"metrics"`
	Shapes     [][]int     `json:"shapes"`  // metrics that runs have: indices
	Runs       [][]float64 `json:"runs"`    // the index of a shape, then the value of each metric
	Reasons    []string    `json:"reasons"` // against runs
	Curves     []Curve     `json:"curves"`
	Courses    []Course    `json:"courses"`
	Scenarios  []Scenario  `json:"scenarios"`
}

// A Metric is a unit with its words.
type Metric struct {
	ID     string `json:"id"`   // in links: p99
	Unit   string `json:"unit"` // in results.txt, tidied
	Label  string `json:"label"`
	Hint   string `json:"hint"`
	Better string `json:"better"` // lower, higher, or ""
	Kind   string `json:"kind"`   // seconds, rate, bytes, share, number
	// strategies that differ in it do not behave alike; where a task waits, say, is a strategy's
	// own affair
	Behaviour bool `json:"behaviour"`
	Grows     bool `json:"grows"`  // with the length of the run, where a run falls behind
	Theory    int  `json:"theory"` // index of the metric with its exact value; -1: none
	// what the runs were held to, in its unit
	Bounds []float64 `json:"bounds,omitempty"`
}

// A Scenario is what may be compared: cells that differ in strategy and in what is on its axes.
type Scenario struct {
	ID     string   `json:"id"` // of its section on the page
	Title  string   `json:"title"`
	Facts  []string `json:"facts"`
	Study  string   `json:"study"` // that it was made for; "": none
	Series []Series `json:"series"`
	Axes   []Axis   `json:"axes"`
	Cells  []Cell   `json:"cells"`
	// the repetitions of one number had the same arrivals and task times with all strategies
	Paired   bool    `json:"paired"`
	Deadline float64 `json:"deadline"` // of the response, in seconds; 0: none
}

// A Series is a strategy of a scenario in one of the results; its style is that of package charts.
type Series struct {
	Strategy int `json:"strategy"`
	Style    int `json:"style"`
	Source   int `json:"source,omitempty"` // index, where there are several
}

// An Axis is what cells lie along.
type Axis struct {
	Key   string    `json:"key"`   // load, rate, limit
	Label string    `json:"label"` // below the axis
	Unit  string    `json:"unit"`  // after a value: /s
	Log   bool      `json:"log"`
	At    []float64 `json:"at"` // the values, sorted
}

// A Cell is a strategy at one value of each axis.
type Cell struct {
	Series int   `json:"series"` // index, in the scenario
	At     []int `json:"at"`     // by axis: index of its value, -1: the cell has none
	Runs   []int `json:"runs"`   // repetitions, in their order
	// the queue grew for as long as the arrivals lasted
	Growing bool `json:"growing,omitempty"`
	// 0: VALID, 1: SUSPECT, 2: INVALID: of the worst repetition
	Verdict int   `json:"verdict,omitempty"`
	Reasons []int `json:"reasons,omitempty"`
	// metrics whose values are uncertain: the index, and the relative 95 % error
	Uncertain [][2]float64 `json:"uncertain,omitempty"`

	Curve  int `json:"curve"`  // index; -1: none
	Course int `json:"course"` // index; -1: none
}

// A Curve is the response over the quantiles, all repetitions together: Sec[i] at i/10 nines, where
// the quantile 0.99 has two nines; the last at Nines, as far as the tasks resolve it.
type Curve struct {
	Nines float64   `json:"nines"`
	Sec   []float64 `json:"sec"`
}

// A Course is what went on in the first repetition, in intervals of one length.
type Course struct {
	Start  float64 `json:"start"`  // seconds from the first arrival to the first interval
	Step   float64 `json:"step"`   // seconds
	Flight []int   `json:"flight"` // in flight at the end of each interval
	Queued []int   `json:"queued"` // queued then
	Done   []int   `json:"done"`   // completed within it
	Lost   []int   `json:"lost"`   // shed, throttled, failed and abandoned within it
	// intervals that are not recorded in full
	Missing []int `json:"missing,omitempty"`
}
