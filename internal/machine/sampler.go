//go:build !js

package machine

import (
	"runtime/pprof"
	"slices"
	"time"

	"github.com/google/pprof/profile"
)

// A sample of the stacks stops the program. Sampling may use a fortieth of the process's CPU time,
// so the interval grows with the number of goroutines and in an idle process. The first samples are
// close together, so a short run has some.
const (
	firstInterval = 5 * time.Millisecond
	minInterval   = 50 * time.Millisecond
	cpuShare      = 1.0 / 40
	atOnce        = 50 // number of samples that are merged
)

// cpu is the CPU time of the process since the first sample.
func pause(interval, look, cpu, since time.Duration) time.Duration {
	used := 1.0 // of a processor; assumed if the system does not report it
	if cpu > 0 {
		used = max(cpu.Seconds()/since.Seconds(), 0.01)
	}
	return max(min(2*interval, minInterval), time.Duration(float64(look)/cpuShare/used))
}

type sampler struct {
	stop, done chan struct{}
	began      time.Time
	looks      []*profile.Profile // the first may be a merged profile
	n          int64              // number of samples
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
			s.sample()
			interval = pause(interval, time.Since(began),
				time.Duration(CPUTime()-used), time.Since(s.began))
		}
	}()
	return s
}

func (s *sampler) sample() {
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

// A run that is shorter than the interval is sampled once, at its end.
func (s *sampler) sum() (*profile.Profile, error) {
	if len(s.looks) == 0 && s.err == nil {
		s.sample()
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
				return l.Function != nil && l.Function.Name == ownSample
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

const ownSample = "github.com/poolbench/poolbench/internal/machine.(*sampler).sample"
