package strategies

import (
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
)

// A Stage is one stage of a pipeline: each of its Workers handles one task at a time.
type Stage struct {
	Workers int
	Time    dist.Dist // time of the stage for a task; nil: the stage runs the task
}

// Work reports whether the stage runs the tasks.
func (s Stage) Work() bool { return s.Time == nil }

// String returns the notation of the stage: work, or 3(exp(10ms)).
func (s Stage) String() string {
	if s.Work() {
		return WorkStage
	}
	if d, constant := s.Time.(dist.Constant); constant {
		return fmt.Sprintf("%d(%s)", s.Workers, dist.FormatDuration(d.Value))
	}
	return fmt.Sprintf("%d(%v)", s.Workers, s.Time)
}

// MaxStages is the largest number of stages of a strategy.
const MaxStages = 16

// WorkStage is the notation of the stage that runs the tasks.
const WorkStage = "work"

// Capacity returns the tasks per second that the stage can handle. mean is used for the stage that
// runs the tasks.
func (s Stage) Capacity(mean time.Duration) float64 {
	ns := float64(mean)
	if !s.Work() {
		ns = dist.MeanNS(s.Time)
	}
	return float64(s.Workers) * float64(time.Second) / ns
}

// Staged is implemented by instances whose tasks pass stages with times of their own.
type Staged interface {
	// Busy returns the total time that the workers of each stage have spent on tasks. It is 0 for
	// the stage that runs the tasks. It is safe for concurrent use.
	Busy() []time.Duration
}

// StagedOf returns the Staged that is s or is inside its parts, or nil. With one per class it
// returns nil.
func StagedOf(s Strategy) Staged { return innermost[Staged](s) }

func innermost[T any](s Strategy) (found T) {
	for {
		if t, ok := s.(T); ok {
			return t
		}
		part, ok := s.(interface{ Inner() []Strategy })
		if !ok {
			return found
		}
		inside := part.Inner()
		if len(inside) != 1 {
			return found
		}
		s = inside[0]
	}
}
