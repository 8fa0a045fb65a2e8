package checks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Stop is a rule that ends an attack early: if in each second of a span more than a share of the
// ended requests match it.
type Stop struct {
	text  string
	of    string
	share float64
	span  time.Duration
}

// Counts are the ended requests so far by outcome.
type Counts struct{ Settled, Failed, Throttled, Shed, Abandoned int }

// Plus returns the sum.
func (c Counts) Plus(d Counts) Counts {
	return Counts{c.Settled + d.Settled, c.Failed + d.Failed, c.Throttled + d.Throttled,
		c.Shed + d.Shed, c.Abandoned + d.Abandoned}
}

const ofLost = "lost"

var stops = []string{"failed", "throttled", "shed", ofLost}

func (s Stop) String() string { return s.text }

// MarshalText encodes the rule as String.
func (s Stop) MarshalText() ([]byte, error) { return []byte(s.text), nil }

// UnmarshalText is ParseStop.
func (s *Stop) UnmarshalText(text []byte) (err error) {
	*s, err = ParseStop(string(text))
	return err
}

// A shorter span may contain too few requests.
const (
	longest  = 24 * time.Hour
	shortest = 100 * time.Millisecond
)

// ParseStop parses a rule such as "failed > 5% for 10s". failed is an error, no answer, or a failed
// check. throttled is refused by the server, shed by the strategy. lost is every request that was
// not completed.
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

// Every returns the interval of a Watch's looks: a second, or a shorter span.
func (s Stop) Every() time.Duration { return min(s.span, time.Second) }

// A Watch applies a rule to the progress.
type Watch struct {
	Stop
	before Counts
	since  time.Duration // begin of the violation; below 0: none
	begun  Counts        // counts at that time
	last   time.Duration
}

// Watch starts a Watch.
func (s Stop) Watch() *Watch { return &Watch{Stop: s, since: -1} }

// Look evaluates the counts at a time since the start. It returns why to stop, or "". It ignores
// intervals in which nothing ended.
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
	if at-w.since < w.span-w.span/100 { // tolerance for the timing of looks
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
