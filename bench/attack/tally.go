package attack

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/bench/attack/requests"
	"github.com/poolbench/poolbench/bench/attack/sessions"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/internal/lazyregexp"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
)

// The receiver is a pointer because copying the 2 kB of an attack would grow the stack of each
// request's goroutine.
func (a *Attack) outcomeOf(status int) record.Outcome {
	switch {
	case a.spoken != nil:
		return a.spoken.Outcome(status)
	case status == a.Shed:
		return record.Shed
	case status == http.StatusTooManyRequests, status == http.StatusForbidden,
		status == http.StatusServiceUnavailable:
		return record.Throttled
	case status < 200 || status >= 400:
		return record.Failed
	}
	return record.Completed
}

func (a Attack) answerNeeds() (needs checks.Needs) {
	if a.Session != nil {
		needs = a.Session.Needs()
	}
	if len(a.Checks) > 0 {
		needs = checks.Needs{Head: true,
			Body: max(a.Checks.Needs().Body, needs.Body, checks.ForFailures)}
	}
	if a.CheckBytes > 0 && needs.Body == checks.MaxBody { // a check or a capture reads the body
		needs.Body = a.CheckBytes
	}
	return needs
}

const failedCheck = "check failed: "

// A refusal stays a refusal unless a check on the status accepts it.
func (r *run) inspect(s *sample, a answer) {
	k, all := a.kept, s.visit.checks(r.attack.Checks)
	k.Status, k.Size, k.Ends = r.tally.spoken.Like(a.status), a.in, r.ctx.Done()
	k.Response = time.Duration(s.end - s.due)
	if s.outcome == record.Completed || all.OfStatus() && s.outcome != record.Shed {
		failed := all.Failed(k)
		if s.visit != nil {
			failed = s.visit.inspect(k, a.stored, failed)
		}
		switch {
		case failed == "":
			s.outcome = record.Completed
		case s.outcome == record.Throttled: // so that a strategy may retry
			s.check = failed
		default:
			s.outcome, s.check = record.Failed, failed
		}
	}
	if k.Unfinished { // the result is unknown
		s.outcome, s.check, s.err = record.Abandoned, "", strategies.ErrAbandoned.Error()
	}
	if s.outcome != record.Completed && s.outcome != record.Abandoned {
		what := failedCheck + s.check
		if s.check == "" {
			what = s.visit.named("status " + r.tally.spoken.Status(s.status))
		}
		r.keepFailure(what, s, k)
	}
	keptAnswers.Put(k)
}

func (r *run) inspectBroken(s *sample, a answer) {
	k := a.kept
	if k == nil {
		return
	}
	if s.outcome == record.Failed && k.Status > 0 &&
		r.attack.outcomeOf(k.Status) != record.Completed {
		k.Status, k.Cut = r.tally.spoken.Like(k.Status), true
		r.keepFailure(errorKind(s.err), s, k)
	}
	keptAnswers.Put(k)
}

func (r *run) keepFailure(what string, s *sample, k *checks.Answer) {
	t := r.tally
	t.mu.Lock()
	t.failures.Collect(what, s.seq, k, func(text string, cut bool) string {
		secrets := append(r.caller.secrets(s.seq, s.visit), s.visit.secretsIn(k)...)
		for _, address := range k.Followed {
			secrets = append(secrets,
				requests.SecretsOf(Request{URL: address}, r.attack.ShowQuery)...)
		}
		if cut {
			text = requests.MaskCut(text, secrets)
		}
		return requests.Mask(text, secrets)
	})
	t.mu.Unlock()
}

// A sample is the data of a settled request that its record does not have. Times are in ns from the
// start of the attack.
type sample struct {
	seq       uint64
	due, end  int64
	busy      int64 // from sending to the end of the answer, over all attempts
	outcome   record.Outcome
	status    int // of the last answer; 0: none
	err       string
	check     string // that did not hold, of the last answer; "": all did
	in, out   int64
	firstByte time.Duration // of the last answer
	visit     *visit
}

type tally struct {
	base     time.Time
	label    string
	spoken   *Protocol
	requests []Request
	shown    []string       // their URLs
	encode   vegeta.Encoder // nil: not requested
	give     context.CancelCauseFunc

	mu       sync.Mutex
	writing  error // error of encode or of a dead letter
	outcomes sessions.Outcomes
	busy     int64
	statuses map[int]int
	errors   map[string]int
	failures checks.Failures
	sampled  traceSample
	traced   slowest // of the requests with a trace
	sessions *sessions.Tally
	urls     *urlTally     // nil: a single URL
	before   *bench.Result // of a resumed soak
	slow     slowest
}

var plainHTTP = &Protocol{Like: func(status int) int { return status }, Status: strconv.Itoa}

func newTally(a Attack, give context.CancelCauseFunc) *tally {
	t := &tally{label: a.label(), spoken: cmp.Or(a.spoken, plainHTTP), requests: a.Requests,
		give: give, sampled: a.sampled(), statuses: map[int]int{}, errors: map[string]int{}}
	t.urls, t.before = newURLTally(a), a.Before
	if a.Session != nil {
		t.sessions = sessions.NewTally(a.Session)
	}
	if a.Vegeta != nil {
		t.encode = vegeta.NewEncoder(a.Vegeta)
		for _, r := range a.Requests {
			t.shown = append(t.shown, a.Show(r.URL))
		}
	}
	return t
}

func (t *tally) add(s sample) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.outcomes[s.outcome]++
	t.busy += s.busy
	if s.status != 0 {
		t.statuses[s.status]++
	} else if s.err != "" {
		t.count(errorKind(s.err))
	}
	if s.check != "" {
		t.count(failedCheck + s.check)
	}
	if t.sampled.Share > 0 && s.busy > 0 { // sent requests only
		t.addTraced(s)
	}
	t.addURL(s)
	t.write(s)
}

