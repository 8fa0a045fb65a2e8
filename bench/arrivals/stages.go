package arrivals

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

// A Stage is a part of a run with a load of its own.
type Stage struct {
	// Level is the factor on the scenario's rate (0 is a pause), or with unit=rate the rate in tasks
	// per second.
	Level float64
	For   time.Duration
}

const staged = "stages"

// Bounds of stages.
const (
	mostStages = 20
	mostLevel  = 1000 // factor on the scenario's rate
)

// stages runs the clock of another process at the speed of each stage, so its gaps shrink at a high
// load, even if the change is within a gap. Exponential gaps give a Poisson process whose rate
// changes immediately (Çinlar, Introduction to Stochastic Processes, 1975). The first stage is the
// process itself, and the last one continues to the end of the run.
var _ = register(Spec{
	Name:     staged,
	Summary:  "another process, at a load that changes from stage to stage",
	Source:   "queueing theory (the inhomogeneous Poisson process); k6 and vegeta ramp likewise",
	Unsteady: true,
	Keys: []param.Key{
		{Name: "at", Kind: param.Text, Default: "1x1s",
			Doc: "level and length of each stage, as in 0.6x20s_1.4x10s_0.6x1m"},
		{Name: "unit", Kind: param.Choice, Default: "load", Choices: []string{"load", "rate"},
			Doc: "what a level is: a multiple of the scenario's load, or tasks per second"},
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
		next, err := of.Spec.Open(rate*s[0].Level, seed, of.Values)
		if err != nil {
			return nil, fmt.Errorf("of: %s: %w", of, err)
		}
		return (&warp{stages: s, end: s[0].For, read: s[0].For}).over(next), nil
	},
})

// Stages returns the consecutive stages of the process from the start of the run, or nil.
func (v Variant) Stages() []Stage {
	if v.Spec.Stages == nil {
		return nil
	}
	return v.Spec.Stages(v.Values)
}

// Staged returns the process, by default the default one, in stages. They are written as "load=0.6
// for 20s, load=1.4 for 10s": a load is a share of the capacity, if the scenario has no load of its
// own, and rate=… is in tasks per second.
func Staged(of Variant, text string) (Variant, error) {
	if of.Spec.Name == "" {
		of = MustParse(poisson.Name)
	}
	if !of.TakesRate() || of.Spec.Stages != nil {
		return Variant{}, fmt.Errorf("arrival %s: it takes no rate, so it has no stages",
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
		unit, at = key, append(at, Stage{level, length}.String())
	}
	return Parse(fmt.Sprintf("%s:at=%s,unit=%s,of=%s", staged, strings.Join(at, "_"), unit,
		nest(of)))
}

// String formats the stage for a parameter: 0.6x20s, 1.4x1m, 0x1m30s.
func (s Stage) String() string {
	length := s.For.String()
	for _, unit := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(length, unit) {
			length = length[:len(length)-2]
		}
	}
	return fmt.Sprintf("%vx%s", s.Level, length)
}

// readStages parses the canonical form of a list of stages.
func readStages(v param.Values) (stages []Stage, err error) {
	most, of := float64(mostLevel), "times the load"
	if v.Choice("unit") == "rate" {
		most, of = MostRate, "a second"
	}
	texts := strings.Split(v.Text("at"), "_")
	if len(texts) > mostStages {
		return nil, fmt.Errorf("at: want at most %d stages, got %d", mostStages, len(texts))
	}
	total := time.Duration(0)
	for i, text := range texts {
		number, length, _ := strings.Cut(text, "x")
		level, bad := strconv.ParseFloat(number, 64)
		s := Stage{Level: level}
		s.For, err = time.ParseDuration(length)
		switch paused := level == 0 && i > 0 && i < len(texts)-1; {
		case bad != nil || err != nil:
			return nil, fmt.Errorf("at: want LEVELxTIME, as in 0.6x20s, got %q", text)
		case !(level >= LeastRate && level <= most) && !paused:
			return nil, fmt.Errorf("at: %v %s: want %v to %v, or 0 between two others", level, of,
				LeastRate, most)
		case s.For <= 0 || s.For > MaxSpan-total:
			return nil, fmt.Errorf("at: %v: want more than 0, at most %s in all", s.For, spanText)
		case s.String() != text:
			return nil, fmt.Errorf("at: spell %s as %s", text, s)
		}
		total += s.For
		stages = append(stages, s)
	}
	return stages, nil
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
		return v, fmt.Errorf("%s takes no rate", v)
	}
	return v, err
}

// A warp converts the time of the process to the time of the run. Process times never decrease, so
// it advances stage by stage.
type warp struct {
	stages     []Stage
	now        int
	begin, end time.Duration // of the stage, in run time
	from, read time.Duration // of the stage, in process time
}

func (w *warp) over(next Next) Next {
	return func() time.Duration { return w.when(next()) }
}

// when returns the run time for a process time. Rounding never exceeds the end of a stage.
func (w *warp) when(t time.Duration) time.Duration {
	for t > w.read && w.now < len(w.stages)-1 {
		w.now++
		w.begin, w.from = w.end, w.read
		w.end += w.stages[w.now].For
		w.read += time.Duration(math.Round(float64(w.stages[w.now].For) * w.speed()))
	}
	if w.now == 0 {
		return t
	}
	at := w.begin + time.Duration(math.Round(float64(t-w.from)/w.speed()))
	if w.now < len(w.stages)-1 {
		return min(at, w.end)
	}
	return at
}

func (w *warp) speed() float64 { return w.stages[w.now].Level / w.stages[0].Level }
