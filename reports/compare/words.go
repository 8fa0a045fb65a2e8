package compare

import (
	"fmt"
	"math"
	"strings"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
)

// String returns the parts of the difference of the tail, or of all tasks without a tail, or "".
func (d *Difference) String() string {
	of, which := d.Tail, "at the p99 or above on either side"
	if of == nil {
		of, which = &d.All, "of both sides"
	}
	parts := of.parts()
	if parts == "" {
		return ""
	}
	s := fmt.Sprintf("%s %s: mean %s = %s", text.Count(of.Tasks, "task"), which,
		Signed(of.mean(of.Response)), parts)
	if m := d.Most; m != nil {
		s += fmt.Sprintf("; %s of them make %s of it",
			text.WholeShare(float64(m.Tasks)/float64(of.Tasks)),
			text.WholeShare(MaxShare)) + m.when(d.Pairs)
	}
	if d.Tail != nil && d.Unpaired > 0 {
		s += fmt.Sprintf("; %d more completed on one side alone", d.Unpaired)
	}
	return s
}

// parts lists parts that are visible next to the largest, in the order of a task's life.
func (s *Sum) parts() string {
	const least = 0.005 // of the largest
	largest := 0.0
	for _, v := range s.Parts {
		largest = max(largest, math.Abs(float64(v)))
	}
	var words []string
	for _, name := range rundir.PartNames {
		if v := s.Parts[name]; v != 0 && math.Abs(float64(v)) >= least*largest {
			words = append(words, Signed(s.mean(v))+" "+string(name))
		}
	}
	return strings.Join(words, ", ")
}

func (m *TailShare) when(pairs int) string {
	const much = 0.2 // of the difference of most tasks
	within := "due within " + text.Seconds(m.Until-m.From)
	if pairs == 1 {
		within += " from " + text.Seconds(m.From)
	}
	switch {
	case m.Bursts == 1:
		return ", all " + within
	case m.Share >= much:
		return fmt.Sprintf(" in %d bursts, of which one, %s, has %s", m.Bursts, within,
			text.WholeShare(m.Share))
	}
	return fmt.Sprintf(" in %d bursts", m.Bursts)
}

// Signed formats a time with its sign.
func Signed(seconds float64) string {
	switch {
	case seconds > 0:
		return "+" + text.Seconds(seconds)
	case seconds < 0:
		return "−" + text.Seconds(-seconds)
	}
	return "0 s"
}
