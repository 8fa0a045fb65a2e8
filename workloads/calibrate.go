package workloads

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
)

// calibrated has the times of CPU work on this machine, each found out at its first use and kept for the life of the
// process: every run of it then means the same work by mean=1ms. (Over minutes a machine drifts by some 10 %; a count of
// units is the same work everywhere and always.)
var calibrated calibration

// work is CPU work whose time calibration finds out. It is comparable, because what is found is kept under it.
type work interface {
	// sized is the workload whose tasks are of so many units.
	sized(units int) doer
}

type doer interface {
	Do(ctx context.Context, seq uint64) error
}

type calibration struct {
	mu sync.Mutex
	// A failure is not kept.
	lines map[work]line
	tasks map[measured]time.Duration
}

type measured struct {
	work  work
	units int
}

// A line is the time of work that goes in a line with its units, in ns.
type line struct{ fixed, perUnit float64 }

func (l line) time(units int) time.Duration {
	return time.Duration(math.Round(l.fixed + l.perUnit*float64(units)))
}

// line is for work whose time is a line in its units. Finding it out takes some 80 ms.
func (c *calibration) line(w work) (line, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l, known := c.lines[w]; known {
		return l, nil
	}
	l, err := lineThrough(w)
	if err != nil {
		return line{}, err
	}
	if c.lines == nil {
		c.lines = map[work]line{}
	}
	c.lines[w] = l
	return l, nil
}

// task is the time of one task of so many units, for work whose time is no line. Finding it out takes some 40 ms, or two
// tasks if that is longer.
func (c *calibration) task(w work, units int) (time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := measured{w, units}
	if d, known := c.tasks[key]; known {
		return d, nil
	}
	ns, err := timeOf(w.sized(units))
	if err != nil {
		return 0, err
	}
	if c.tasks == nil {
		c.tasks = map[measured]time.Duration{}
	}
	c.tasks[key] = time.Duration(math.Round(ns))
	return c.tasks[key], nil
}

// A round is long beside the clock's resolution and short beside a time slice. Where tasks are long, enough ends the rounds.
const round, enough = 2 * time.Millisecond, 100 * time.Millisecond

// lineThrough is the line through a task of one unit and one that takes a round.
func lineThrough(w work) (line, error) {
	one, err := timeOf(w.sized(1))
	if err != nil {
		return line{}, err
	}
	units := 2
	for {
		took, err := shortest(w.sized(units), 1, 3)
		if err != nil {
			return line{}, err
		}
		if took >= round {
			break
		}
		units *= 2
	}
	many, err := timeOf(w.sized(units))
	if err != nil {
		return line{}, err
	}
	perUnit := (many - one) / float64(units-1)
	return line{fixed: one - perUnit, perUnit: perUnit}, nil
}

// timeOf is the time of a task alone, in ns: that of the shortest of ten rounds, or of two where those take long enough.
func timeOf(w doer) (float64, error) {
	began := time.Now()
	tasks := 1
	took, err := shortest(w, tasks, 3)
	for ; err == nil && took < round; took, err = shortest(w, tasks, 3) {
		if tasks *= 2; took == 0 && tasks > 64 {
			return 0, errors.New("the clock stands still while the CPU works: CPU work needs the real clock")
		}
	}
	if err == nil && time.Since(began) < enough {
		var more time.Duration
		more, err = shortest(w, tasks, 7)
		took = min(took, more)
	}
	if err != nil {
		return 0, fmt.Errorf("calibrating: %w", err)
	}
	return float64(took) / float64(tasks), nil
}

// shortest is the time of the shortest of so many rounds of tasks, or of two where those take long enough. Whatever else the
// machine does makes a round longer and never shorter; one round by itself might be a stall.
func shortest(w doer, tasks, rounds int) (least time.Duration, err error) {
	began := time.Now()
	for i := 0; i < rounds && (i < 2 || time.Since(began) < enough); i++ {
		start := time.Now()
		for seq := range uint64(tasks) {
			if err := w.Do(context.Background(), seq); err != nil {
				return 0, err
			}
		}
		if took := time.Since(start); i == 0 || took < least {
			least = took
		}
	}
	return least, nil
}
