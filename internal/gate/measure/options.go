package measure

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/text"
)

// Options are the revisions to compare and how to measure them; start from Defaults.
type Options struct {
	Dir  string // a directory of the module; Packages are relative to it
	Base string // revision, as git writes one
	// revision; "" is the working tree with its uncommitted changes, files that git ignores left
	// out
	Head string

	Packages []string // patterns as the go command takes them
	Bench    string   // benchmarks whose names match, as go test -bench takes it
	Skip     string   // and do not match this, as go test -skip takes it; "" leaves nothing out

	Args  []string // for the test binaries, after those of package testing
	Setup string   // a command for sh, run in the module of both checkouts before they are built

	BenchTime BenchTime // of one run
	Layouts   int       // test binaries for each side, each with its functions in another order
	// of every draw: orders, layouts, and what the benchmarks read from SeedVariable
	Seed  uint64
	Limit time.Duration // on the real time of a process; 0 is DefaultLimit
	// gate only these units; none: all whose direction is known, but for a few
	Metrics []string
	Better  map[string]verdict.Direction // of tidied units; goes before Unit lines

	Allow []verdict.Allowance // by which allocations may grow

	Judge judge.Options
	// unless nil, the module's benchmarks are judged by these settings, and the controls by Judge;
	// both have the same number of ScreenPairs
	Rule *judge.Options

	FailOnRemoved    bool // a benchmark that only the base has is a regression
	AllowEnvironment bool // measure also where base and head ask for different Go versions

	Out    string // directory of the journal and the report; it is made
	Resume bool   // go on with the journal that is there
	// Resume also where the number of fresh pairs was another
	AnyPairs bool
	Force    bool   // replace the gate that is there
	Beside   string // a file of the caller's, which may be in Out

	// Control is the command of a benchmark with a fixed amount of work, or with 15 % more when
	// slower. It takes its time from the last argument, in the form of -test.benchtime, and prints
	// one result line that begins with ControlName.
	Control func(slower bool, benchTime string) []string

	// Guard is a command that calls the function Guard with its input and its last argument, which
	// is added.
	Guard []string
}

// SeedVariable is the environment variable that is the same in both runs of a pair, and another in
// the next pair: a number below 2^63.
const SeedVariable = "POOLBENCH_SEED"

// ControlName is the name that the control's command prints.
const ControlName = "BenchmarkControl"

// ControlSlowdown is how much more work the slower control does. It must be found.
const ControlSlowdown = 0.15

// Defaults are 250 ms a run and 6 layouts of all benchmarks below the current directory, judged by
// judge.Defaults.
func Defaults() Options {
	return Options{Dir: ".", Packages: []string{"./..."}, Bench: ".",
		BenchTime: BenchTime{Time: 250 * time.Millisecond}, Layouts: 6, Seed: 1,
		Judge: judge.Defaults()}
}

// Validate joins all that makes no sense, each in a line of its own.
func (o Options) Validate() error {
	var wrong text.Complaints
	wrong.If(o.Base == "", "no base revision")
	for _, of := range []struct{ name, pattern string }{{"bench", o.Bench}, {"skip", o.Skip}} {
		for _, element := range elements(of.pattern) {
			if _, err := regexp.Compile(element); err != nil {
				wrong.Add("%s: %q is no regular expression: %w", of.name, of.pattern, err)
				break
			}
		}
	}
	wrong.If(o.Bench == "", "bench: want a regular expression, . for all")
	wrong.If(len(o.Packages) == 0, "no packages")
	wrong.If(o.Layouts < 1 || o.Layouts > 100, "layouts %d: want 1 to 100", o.Layouts)
	wrong.If(o.Judge.FreshPairs < 1 || o.Judge.FreshPairs > mostPairs, "pairs %d: want 1 to %d",
		o.Judge.FreshPairs, mostPairs)
	wrong.If(o.BenchTime == (BenchTime{}),
		"benchtime: want a time above 0, or a number of iterations")
	wrong.If(o.Limit < 0, "limit: want a duration above 0, got %v", o.Limit)
	wrong.If(o.Resume && o.Force, "resume and force exclude each other")
	if o.Control == nil {
		panic("measure: no control")
	}
	if len(o.Guard) == 0 {
		panic("measure: no guard")
	}
	if o.rule().ScreenPairs != o.Judge.ScreenPairs {
		panic("measure: benchmarks and controls with different numbers of screening pairs")
	}
	wrong = append(wrong, o.Judge.Validate())
	if o.Rule != nil {
		wrong = append(wrong, o.Rule.Validate())
	}
	return errors.Join(wrong...)
}

// rule returns the settings by which the module's benchmarks are judged.
func (o Options) rule() judge.Options {
	if o.Rule != nil {
		return *o.Rule
	}
	return o.Judge
}

// mostPairs is the largest number of fresh pairs to ask for.
const mostPairs = 100

// BenchTime is how long a run goes on, or for how many iterations: exactly one of the two is set.
type BenchTime struct {
	Time       time.Duration
	Iterations int
}

// ParseBenchTime reads 250ms or 100x.
func ParseBenchTime(text string) (BenchTime, error) {
	if digits, ok := strings.CutSuffix(text, "x"); ok {
		if n, err := strconv.Atoi(digits); err == nil && n > 0 {
			return BenchTime{Iterations: n}, nil
		}
	} else if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return BenchTime{Time: d}, nil
	}
	return BenchTime{}, fmt.Errorf("want a duration above 0 such as 250ms, or iterations such as "+
		"100x, got %q", text)
}

// String is the form that ParseBenchTime and -test.benchtime read.
func (b BenchTime) String() string {
	if b.Iterations > 0 {
		return fmt.Sprintf("%dx", b.Iterations)
	}
	return b.Time.String()
}

// screenShare is the share of a run's time that a run of the first stage takes: no verdict of worse
// or better rests on it.
const screenShare = 0.3

// warmUp is the share of a run's time that the warm-up takes.
const warmUp = 5

func (b BenchTime) warmUp() BenchTime {
	if b.Iterations > 0 {
		return b
	}
	return BenchTime{Time: max(b.Time/warmUp, time.Microsecond)}
}

// iterations makes of the warm-up's iterations those of a run. Both sides get the same, so that
// both do the same work with the same seed, and no time goes into finding the number again in each
// process. perOp, in seconds, bounds it where a single iteration outlasted the warm-up; it is what
// the benchmark says, and may be anything.
func (b BenchTime) iterations(warm int, perOp float64) int {
	if b.Iterations > 0 {
		return b.Iterations
	}
	n := max(warm*warmUp, 1)
	if inTime := b.Time.Seconds() / perOp; inTime < float64(n) {
		n = max(int(inTime+0.999), 1)
	}
	return n
}

// DefaultLimit on a process that should take that long: generous, since it is there for benchmarks
// that hang.
func DefaultLimit(expected time.Duration) time.Duration { return 30*time.Second + 20*expected }
