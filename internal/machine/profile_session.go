//go:build !js

package machine

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

// The runtime samples one wait for a lock in ten, each block of 10 ms or longer, and one block per
// 10 ms of shorter ones. It scales both up to the total.
const (
	mutexFraction = 10
	blockRate     = 10 * time.Millisecond
)

type ProfileSession struct {
	kinds  []ProfileKind
	before map[ProfileKind]*profile.Profile
	cpu    bytes.Buffer
	stacks *sampler
	undo   []func()
	ended  bool
}

// Only one session can be active in a process.
func StartProfiles(set string) (s *ProfileSession, err error) {
	s = &ProfileSession{before: map[ProfileKind]*profile.Profile{}}
	for _, k := range strings.Split(set, separator) {
		s.kinds = append(s.kinds, ProfileKind(k))
	}
	for _, k := range s.kinds {
		switch k {
		case CPU:
			if err = pprof.StartCPUProfile(&s.cpu); err != nil {
				err = fmt.Errorf("profile: %w", err)
				break
			}
			s.undo = append(s.undo, pprof.StopCPUProfile)
		case Wait:
			s.stacks = sample()
			s.undo = append(s.undo, s.stacks.end)
		case Mutex:
			old := runtime.SetMutexProfileFraction(mutexFraction)
			s.undo = append(s.undo, func() { runtime.SetMutexProfileFraction(old) })
			s.before[k], err = now(k)
		case Block:
			runtime.SetBlockProfileRate(int(blockRate))
			s.undo = append(s.undo, func() { runtime.SetBlockProfileRate(0) })
			s.before[k], err = now(k)
		case Heap:
			s.before[k], err = now(k)
		}
		if err != nil {
			s.restore()
			return nil, err
		}
	}
	return s, nil
}

func (s *ProfileSession) restore() {
	for _, undo := range slices.Backward(s.undo) {
		undo()
	}
	s.undo = nil
}

// A second call returns no profiles.
func (s *ProfileSession) End() (all []Profile, err error) {
	if s.ended {
		return nil, nil
	}
	s.ended = true
	after := map[ProfileKind]*profile.Profile{}
	for k := range s.before {
		if after[k], err = now(k); err != nil {
			break
		}
	}
	s.restore()
	for _, k := range s.kinds {
		var p *profile.Profile
		switch {
		case err != nil:
		case k == CPU:
			p, err = profile.ParseData(s.cpu.Bytes())
		case k == Wait:
			p, err = s.stacks.sum()
		default:
			p, err = since(after[k], s.before[k])
		}
		if err != nil {
			return nil, fmt.Errorf("profile %s: %w", k, err)
		}
		var packed bytes.Buffer
		if err := p.Write(&packed); err != nil {
			return nil, fmt.Errorf("profile %s: %w", k, err)
		}
		all = append(all, Profile{k, packed.Bytes()})
	}
	return all, nil
}

func now(k ProfileKind) (*profile.Profile, error) {
	if k == Heap {
		runtime.GC() // the profile is of the end of the last cycle
	}
	var text bytes.Buffer
	if err := pprof.Lookup(string(k)).WriteTo(&text, 0); err != nil {
		return nil, err
	}
	return profile.ParseData(text.Bytes())
}

// The live heap (inuse) is not a sum over time and stays unchanged.
func since(after, before *profile.Profile) (*profile.Profile, error) {
	ratios := make([]float64, len(before.SampleType))
	for i, t := range before.SampleType {
		if !strings.HasPrefix(t.Type, "inuse") {
			ratios[i] = -1
		}
	}
	if err := before.ScaleN(ratios); err != nil {
		return nil, err
	}
	p, err := profile.Merge([]*profile.Profile{after, before})
	if err != nil {
		return nil, err
	}
	p.Sample = slices.DeleteFunc(p.Sample, func(s *profile.Sample) bool {
		return slices.Max(s.Value) <= 0
	})
	p.TimeNanos, p.DurationNanos = after.TimeNanos, after.TimeNanos-before.TimeNanos
	return p.Compact(), nil
}
