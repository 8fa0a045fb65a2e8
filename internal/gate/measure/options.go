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

// Options are the revisions to compare and how to measure them. Start from Defaults.
type Options struct {
	Dir  string // a directory of the module; Packages are relative to it
	Base string // revision, in git's syntax
	// revision; "" is the working tree with its uncommitted changes, without ignored files
	Head string

	Packages []string // patterns of the go command
	Bench    string   // pattern of go test -bench
	Skip     string   // pattern of go test -skip; "" skips nothing

	Args  []string // for the test binaries, after those of package testing
	Setup string   // a command for sh, run in the module of both checkouts before they are built

	BenchTime BenchTime // of one run
	Layouts   int       // test binaries of each side, each with its functions in a different order
	// of every draw: orders, layouts, and the value of SeedVariable
	Seed  uint64
	Limit time.Duration // on the real time of a process; 0 is DefaultLimit
	// gate only these units; none: all with a known direction, with few exceptions
	Metrics []string
	Better  map[string]verdict.Direction // of tidied units; overrides Unit lines

	Allow []verdict.Allowance // accepted growth of allocations

	Judge judge.Options
	// if not nil, the settings for the module's benchmarks, while Judge applies to the controls; both
	// have the same number of ScreenPairs
	Rule *judge.Options

	FailOnRemoved    bool // a benchmark that only the base has is a regression
	AllowEnvironment bool // measure even if base and head require different Go versions

	Out    string // directory of the journal and the report; it is created
	Resume bool   // continue with the existing journal
	// Resume even if the number of fresh pairs was different
	AnyPairs bool
	Force    bool   // replace the existing gate
	Beside   string // a file of the caller's, which may be in Out

	// Control returns the command of a benchmark with a fixed amount of work, or with 15 % more if
	// slower. Its last argument is the time, in the form of -test.benchtime. It prints one result line
	// that begins with ControlName.
	Control func(slower bool, benchTime string) []string

	// Guard is a command that calls the function Guard with its input and its last argument, which the
	// gate appends.
	Guard []string
}

// SeedVariable is the environment variable with the seed, a number below 2^63 that is the same in
// both runs of a pair and differs between pairs.
const SeedVariable = "POOLBENCH_SEED"

// ControlName is the name that the control's command prints.
const ControlName = "BenchmarkControl"

// ControlSlowdown is the additional work of the slower control, which must be found.
const ControlSlowdown = 0.15

// Defaults returns 250 ms per run and 6 layouts of all benchmarks below the current directory,
// judged by judge.Defaults.
func Defaults() Options {
	return Options{Dir: ".", Packages: []string{"./..."}, Bench: ".",
		BenchTime: BenchTime{Time: 250 * time.Millisecond}, Layouts: 6, Seed: 1,
		Judge: judge.Defaults()}
}

// Validate returns all errors, each on its own line.
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

func (o Options) rule() judge.Options {
	if o.Rule != nil {
		return *o.Rule
	}
	return o.Judge
}

const mostPairs = 100

// BenchTime is the duration of a run, or its number of iterations: exactly one of the two is set.
type BenchTime struct {
	Time       time.Duration
	Iterations int
}

// ParseBenchTime parses 250ms or 100x.
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

// String returns the form that ParseBenchTime and -test.benchtime parse.
func (b BenchTime) String() string {
	if b.Iterations > 0 {
		return fmt.Sprintf("%dx", b.Iterations)
	}
	return b.Time.String()
}

// screenShare is the relative duration of a run of the first stage, on which no verdict of worse or
// better is based.
const screenShare = 0.3

// warmUp is the divisor of a run's time for the warm-up.
const warmUp = 5

func (b BenchTime) warmUp() BenchTime {
	if b.Iterations > 0 {
		return b
	}
	return BenchTime{Time: max(b.Time/warmUp, time.Microsecond)}
}

// iterations computes the iterations of a run from those of the warm-up. Both sides get the same
// number, so that they do the same work with the same seed, and no process spends time on finding
// it again. perOp, in seconds, bounds the number if a single iteration took longer than the
// warm-up. The benchmark reports it, so it may have any value.
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

// DefaultLimit returns the limit for a process with this expected duration. It is generous, because
// it is only for benchmarks that hang.
func DefaultLimit(expected time.Duration) time.Duration { return 30*time.Second + 20*expected }
