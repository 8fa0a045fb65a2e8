package machine

import (
	"runtime/pprof"
	"slices"
	"time"

	"github.com/google/pprof/profile"
)

// The program stands still while stacks are walked, and what was seen takes a processor to pack: a
// fortieth of the CPU time that the process uses, so that many goroutines are looked at more
// rarely, and so are those of a process that does little. The first looks are close together, so
// that a short run has some.
const (
	firstInterval = 5 * time.Millisecond
	leastInterval = 50 * time.Millisecond // behind the first ones, each twice the one before
	cpuShare      = 1.0 / 40
	atOnce        = 50 // looks that are added up
)

// pause is how long to wait after a look that took so long, where the process has used so much CPU
// in the time since it was first looked at.
func pause(interval, look, cpu, since time.Duration) time.Duration {
	used := 1.0 // of a processor; where the system does not tell, all of one
	if cpu > 0 {
		used = max(cpu.Seconds()/since.Seconds(), 0.01)
	}
	return max(min(2*interval, leastInterval), time.Duration(float64(look)/cpuShare/used))
}

// A sampler looks again and again at what all goroutines do.
type sampler struct {
	stop, done chan struct{}
	began      time.Time
	looks      []*profile.Profile // the first is the sum of earlier ones, if there are
	n          int64              // looks
	err        error
}

func sample() *sampler {
	s := &sampler{stop: make(chan struct{}), done: make(chan struct{}), began: time.Now()}
	go func() {
		defer close(s.done)
		pprof.SetGoroutineLabels(byHarness)
		interval, used := firstInterval, CPUTime()
		for s.err == nil {
			select {
			case <-s.stop:
				return
			case <-time.After(interval):
			}
			began := time.Now()
			s.look()
			interval = pause(interval, time.Since(began),
				time.Duration(CPUTime()-used), time.Since(s.began))
		}
	}()
	return s
}

func (s *sampler) look() {
	p, err := now(Wait)
	if err != nil {
		s.err = err
		return
	}
	s.n++
	if s.looks = append(s.looks, p); len(s.looks) == atOnce {
		s.add()
	}
}

func (s *sampler) add() {
	sum, err := profile.Merge(s.looks)
	s.looks, s.err = []*profile.Profile{sum}, err
}

func (s *sampler) end() {
	close(s.stop)
	<-s.done
}

// sum is what all looks saw, without the sampler itself: how often, and so for how long. A run that
// is shorter than the interval is looked at once, at its end.
func (s *sampler) sum() (*profile.Profile, error) {
	if len(s.looks) == 0 && s.err == nil {
		s.look()
	}
	if s.err == nil {
		s.add()
	}
	if s.err != nil {
		return nil, s.err
	}
	p := s.looks[0]
	p.Sample = slices.DeleteFunc(p.Sample, func(s *profile.Sample) bool {
		return slices.ContainsFunc(s.Location, func(l *profile.Location) bool {
			return slices.ContainsFunc(l.Line, func(l profile.Line) bool {
				return l.Function != nil && l.Function.Name == ownLook
			})
		})
	})
	p.TimeNanos, p.DurationNanos = s.began.UnixNano(), int64(time.Since(s.began))
	p.SampleType = append(p.SampleType, &profile.ValueType{Type: "time", Unit: "nanoseconds"})
	for _, sample := range p.Sample {
		sample.Value = append(sample.Value, sample.Value[0]*(p.DurationNanos/s.n))
	}
	return p.Compact(), nil
}

// ownLook is the function whose stack is the sampler's.
const ownLook = "github.com/poolbench/poolbench/internal/machine.(*sampler).look"
