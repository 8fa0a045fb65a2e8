package arrivals

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

// A Stage is a part of a run with its own load.
type Stage struct {
	// Level is a factor on the scenario's rate, or with unit=rate the rate in tasks per second.
	Level float64
	For   time.Duration
	Ramp  bool    // the level changes linearly from Level to To
	To    float64 // used if Ramp is set
}

// Mean returns the mean level.
func (s Stage) Mean() float64 { return (s.Level + s.last()) / 2 }

func (s Stage) last() float64 {
	if s.Ramp {
		return s.To
	}
	return s.Level
}

const staged = "stages"

const (
	maxStages = 20
	maxLevel  = 1000 // factor on the scenario's rate
)

// stages runs the clock of another process at the speed of each stage, so gaps scale with the load,
// even within a gap. Exponential gaps then give an inhomogeneous Poisson process (Çinlar,
// Introduction to Stochastic Processes, 1975). The last level continues to the end of the run.
var _ = register(Spec{
	Name:     staged,
	Summary:  "another process, at a load that changes from stage to stage",
	Source:   "queueing theory (the inhomogeneous Poisson process), as in the ramps of k6 and vegeta",
	Unsteady: true,
	Keys: []param.Key{
		{Name: "at", Kind: param.Text, Default: "1x1s",
			Doc: "level and length of each stage, as in 0.6x20s_1.4x10s_0.6x1m; 0..2x30s is a ramp"},
		{Name: "unit", Kind: param.Choice, Default: "load", Choices: []string{"load", "rate"},
			Doc: "unit of a level: a multiple of the scenario's load, or tasks per second"},
		{Name: "of", Kind: param.Text, Default: poisson.Name,
			Doc: "the process, with its parameters in parentheses: bulk(n=10)"},
	},
	FixedRate: func(v param.Values) bool { return v.Choice("unit") == "rate" },
	Stages: func(v param.Values) []Stage {
		s, _ := readStages(v) // Open reports the error
		return s
	},
	Open: func(rate float64, seed uint64, v param.Values) (Next, error) {
		s, err := readStages(v)
		if err != nil {
			return nil, err
		}
		of, err := unnest(v.Text("of"))
		if err != nil {
			return nil, fmt.Errorf("of: %w", err)
		}
		if v.Choice("unit") == "rate" {
			rate = 1
		}
		base := baseLevel(s)
		next, err := of.Spec.Open(rate*base, seed, of.Values)
		if err != nil {
			return nil, fmt.Errorf("of: %s: %w", of, err)
		}
		w := &warp{stages: s, base: base, end: s[0].For}
		w.processEnd = w.length(s[0])
		return w.wrap(next), nil
	},
})

// Stages returns the consecutive stages of the process from the start of the run, or nil.
func (v Variant) Stages() []Stage {
	if v.Spec.Stages == nil {
		return nil
	}
	return v.Spec.Stages(v.Values)
}

// Staged returns a process, by default poisson, in stages such as "load=0.6 for 20s, load=1.4 for
// 10s". A load is a share of the capacity if the scenario has no load of its own. rate=… is in
// tasks per second.
func Staged(of Variant, text string) (Variant, error) {
	if of.Spec.Name == "" {
		of = MustParse(poisson.Name)
	}
	if !of.TakesRate() || of.Spec.Stages != nil {
		return Variant{}, fmt.Errorf("arrival %s: it accepts no rate, so it cannot have stages",
			of.Spec.Name)
	}
	unit, at := "", []string{}
	for part := range strings.SplitSeq(text, ",") {
		words := strings.Fields(part)
		if len(words) != 3 || words[1] != "for" {
			return Variant{}, fmt.Errorf(
				"want stages such as load=0.6 for 20s, load=1.4 for 10s; got %q",
				strings.TrimSpace(part))
		}
		key, number, _ := strings.Cut(words[0], "=")
		level, err := strconv.ParseFloat(number, 64)
		if key != "load" && key != "rate" || err != nil {
			return Variant{}, fmt.Errorf("want load=NUMBER or rate=NUMBER, got %q", words[0])
		}
		if unit != "" && unit != key {
			return Variant{}, errors.New("want load= in all stages or rate= in all")
		}
		length, err := time.ParseDuration(words[2])
		if err != nil {
			return Variant{}, fmt.Errorf("want a duration such as 20s, got %q", words[2])
		}
		unit, at = key, append(at, Stage{Level: level, For: length}.String())
	}
	return Parse(fmt.Sprintf("%s:at=%s,unit=%s,of=%s", staged, strings.Join(at, "_"), unit,
		nest(of)))
}

// Ramps returns a process in stages such as "30s:0..200, 2m:200, 30s:0": a length, and a rate in
// tasks per second, which may change linearly. total is the sum of the lengths.
func Ramps(of Variant, text string) (v Variant, total time.Duration, err error) {
	if !of.TakesRate() || of.Spec.Stages != nil {
		return Variant{}, 0, fmt.Errorf("arrival %s accepts no rate, so it cannot have stages", of.Spec.Name)
	}
	stages, err := readRamps(text)
	if err != nil {
		return Variant{}, 0, err
	}
	for _, s := range stages {
		total += s.For
	}
	v, err = Parse(fmt.Sprintf("%s:at=%s,unit=rate,of=%s", staged, joined(stages), nest(of)))
	return v, total, err
}

