package bench

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/perf/benchfmt"
)

// errNoTasks is the outcome of a run in which nothing was due after the warm-up.
var errNoTasks = errors.New("no task was due in the measured part of the run; give it more tasks " +
	"or more time")

// A RunFunc runs one scenario: Run, or what runs it in another process.
type RunFunc func(ctx context.Context, s Scenario) (*Result, error)

// Run drives the scenario once and computes what it reports.
//
// Under the real clock ctx interrupts the run, which then has no result. Under the virtual clock
// the run takes place in a testing/synctest bubble of this process, out of the reach of ctx. A
// Progress in ctx shows from outside how far the run is.
//
// A strategy that hangs, panics in New, Submit or Drain, ends the goroutine that called them or
// settles what is not a task of the run has a *StrategyError for it. One that panics in a goroutine
// of its own takes the process along, and one that hangs may go on beside what follows
// (StrategyError.Goes). So the poolbench command runs virtual scenarios in a child process.
func Run(ctx context.Context, s Scenario) (*Result, error) {
	s = s.withDefaults()
	if err := s.Validate(); err != nil {
		return nil, err
	}
	run, err := s.observe(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name(), err)
	}
	r, err := run.result()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name(), err)
	}
	r.Profiles = run.profiles
	return r, nil
}

func (s Scenario) observe(ctx context.Context) (measurement, error) {
	if err := ctx.Err(); err != nil {
		return measurement{}, err
	}
	g, err := newGuard(ctx, s)
	if err != nil {
		return measurement{}, err
	}
	return g.observe(ctx)
}

// bubble calls f under the virtual clock. A deadlock among f's goroutines, or one left behind, is
// an error.
//
// synctest wants a *testing.T; an empty one serves outside of tests (nothing is printed, no flag is
// needed). That is not documented, so TestBubble guards it for each version of Go.
func bubble(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("virtual clock: %v", p)
		}
	}()
	synctest.Test(new(testing.T), func(*testing.T) { f() })
	return nil
}

// A Result is what one run says. It is plain data: it crosses processes as JSON.
type Result struct {
	Name     string // of the scenario, canonical
	Seed     uint64 // that the run used
	Tasks    int    // offered and measured, that is without the warm-up
	Metrics  []Metric
	Readings []Reading // distributions of response, wait and service
	// of each measured task, as rundir.PackResponses has them: under the virtual clock, where tasks
	// are due by a plan and no more than a directory keeps
	Responses string     `json:",omitempty"`
	Profiles  []Profile  `json:",omitempty"` // see Scenario.Profile
	Timeline  []Interval // of the whole run, warm-up included
	Slowest   []SlowTask `json:",omitempty"` // the slowest tasks, the slowest first: at most 50
	Broken    []string   // violated laws, in words with their numbers; none is what is wanted
	Verdict   Verdict    // whether the results are valid
	Reasons   []Reason   // that it is not Valid for, broken laws among them
	Agents    []string   `json:",omitempty"` // that shared the load, a line about each
	// of the machine that the run was made on, as results.txt has it; nil: of this process
	Machine []benchfmt.Config `json:",omitempty"`
}

// Metric returns the value in that unit and whether the run has it.
func (r *Result) Metric(unit string) (float64, bool) {
	for _, m := range r.Metrics {
		if m.Unit == unit {
			return m.Value, true
		}
	}
	return 0, false
}

func (r *Result) add(unit string, v float64) { r.Metrics = append(r.Metrics, Metric{unit, v}) }

// A Reading is the distribution of one time over the measured tasks that completed.
type Reading struct {
	Of        string // response, wait or service
	Histogram string // HdrHistogram, V2 compressed, base64: nanoseconds, 3 significant digits
	Max       int64  // nanoseconds, as exact as the histogram
}

func newReading(of string, ns []int64) (Reading, error) {
	highest := int64(time.Hour)
	for _, v := range ns {
		highest = max(highest, v)
	}
	h := hdrhistogram.New(1, highest, 3)
	for _, v := range ns {
		if err := h.RecordValue(v); err != nil {
			return Reading{}, fmt.Errorf("distribution of %s: %w", of, err)
		}
	}
	text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return Reading{}, fmt.Errorf("distribution of %s: %w", of, err)
	}
	return Reading{of, string(text), h.ValueAtQuantile(100)}, nil
}

// An Interval counts what happened in one stretch of a run.
type Interval struct {
	Start, Length                                                   time.Duration
	Arrived, Started, Completed, Failed, Throttled, Shed, Abandoned int
	// at the end of the interval
	InFlight, Queued int
}
