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

type Options struct {
	Dir  string // a directory of the module; Packages are relative to it
	Base string // revision in git's syntax
	// "" means the working tree, including uncommitted changes but not ignored files.
	Head string

	Packages []string // patterns of the go command
	Bench    string   // pattern of go test -bench
	Skip     string   // pattern of go test -skip; "" skips nothing

	Args  []string // for the test binaries, after the flags of package testing
	Setup string   // command for sh, run in the module of both checkouts before the build

	BenchTime BenchTime
	Layouts   int // test binaries per side, each with another order of functions
	Seed      uint64
	Limit     time.Duration // limit on the real time of a process; 0 means DefaultLimit
	// Empty means all metrics with a known direction, with few exceptions.
	Metrics []string
	Better  map[string]verdict.Direction // directions of tidied units, which override Unit lines

	Allow []verdict.Allowance // accepted growth of allocations

	Judge judge.Options
	// Rule, if not nil, applies to the module's benchmarks, while Judge applies to the controls.
	// Both must have the same ScreenPairs.
	Rule *judge.Options

	FailOnRemoved    bool // a benchmark that only the base has is a regression
	AllowEnvironment bool // measure even if base and head require different Go versions

	Out      string // directory of the journal and the report, which is created
	Resume   bool   // continue with the existing journal
	AnyPairs bool
	Force    bool   // replace the existing gate
	Beside   string // a file of the caller that may be in Out

	// Control returns the command of a benchmark with a fixed amount of work, or with 15 % more if
	// slower is true. The command prints one result line that begins with ControlName.
	Control func(slower bool, benchTime string) []string

	// Guard is a command that calls Guard with its standard input and its last argument, which the
	// gate appends.
	Guard []string
}

// SeedVariable is an environment variable. Its value is a number below 2^63 that differs between
// pairs.
const SeedVariable = "POOLBENCH_SEED"

const ControlName = "BenchmarkControl"

const ControlSlowdown = 0.15

func Defaults() Options {
	return Options{Dir: ".", Packages: []string{"./..."}, Bench: ".",
		BenchTime: BenchTime{Time: 250 * time.Millisecond}, Layouts: 6, Seed: 1,
		Judge: judge.Defaults()}
}

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
	wrong.If(o.Judge.FreshPairs < 1 || o.Judge.FreshPairs > maxPairs, "pairs %d: want 1 to %d",
		o.Judge.FreshPairs, maxPairs)
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

const maxPairs = 100

type BenchTime struct {
	Time       time.Duration
	Iterations int
}

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

func (b BenchTime) String() string {
	if b.Iterations > 0 {
		return fmt.Sprintf("%dx", b.Iterations)
	}
	return b.Time.String()
}

const screenShare = 0.3

const warmUp = 5

func (b BenchTime) warmUp() BenchTime {
	if b.Iterations > 0 {
		return b
	}
	return BenchTime{Time: max(b.Time/warmUp, time.Microsecond)}
}

// iterations scales the number in the warm-up. perOp is the reported time of an iteration in
// seconds, which may have any value. It reduces the number if a single iteration took longer than
// the warm-up.
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

// DefaultLimit is long, because only benchmarks that hang should reach it.
func DefaultLimit(expected time.Duration) time.Duration { return 30*time.Second + 20*expected }
