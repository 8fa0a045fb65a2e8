// Package profiles takes what Go's runtime knows of where a run spent its time, in the format of
// `go tool pprof`, for that run alone:
//
//   - cpu: where processors were busy, a sample each 10 ms of CPU time
//   - goroutine: what goroutines were doing, busy or not, and for how long: the stacks of all of
//     them, again and again. It is the one that shows why a task waits
//   - mutex, block: where goroutines were held up by locks, and by locks and channels
//   - heap: what was allocated, one in 512 KB, and what of it was alive at the end
//
// Samples of cpu and goroutine carry the labels of Labels. Profiles that the runtime only ever adds
// to (mutex, block, heap) are those at the end less those at the beginning.
package profiles

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/poolbench/poolbench/internal/text/prose"
)

// A Kind is what a profile is of.
type Kind string

// The kinds, in the order in which they are written.
const (
	CPU   Kind = "cpu"
	Wait  Kind = "goroutine"
	Mutex Kind = "mutex"
	Block Kind = "block"
	Heap  Kind = "heap"
)

// Kinds are all of them.
var Kinds = []Kind{CPU, Wait, Mutex, Block, Heap}

// separator stands between the kinds of a set in a name, which has commas of its own.
const separator = "+"

// Parse reads a set of kinds with commas or + between them, and returns it in its one spelling.
func Parse(text string) (string, error) {
	given := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '+' })
	if len(given) == 0 {
		return "", errors.New("want one or more of " + known())
	}
	for _, g := range given {
		if !slices.Contains(Kinds, Kind(g)) {
			return "", fmt.Errorf("unknown profile %q (known: %s)", g, known())
		}
	}
	var set []string
	for _, k := range Kinds {
		if slices.Contains(given, string(k)) {
			set = append(set, string(k))
		}
	}
	return strings.Join(set, separator), nil
}

// Check reports what is wrong with a set that is to be as Parse returns it; "" is none.
func Check(set string) error {
	if set == "" {
		return nil
	}
	switch parsed, err := Parse(set); {
	case err != nil:
		return fmt.Errorf("profile: %w", err)
	case parsed != set:
		return fmt.Errorf("profile %q: it is spelt %s", set, parsed)
	}
	return nil
}

func known() string {
	return strings.Join(prose.Texts(Kinds, func(k Kind) string { return string(k) }), ", ")
}

// A Profile is one of them, in pprof's format, compressed.
type Profile struct {
	Kind Kind
	Data []byte
}

// mutexFraction and blockRate are what the runtime is asked to note: one wait for a lock in ten,
// and each wait of 10 ms or longer, of shorter ones as many as have 10 ms together. It counts both
// up to all that there were.
const (
	mutexFraction = 10
	blockRate     = 10 * time.Millisecond
)

// A Session takes the profiles of a run.
type Session struct {
	kinds  []Kind
	before map[Kind]*profile.Profile
	cpu    bytes.Buffer
	stacks *sampler
	undo   []func()
	ended  bool
}

// Begin begins to take those of the set, which Parse has returned. No other session may be under
// way in the process.
func Begin(set string) (s *Session, err error) {
	s = &Session{before: map[Kind]*profile.Profile{}}
	for _, k := range strings.Split(set, separator) {
		s.kinds = append(s.kinds, Kind(k))
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

func (s *Session) restore() {
	for _, undo := range slices.Backward(s.undo) {
		undo()
	}
	s.undo = nil
}

// End ends the session and returns its profiles. A second call returns none.
func (s *Session) End() (all []Profile, err error) {
	if s.ended {
		return nil, nil
	}
	s.ended = true
	after := map[Kind]*profile.Profile{}
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

// now is one of the runtime's, of the process so far.
func now(k Kind) (*profile.Profile, error) {
	if k == Heap {
		runtime.GC() // what it tells is of the end of the last cycle
	}
	var text bytes.Buffer
	if err := pprof.Lookup(string(k)).WriteTo(&text, 0); err != nil {
		return nil, err
	}
	return profile.ParseData(text.Bytes())
}

// since returns the samples of after less those of before; the live heap (inuse) is not a sum over
// time and stays as it is.
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
