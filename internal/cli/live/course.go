package live

import (
	"sync"
	"time"

	"github.com/poolbench/poolbench/internal/machine"
)

// A Frame is the state of one second, which the page receives as JSON.
type Frame struct {
	At float64 `json:"at"` // seconds since the command began
	// "" between runs, and if other processes run it
	Run     string   `json:"run"`
	Done    int      `json:"done"`
	Planned int      `json:"planned"` // planned runs; 0 if unknown
	Left    *float64 `json:"left"`    // seconds; null if unknown
	Elapsed float64  `json:"elapsed"` // seconds since the run began
	Settled uint64   `json:"settled"` // settled tasks of the run
	Rate    *float64 `json:"rate"`    // settled tasks per second; null between runs
	// response times within two seconds, in seconds; null if there are too few
	P50      *float64 `json:"p50"`
	P99      *float64 `json:"p99"`
	InFlight *int64   `json:"in_flight"`
	Limit    int      `json:"limit"`
	// tasks of all runs so far that were not completed, in the order of machine.Names
	Others [machine.Outcomes]uint64 `json:"others"`
}

type Plan struct {
	Done, Planned int
	Left          time.Duration // negative if unknown
}

// window is the time that rates and quantiles cover, in frames.
const window = 2

// kept is the number of past frames that a new viewer receives.
const kept = 900

// Quantiles need at least so many responses, as in results.
const (
	minP50 = 6
	minP99 = 368
)

type Window struct {
	meter *machine.Meter
	plan  func() Plan
	begun time.Time

	mu     sync.Mutex
	frames []Frame
	before []machine.Snapshot // the last ones, as many as the window has frames
	moved  chan struct{}
	ended  bool
}

func NewCourse(m *machine.Meter, plan func() Plan) *Window {
	return &Window{meter: m, plan: plan, begun: time.Now(), moved: make(chan struct{})}
}

func (c *Window) Step(now time.Time) Frame {
	p := c.plan()
	f := Frame{At: now.Sub(c.begun).Seconds(), Done: p.Done, Planned: p.Planned}
	s := c.meter.Snapshot(now)
	if p.Left >= 0 { // the plan does not know the progress within a run
		if s.Run != nil {
			p.Left = max(p.Left-min(now.Sub(s.Run.Begun), s.Run.Plan), 0)
		}
		f.Left = new(p.Left.Seconds())
	}
	f.Others = s.Others
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.Run == nil {
		c.before = nil
	} else {
		f.describe(&s, c.first(s.Run))
		c.before = append(c.before, s)
		c.before = c.before[max(len(c.before)-window, 0):]
	}
	c.frames = append(c.frames, f)
	c.frames = c.frames[max(len(c.frames)-kept, 0):]
	c.move()
	return f
}

// first returns the snapshot of the same run at the start of the window, or nil.
func (c *Window) first(r *machine.Run) *machine.Snapshot {
	for i := range c.before {
		if c.before[i].Run == r {
			return &c.before[i]
		}
	}
	return nil
}

// The rates of describe are since before.
func (f *Frame) describe(now, before *machine.Snapshot) {
	r := now.Run
	f.Run, f.Limit, f.Settled = r.Name, r.Limit, now.Settled
	f.Elapsed = now.At.Sub(r.Begun).Seconds()
	if r.InFlight != nil {
		f.InFlight = new(r.InFlight())
	}
	if before == nil {
		return
	}
	f.Rate = new(float64(now.Settled-before.Settled) / now.At.Sub(before.At).Seconds())
	f.P50, f.P99 = quantiles(now.Since(before))
}

func quantiles(of machine.Responses) (p50, p99 *float64) {
	if of.Total >= minP50 {
		p50 = new(of.Quantile(0.5).Seconds())
	}
	if of.Total >= minP99 {
		p99 = new(of.Quantile(0.99).Seconds())
	}
	return p50, p99
}

// move wakes the readers that wait for the next frame. The caller holds mu.
func (c *Window) move() {
	close(c.moved)
	c.moved = make(chan struct{})
}

func (c *Window) End() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.ended = true
		c.move()
	}
}

// since returns the frames after the given time, and a channel that is closed when there are new
// ones.
func (c *Window) since(at float64) (frames []Frame, ended bool, moved <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := len(c.frames)
	for i > 0 && c.frames[i-1].At > at {
		i--
	}
	return append([]Frame(nil), c.frames[i:]...), c.ended, c.moved
}