func (t *tally) addTraced(s sample) {
	due, end := time.Duration(s.due), time.Duration(s.end)
	if !t.traced.qualifies(end - due) {
		return
	}
	if id := t.sampled.ID(s.seq); id != "" {
		t.traced = t.traced.insert(Slow{Trace: id, Due: due, End: end})
	}
}

func (t *tally) addURL(s sample) {
	if t.urls == nil && s.visit == nil {
		return
	}
	settled := sessions.RequestOutcome{Outcome: s.outcome, Status: s.status,
		Sent: s.out, Received: s.in, Response: s.end - s.due, Service: s.busy}
	var name string
	if s.visit == nil {
		name = t.urls.add(s.seq, settled)
	} else {
		t.sessions.Step(s.visit.step, settled)
		name = s.visit.of.Steps[s.visit.step].Name
	}
	if due, end := time.Duration(s.due), time.Duration(s.end); t.slow.qualifies(end - due) {
		t.slow = t.slow.insert(Slow{URL: name, Due: due, End: end})
	}
}

// An error ends the attack.
func (t *tally) write(s sample) {
	if t.encode == nil || t.writing != nil {
		return
	}
	req := &t.requests[s.seq%uint64(len(t.requests))]
	err := t.encode(&vegeta.Result{
		Attack: t.label, Seq: s.seq, Code: t.like(s.status),
		Timestamp: t.base.Add(time.Duration(s.due)), Latency: time.Duration(s.end - s.due),
		BytesIn: uint64(s.in), BytesOut: uint64(s.out), Error: t.errorText(s),
		Method: req.Method, URL: t.shown[s.seq%uint64(len(t.shown))],
	})
	if err != nil {
		t.writing = err
		t.give(err)
	}
}

func (t *tally) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.writing == nil {
		t.writing = err
	}
}

func (t *tally) errorText(s sample) string {
	switch {
	case s.err != "":
		return s.err
	case s.check != "":
		return failedCheck + s.check
	case s.outcome == record.Shed && s.status == 0:
		return "shed by the strategy"
	case s.outcome != record.Completed && t.spoken != plainHTTP:
		return t.spoken.Status(s.status)
	case s.outcome != record.Completed:
		return fmt.Sprintf("%d %s", s.status, http.StatusText(s.status))
	}
	return ""
}

const maxErrors = 16

func (t *tally) count(text string) {
	if _, known := t.errors[text]; !known && len(t.errors) >= maxErrors {
		text = "other errors"
	}
	t.errors[text]++
}

var (
	ofRequest  = lazyregexp.New(`^[A-Z][a-z]+ "(?:[^"\\]|\\.)*": `)
	localEnd   = lazyregexp.New(`\S+:\d+->`)
	ofStream   = lazyregexp.New(`stream ID \d+`)
	afterValue = lazyregexp.New(`"(?:[^"\\]|\\.)*"`)
	tooLate    = lazyregexp.New(`(i/o timeout|context deadline exceeded)( \(.*\))?$`)
)

// errorKind omits the request and the parts that differ between connections.
func errorKind(s string) string {
	s = text.OneLine(localEnd.ReplaceAllString(ofRequest.ReplaceAllString(s, ""), ""))
	if tooLate.MatchString(s) && !strings.HasPrefix(s, "dial ") {
		return "no answer in time" // as for gRPC
	}
	s = ofStream.ReplaceAllString(s, "stream ID …")
	s = afterValue.ReplaceAllString(s, `"…"`)
	if runes := []rune(s); len(runes) > 160 {
		s = string(runes[:160]) + "…"
	}
	return s
}

func (t *tally) soFar(r *bench.Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.metrics(r)
}

func (t *tally) metrics(r *bench.Result) {
	if t.sessions != nil {
		t.sessions.Metrics(t.spoken.Status, r.Add)
	}
	if t.before == nil { // a resumed soak lacks the distributions of its first part
		urlMetrics(t.urls.sortedRows(), t.spoken.Status, r.Add)
	}
	addStatuses(r, t.answered(), t.before)
}

func addStatuses(r *bench.Result, statuses []Count, before *bench.Result) {
	counts := map[string]float64{}
	for _, c := range statuses {
		counts[metric.OfStatus(c.What)] += float64(c.N)
	}
	if before != nil {
		for _, m := range before.Metrics {
			if _, ok := metric.StatusOf(m.Unit); ok {
				counts[m.Unit] += math.Round(m.Value * float64(before.Tasks))
			}
		}
	}
	for _, unit := range slices.Sorted(maps.Keys(counts)) {
		r.Add(unit, counts[unit]/float64(max(r.Tasks, 1)))
	}
}

func (t *tally) counts() checks.Counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return checks.Counts{Settled: t.outcomes.Sum(), Failed: t.outcomes[record.Failed],
		Throttled: t.outcomes[record.Throttled], Shed: t.outcomes[record.Shed],
		Abandoned: t.outcomes[record.Abandoned]}
}

func (t *tally) like(status int) uint16 {
	if status != 0 {
		status = t.spoken.Like(status)
	}
	return uint16(status)
}

func (t *tally) answered() []Count {
	by := map[string]int{}
	for status, n := range t.statuses {
		by[t.spoken.Status(status)] += n
	}
	return counted(by)
}

func counted(counts map[string]int) (all []Count) {
	for what, n := range counts {
		all = append(all, Count{what, n})
	}
	slices.SortFunc(all, func(a, b Count) int { return strings.Compare(a.What, b.What) })
	return all
}

func sorted(counts map[string]int) []Count {
	all := counted(counts)
	slices.SortStableFunc(all, func(a, b Count) int { return b.N - a.N })
	return all
}