func readRamps(text string) (all []Stage, err error) {
	for part := range strings.SplitSeq(text, ",") {
		length, levels, ok := strings.Cut(strings.TrimSpace(part), ":")
		s := Stage{}
		s.For, err = time.ParseDuration(length)
		if ok && err == nil {
			err = s.readLevels(strings.TrimSpace(levels))
		}
		if !ok || err != nil {
			return nil, fmt.Errorf("want stages such as 30s:0..200, 2m:200; got %q",
				strings.TrimSpace(part))
		}
		all = append(all, s)
	}
	return all, nil
}

func joined(stages []Stage) string {
	var at []string
	for _, s := range stages {
		at = append(at, s.String())
	}
	return strings.Join(at, "_")
}

func (s *Stage) readLevels(text string) (err error) {
	from, to, ramp := strings.Cut(text, "..")
	if s.Level, err = strconv.ParseFloat(from, 64); err != nil || !ramp {
		return err
	}
	s.To, err = strconv.ParseFloat(to, 64)
	s.Ramp = s.To != s.Level
	return err
}

// String formats the stage for a parameter: 0.6x20s, 1.4x1m, 0x1m30s, 0..2x30s.
func (s Stage) String() string {
	length := s.For.String()
	for _, unit := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(length, unit) {
			length = length[:len(length)-2]
		}
	}
	if s.Ramp {
		return fmt.Sprintf("%v..%vx%s", s.Level, s.To, length)
	}
	return fmt.Sprintf("%vx%s", s.Level, length)
}

// readStages rejects stages that are not in canonical form.
func readStages(v param.Values) (stages []Stage, err error) {
	most, of := float64(maxLevel), "times the load"
	switch v.Choice("unit") {
	case "rate":
		most, of = MaxRate, "a second"
	case unitClients:
		most, of = maxClients, "clients"
	}
	texts := strings.Split(v.Text("at"), "_")
	if len(texts) > maxStages {
		return nil, fmt.Errorf("at: want at most %d stages, got %d", maxStages, len(texts))
	}
	total := time.Duration(0)
	inBounds := func(level float64) bool {
		return level == 0 || level >= MinRate && level <= most
	}
	for _, text := range texts {
		levels, length, _ := strings.Cut(text, "x")
		s := Stage{}
		bad := s.readLevels(levels)
		s.For, err = time.ParseDuration(length)
		switch {
		case bad != nil || err != nil:
			return nil, fmt.Errorf("at: want LEVELxTIME, as in 0.6x20s or 0..2x20s, got %q", text)
		case !inBounds(s.Level) || !inBounds(s.last()):
			return nil, fmt.Errorf("at: %s %s: want %v to %v, or 0", levels, of, MinRate, most)
		case s.For <= 0 || s.For > MaxSpan-total:
			return nil, fmt.Errorf("at: %v: want more than 0, at most %s in all", s.For, spanText)
		case s.String() != text:
			return nil, fmt.Errorf("at: spell %s as %s", text, s)
		}
		total += s.For
		stages = append(stages, s)
	}
	if baseLevel(stages) == 0 {
		return nil, fmt.Errorf("at: %s: every level is 0", v.Text("at"))
	}
	return stages, nil
}

func baseLevel(stages []Stage) float64 {
	for _, s := range stages {
		if level := cmp.Or(s.Level, s.last()); level > 0 {
			return level
		}
	}
	return 0
}

func nest(v Variant) string {
	name, values, ok := strings.Cut(v.String(), ":")
	if !ok {
		return name
	}
	return name + "(" + values + ")"
}

func unnest(text string) (Variant, error) {
	name, values, ok := strings.Cut(text, "(")
	if ok {
		name += ":" + strings.TrimSuffix(values, ")")
	}
	v, err := Parse(name)
	if err == nil && (!v.TakesRate() || v.Spec.Stages != nil) {
		return v, fmt.Errorf("%s accepts no rate", v)
	}
	return v, err
}

// A warp converts non-decreasing times of the process to times of the run.
type warp struct {
	stages                   []Stage
	base                     float64 // level of the process
	now                      int
	begin, end               time.Duration // current stage, in run time
	processBegin, processEnd time.Duration // current stage, in process time
}

func (w *warp) wrap(next Next) Next {
	return func() time.Duration { return w.runTime(next()) }
}

// Rounding never exceeds the end of a stage.
func (w *warp) runTime(t time.Duration) time.Duration {
	for t > w.processEnd && w.now < len(w.stages)-1 {
		w.now++
		w.begin, w.processBegin = w.end, w.processEnd
		w.end += w.stages[w.now].For
		w.processEnd += w.length(w.stages[w.now])
	}
	s := w.stages[w.now]
	if t > w.processEnd && (s.Ramp || s.Level == 0) { // after the last stage
		speed := max(s.last(), minAfter) / w.base
		return w.end + time.Duration(min(float64(t-w.processEnd)/speed, float64(MaxSpan)))
	}
	if w.now == 0 && !s.Ramp {
		return t
	}
	at := w.begin + time.Duration(math.Round(w.timeWithin(s, float64(t-w.processBegin))))
	if w.now < len(w.stages)-1 || s.Ramp {
		return min(at, w.end)
	}
	return at
}

// minAfter is the level after a last stage that ends with 0, because a process never ends.
const minAfter = MinRate

func (w *warp) length(s Stage) time.Duration {
	return time.Duration(math.Round(float64(s.For) * s.Mean() / w.base))
}

// timeWithin returns the run time within a stage in which the process advances by t.
func (w *warp) timeWithin(s Stage, t float64) float64 {
	if !s.Ramp {
		return t / (s.Level / w.base)
	}
	c := t * w.base
	slope := (s.To - s.Level) / float64(s.For)
	return 2 * c / (s.Level + math.Sqrt(max(s.Level*s.Level+2*slope*c, 0)))
}
