package attack

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// outcome is what became of a request.
type outcome uint8

const (
	completed outcome = iota // answered with a status below 400
	failed                   // not answered, or with another status
	throttled                // refused by the server: 403, 429, 503
	shed                     // refused by the strategy, or with the status that says so
	abandoned                // given up with the attack
)

// outcomeOf sorts an answer's status.
func (a Attack) outcomeOf(status int) outcome {
	switch {
	case status == a.Shed:
		return shed
	case status == http.StatusTooManyRequests, status == http.StatusForbidden, status == http.StatusServiceUnavailable:
		return throttled
	case status < 200 || status >= 400:
		return failed
	}
	return completed
}

// A sample is what is known of one settled request. Times are in ns from the start of the attack.
type sample struct {
	seq             uint64
	method, url     string
	due, start, end int64 // start: of the first attempt
	busy            int64 // from sending to the end of the answer, over all attempts
	lag             int64
	attempts        int
	outcome         outcome
	status          int // of the last answer
	err             string
	in, out         int64
}

// A tally sums samples up in memory that does not depend on their number.
type tally struct {
	base   time.Time
	label  string
	encode vegeta.Encoder // nil: nobody wants the results
	give   context.CancelCauseFunc

	mu       sync.Mutex
	writing  error // of encode
	offered  int
	outcomes [abandoned + 1]int
	firstDue int64
	lastDue  int64
	lastEnd  int64
	attempts int
	started  int
	busy     int64
	busySq   float64
	negative int // samples whose times are in the wrong order
	peak     int
	response reading // of completed requests, as are wait and service
	wait     reading
	service  reading
	lag      reading // of all
	timeline *timeline
	statuses map[int]int
	errors   map[string]int
}

// A reading is the distribution of one time.
type reading struct {
	histogram *hdrhistogram.Histogram
	sum       float64
	max       int64
}

// longest is the longest time that a reading can hold: 1000 hours.
const longest = int64(1000 * time.Hour)

func newReading() reading { return reading{histogram: hdrhistogram.New(1, longest, 3)} }

func (r *reading) add(ns int64) {
	_ = r.histogram.RecordValue(min(ns, longest)) // fits
	r.sum += float64(ns)
	r.max = max(r.max, ns)
}

func newTally(a Attack, give context.CancelCauseFunc) *tally {
	t := &tally{
		label: a.label(), give: give,
		response: newReading(), wait: newReading(), service: newReading(), lag: newReading(),
		timeline: newTimeline(), statuses: map[int]int{}, errors: map[string]int{},
	}
	if a.Vegeta != nil {
		t.encode = vegeta.NewEncoder(a.Vegeta)
	}
	return t
}

func (t *tally) add(s sample) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.offered == 0 {
		t.firstDue = s.due
	}
	t.offered++
	t.outcomes[s.outcome]++
	t.firstDue, t.lastDue, t.lastEnd = min(t.firstDue, s.due), max(t.lastDue, s.due), max(t.lastEnd, s.end)
	wait := s.end - s.due - s.busy
	if s.end < s.due || s.busy < 0 || wait < 0 || s.attempts > 0 && s.start < s.due {
		t.negative++
	}
	if s.attempts > 0 {
		t.started++
		t.attempts += s.attempts
		t.busy += s.busy
		t.busySq += float64(s.busy) * float64(s.busy)
	}
	t.lag.add(max(s.lag, 0))
	if s.outcome == completed {
		t.response.add(s.end - s.due)
		t.wait.add(max(wait, 0))
		t.service.add(s.busy)
	}
	if s.status != 0 {
		t.statuses[s.status]++
	} else if s.err != "" {
		t.countError(s.err)
	}
	t.timeline.add(s)
	t.write(s)
}

// write hands the sample on in vegeta's encoding. After an error the attack is given up.
func (t *tally) write(s sample) {
	if t.encode == nil || t.writing != nil {
		return
	}
	err := t.encode(&vegeta.Result{
		Attack: t.label, Seq: s.seq, Code: uint16(s.status),
		Timestamp: t.base.Add(time.Duration(s.due)), Latency: time.Duration(s.end - s.due),
		BytesIn: uint64(s.in), BytesOut: uint64(s.out), Error: errorText(s), Method: s.method, URL: s.url,
	})
	if err != nil {
		t.writing = err
		t.give(err)
	}
}

// errorText is what vegeta has for what went wrong: the status line where there is one.
func errorText(s sample) string {
	switch {
	case s.err != "":
		return s.err
	case s.outcome == shed && s.status == 0:
		return "shed by the strategy"
	case s.outcome != completed:
		return fmt.Sprintf("%d %s", s.status, http.StatusText(s.status))
	}
	return ""
}

// mostErrors is how many kinds of errors are told apart.
const mostErrors = 16

// countError counts by kind: without the request, and without what differs from one connection to the next.
func (t *tally) countError(text string) {
	text = errorKind(text)
	if _, known := t.errors[text]; !known && len(t.errors) >= mostErrors {
		text = "other errors"
	}
	t.errors[text]++
}

var (
	ofRequest  = regexp.MustCompile(`^[A-Z][a-z]+ "(?:[^"\\]|\\.)*": `)
	localEnd   = regexp.MustCompile(`\S+:\d+->`)
	afterValue = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
)

func errorKind(text string) string {
	text = oneLine(localEnd.ReplaceAllString(ofRequest.ReplaceAllString(text, ""), ""))
	text = afterValue.ReplaceAllString(text, `"…"`)
	if runes := []rune(text); len(runes) > 160 {
		text = string(runes[:160]) + "…"
	}
	return text
}

func (t *tally) progress() (settled, failed int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.offered, t.offered - t.outcomes[completed]
}

// sorted returns counts, the most frequent first.
func sorted(counts map[string]int) []Count {
	var all []Count
	for what, n := range counts {
		all = append(all, Count{what, n})
	}
	slices.SortFunc(all, func(a, b Count) int {
		if a.N != b.N {
			return b.N - a.N
		}
		return strings.Compare(a.What, b.What)
	})
	return all
}
