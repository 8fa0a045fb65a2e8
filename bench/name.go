package bench

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Name is the benchmark name of the scenario in its one canonical spelling:
// Run/strategy=…/…/clock=…, every axis and every parameter that is not at its default. The seed is
// not part of it: repetitions with other seeds are samples of the same cell.
func (s Scenario) Name() string { return "Run/" + s.axes() }

func (s Scenario) axes() string {
	s = s.withDefaults()
	parts := []string{
		"strategy=" + escaped(s.Strategy.String()),
		"workload=" + escaped(s.Workload.String()),
		"target=" + escaped(s.Target.String()),
		"arrival=" + escaped(s.Load.Arrival.String()),
		"limit=" + strconv.Itoa(s.Limit),
	}
	add := func(format string, a ...any) { parts = append(parts, fmt.Sprintf(format, a...)) }
	switch {
	case s.Load.Relative != 0:
		add("load=%v", s.Load.Relative)
	case s.Load.PerSecond != 0:
		add("rate=%v", s.Load.PerSecond)
	}
	if s.Queue != 0 {
		add("queue=%d", max(s.Queue, 0))
	}
	if s.Deadline != 0 {
		add("deadline=%v", s.Deadline)
	}
	if s.Timeout != 0 {
		add("timeout=%v", s.Timeout)
	}
	if s.Drain != 0 {
		add("drain=%v", s.Drain)
	}
	if s.Stop.Tasks != defaultStop.Tasks && s.Stop.Tasks != 0 {
		add("n=%d", s.Stop.Tasks)
	}
	if s.Stop.Duration != 0 {
		add("duration=%v", s.Stop.Duration)
	}
	if s.Stop.Warmup != defaultStop.Warmup {
		add("warmup=%v", s.Stop.Warmup)
	}
	add("clock=%v", s.Clock)
	return strings.Join(parts, "/")
}

// escaped spells what a benchmark name cannot hold, the slash between its parts, white space and
// what does not print, as URLs do: a parameter may be a path.
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
