package machine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
)

// Work must be comparable, because it is the key of a Calibration's results.
type Work interface {
	Sized(units int) Doer
}

type Doer interface {
	Do(ctx context.Context, seq uint64) error // runs the task with number seq
}

// A Calibration measures each time of CPU work at its first use and keeps it for the life of the
// process, so mean=1ms is the same work in every run, although the speed of a machine drifts by
// about 10 % over minutes.
type Calibration struct {
	mu    sync.Mutex
	lines map[Work]Line
	tasks map[measured]time.Duration
}

type measured struct {
	work  Work
	units int
}

// A Line is the time of work that is linear in its units, in ns.
type Line struct{ Fixed, PerUnit float64 }

func (l Line) Time(units int) time.Duration {
	return time.Duration(math.Round(l.Fixed + l.PerUnit*float64(units)))
}

// A measurement by Line takes about 80 ms.
func (c *Calibration) Line(w Work) (Line, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l, known := c.lines[w]; known {
		return l, nil
	}
	l, err := lineThrough(w)
	if err != nil {
		return Line{}, err
	}
	if c.lines == nil {
		c.lines = map[Work]Line{}
	}
	c.lines[w] = l
	return l, nil
}

// Task is for work whose time is not linear. A measurement takes about 40 ms, or two tasks if that
// is longer.
func (c *Calibration) Task(w Work, units int) (time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := measured{w, units}
	if d, known := c.tasks[key]; known {
		return d, nil
	}
	ns, err := timeOf(w.Sized(units))
	if err != nil {
		return 0, err
	}
	if c.tasks == nil {
		c.tasks = map[measured]time.Duration{}
	}
	c.tasks[key] = time.Duration(math.Round(ns))
	return c.tasks[key], nil
}

// A round is long compared with the resolution of the clock and short compared with a time slice.
const round, enough = 2 * time.Millisecond, 100 * time.Millisecond

// A busy machine may delay every round of one of the two tasks, so that the times contradict each
// other. Both are then measured again until neither becomes shorter.
func lineThrough(w Work) (Line, error) {
	one, err := timeOf(w.Sized(1))
	if err != nil {
		return Line{}, err
	}
	for units := 2; ; units *= 2 {
		took, err := shortest(w.Sized(units), 1, 3)
		if err != nil {
			return Line{}, err
		}
		if took < round {
			continue
		}
		many, err := timeOf(w.Sized(units))
		if err != nil {
			return Line{}, err
		}
		if many < float64(round)/2 {
			continue
		}
		for steady := false; ; {
			perUnit := (many - one) / float64(units-1)
			likely := math.Abs(one-perUnit) < perUnit/2
			if perUnit > 0 && (likely || steady) {
				return Line{Fixed: one - perUnit, PerUnit: perUnit}, nil
			}
			if steady {
				break
			}
			oneAgain, err := timeOf(w.Sized(1))
			if err != nil {
				return Line{}, err
			}
			manyAgain, err := timeOf(w.Sized(units))
			if err != nil {
				return Line{}, err
			}
			steady = oneAgain > 0.9*one && manyAgain > 0.9*many
			one, many = min(one, oneAgain), min(many, manyAgain)
		}
	}
}

func timeOf(w Doer) (float64, error) {
	began := time.Now()
	tasks := 1
	took, err := shortest(w, tasks, 3)
	for ; err == nil && took < round; took, err = shortest(w, tasks, 3) {
		if tasks *= 2; took == 0 && tasks > 64 {
			return 0, errors.New("under the virtual clock, computing has no duration: use the " +
				"real clock")
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

// Other programs only make a round longer. One round alone might contain a stall.
func shortest(w Doer, tasks, rounds int) (least time.Duration, err error) {
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
