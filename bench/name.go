package bench

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// Name returns the canonical benchmark name of the scenario, Run/strategy=…/…/clock=…, with every
// axis and every parameter that differs from its default. It omits the seed, because runs with
// different seeds are samples of the same cell.
func (s Scenario) Name() string { return "Run/" + s.axes() }

func (s Scenario) axes() string {
	s = s.withDefaults()
	var parts []string
	add := func(given bool, axis string, value any) {
		if given {
			parts = append(parts, fmt.Sprintf("%s=%v", axis, value))
		}
	}
	add(true, "strategy", escaped(s.Strategy.String()))
	add(true, "workload", escaped(s.Workload.String()))
	add(true, "target", escaped(s.Target.String()))
	add(true, "arrival", escaped(s.Load.Arrival.String()))
	add(true, "limit", s.Limit)
	staged := s.Load.Arrival.Stages() != nil && s.Load.Relative == 1 // stages contain their loads
	add(s.Load.Relative != 0 && !staged, "load", s.Load.Relative)
	add(s.Load.Relative == 0 && s.Load.PerSecond != 0, "rate", s.Load.PerSecond)
	add(s.Queue != 0, "queue", max(s.Queue, 0))
	add(s.Deadline != 0, "deadline", s.Deadline)
	add(s.Timeout != 0, "timeout", s.Timeout)
	add(s.Patience != nil, "patience", s.Patience)
	add(s.Drain != 0, "drain", s.Drain)
	add(s.Stop.Tasks != defaultStop.Tasks && s.Stop.Tasks != 0, "n", s.Stop.Tasks)
	add(s.Stop.Duration != 0, "duration", s.Stop.Duration)
	add(s.Stop.Warmup != defaultStop.Warmup, "warmup", s.Stop.Warmup)
	add(s.Profile != "", "profile", s.Profile)
	add(s.Flight != 0, "flight", s.Flight)
	add(true, "clock", s.Clock)
	return strings.Join(parts, "/")
}

// A parameter may be a path.
func escaped(variant string) string {
	var b strings.Builder
	for _, r := range variant {
		if r != '/' && r != '%' && r != utf8.RuneError && unicode.IsGraphic(r) &&
			!unicode.IsSpace(r) {
			b.WriteRune(r)
			continue
		}
		for _, c := range []byte(string(r)) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// Encoded is a scenario as JSON for another process. Its variants must be registered.
type Encoded struct {
	Strategy, Workload, Target, Arrival string
	Limit, Queue                        int
	Load, Rate                          float64
	Tasks                               int
	Duration, Deadline, Timeout, Drain  time.Duration
	Patience                            string `json:",omitempty"`
	Warmup                              float64
	Seed                                uint64
	Clock                               string
	Soak                                bool          `json:",omitempty"`
	Before                              *Result       `json:",omitempty"`
	Profile                             string        `json:",omitempty"`
	Flight, FlightBound                 time.Duration `json:",omitempty"`
	Among                               int           `json:",omitempty"`
}

// Encode returns the scenario for another process.
func (s Scenario) Encode() Encoded {
	s = s.withDefaults()
	patience := ""
	if s.Patience != nil {
		patience = s.Patience.String()
	}
	return Encoded{
		Strategy: s.Strategy.String(), Workload: s.Workload.String(), Target: s.Target.String(),
		Arrival: s.Load.Arrival.String(),
		Limit:   s.Limit, Queue: s.Queue, Load: s.Load.Relative, Rate: s.Load.PerSecond,
		Tasks: s.Stop.Tasks, Duration: s.Stop.Duration, Warmup: s.Stop.Warmup,
		Deadline: s.Deadline, Timeout: s.Timeout, Patience: patience, Drain: s.Drain,
		Seed: s.Seed, Clock: s.Clock.String(), Soak: s.Soak, Before: s.Before,
		Profile: s.Profile, Flight: s.Flight, FlightBound: s.FlightBound, Among: s.Among,
	}
}

// Scenario parses a scenario that Scenario.Written has written.
func (w Encoded) Scenario() (Scenario, error) {
	s := Scenario{
		Limit: w.Limit, Queue: w.Queue, Deadline: w.Deadline, Timeout: w.Timeout,
		Drain: w.Drain, Seed: w.Seed, Soak: w.Soak, Before: w.Before,
		Profile: w.Profile, Flight: w.Flight, FlightBound: w.FlightBound, Among: w.Among,
		Load: Load{Relative: w.Load, PerSecond: w.Rate},
		Stop: Stop{Tasks: w.Tasks, Duration: w.Duration, Warmup: w.Warmup},
	}
	var errs [6]error
	s.Strategy, errs[0] = strategies.Parse(w.Strategy)
	s.Workload, errs[1] = workloads.Parse(w.Workload)
	s.Target, errs[2] = targets.Parse(w.Target)
	s.Load.Arrival, errs[3] = arrivals.Parse(w.Arrival)
	errs[4] = s.Clock.Set(w.Clock)
	if w.Patience != "" {
		s.Patience, errs[5] = dist.Parse(w.Patience)
	}
	if err := errors.Join(errs[:]...); err != nil {
		return Scenario{}, err
	}
	return s, s.Validate()
}
