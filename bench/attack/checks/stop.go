package checks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Stop is a rule that ends an attack early: of the requests that ended in each second, for so
// long, more than a share came to that. The zero value is none.
type Stop struct {
	text  string
	of    string
	share float64
	span  time.Duration
}

// Counts are how many requests have ended so far, by what became of them.
type Counts struct{ Settled, Failed, Throttled, Shed, Abandoned int }

// Plus is the sum.
func (c Counts) Plus(d Counts) Counts {
	return Counts{c.Settled + d.Settled, c.Failed + d.Failed, c.Throttled + d.Throttled,
		c.Shed + d.Shed, c.Abandoned + d.Abandoned}
}

// ofLost is what was not completed, for whatever reason.
const ofLost = "lost"

// stops are what a rule can be about.
var stops = []string{"failed", "throttled", "shed", ofLost}

// String is the rule as it was given.
func (s Stop) String() string { return s.text }

// MarshalText is String, for those who hand it on.
func (s Stop) MarshalText() ([]byte, error) { return []byte(s.text), nil }

// UnmarshalText is ParseStop.
func (s *Stop) UnmarshalText(text []byte) (err error) {
	*s, err = ParseStop(string(text))
	return err
}

// longest is the longest span of a rule, and shortest the shortest, in which a few requests can
// end.
const (
	longest  = 24 * time.Hour
	shortest = 100 * time.Millisecond
)

// ParseStop reads a rule such as
//
//	failed > 5% for 10s
//
// failed is answered with an error, not answered, or with a check that does not hold; throttled is
// refused by the server, shed by the strategy; lost is all that was not completed.
func ParseStop(text string) (Stop, error) {
	words := strings.Fields(text)
	wrong := func(format string, args ...any) (Stop, error) {
		return Stop{}, fmt.Errorf("%q: %s", text, fmt.Sprintf(format, args...))
	}
	if len(words) != 5 || words[1] != ">" || words[3] != "for" {
		return wrong("want a rule such as failed > 5%% for 10s")
	}
	s := Stop{text: strings.Join(words, " "), of: words[0]}
	if !slices.Contains(stops, s.of) {
		return wrong("want one of %s first, got %q", strings.Join(stops, ", "), s.of)
	}
	number, percent := strings.CutSuffix(words[2], "%")
	share, err := strconv.ParseFloat(number, 64)
	if percent {
		share /= 100
	}
	if s.share = share; err != nil || !(share >= 0 && share < 1) {
		return wrong("want a share from 0%% to below 100%%, got %q", words[2])
	}
	s.span, err = time.ParseDuration(words[4])
	if err != nil || s.span < shortest || s.span > longest {
		return wrong("want a time from %v to %v, got %q", shortest, longest, words[4])
	}
	return s, nil
}

func (s Stop) count(c Counts) int {
	switch s.of {
	case "failed":
		return c.Failed
	case "throttled":
		return c.Throttled
	case "shed":
		return c.Shed
	}
	return c.Failed + c.Throttled + c.Shed + c.Abandoned
}

// Every is how often a Watch is to look: a second, or the span where that is shorter.
func (s Stop) Every() time.Duration { return min(s.span, time.Second) }

// A Watch holds a rule against what goes on.
type Watch struct {
	Stop
	before Counts
	since  time.Duration // when it began to be so, by the looks; below 0: it is not so
	begun  Counts        // then
	last   time.Duration
}

// Watch begins one.
func (s Stop) Watch() *Watch { return &Watch{Stop: s, since: -1} }

// Look is told so much time after the beginning what has ended by then, and says why the attack is
// to stop: "" while it is not. A look since whose last one nothing ended counts for neither.
func (w *Watch) Look(at time.Duration, now Counts) (why string) {
	from, before := w.last, w.before
	w.last = at
	settled := now.Settled - before.Settled
	if settled <= 0 {
		return ""
	}
	w.before = now
	if float64(w.count(now)-w.count(before)) <= w.share*float64(settled) {
		w.since = -1
		return ""
	}
	if w.since < 0 {
		w.since, w.begun = from, before
	}
	if at-w.since < w.span-w.span/100 { // looks come as a clock has them
		return ""
	}
	settled, of := now.Settled-w.begun.Settled, w.count(now)-w.count(w.begun)
	what := w.of
	if what != "failed" {
		what = "were " + what
	}
	return fmt.Sprintf("after %v by %q: %d of the last %d requests (%.3g %%) %s",
		at.Round(100*time.Millisecond), w.text, of, settled, 100*float64(of)/float64(settled), what)
}
