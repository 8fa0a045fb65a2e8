package sessions

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/bench/record"
)

// A Tally counts sessions and their steps in constant memory.
type Tally struct {
	Begun    int      // sessions
	Outcomes Outcomes // by the last sent step of each session
	// of completed sessions: sum of the steps' response times
	Response Times
	Service  Times // of completed sessions: sum of the steps' service times
	// of completed sessions: from due of the first step to the last answer, including think time
	Length Times
	Steps  []StepTally
}

// Outcomes is the count of each outcome.
type Outcomes [record.Abandoned + 1]int

// A StepTally counts one step of all sessions.
type StepTally struct {
	Row
	Unsent int // in sessions that ended before
}

// A Row counts requests of one kind, such as those to one URL, in constant memory.
type Row struct {
	Name           string
	Outcomes       Outcomes
	Statuses       map[int]int `json:",omitempty"` // of the last answers
	Sent, Received int64       // body bytes
	// of completed requests
	Response, Service Times
}

// A RequestOutcome is a request for a Row to count. Times are in ns.
type RequestOutcome struct {
	Outcome           record.Outcome
	Status            int // 0: no answer
	Sent, Received    int64
	Response, Service int64
}

// Add counts a settled request.
func (r *Row) Add(s RequestOutcome) {
	r.Outcomes[s.Outcome]++
	r.Sent += s.Sent
	r.Received += s.Received
	if s.Status != 0 {
		if r.Statuses == nil {
			r.Statuses = map[int]int{}
		}
		r.Statuses[s.Status]++
	}
	if s.Outcome == record.Completed {
		r.Response.add(s.Response)
		r.Service.add(s.Service)
	}
}

// Merge adds another Row.
func (r *Row) Merge(with *Row) {
	r.Outcomes.add(with.Outcomes)
	r.Sent += with.Sent
	r.Received += with.Received
	for status, n := range with.Statuses {
		if r.Statuses == nil {
			r.Statuses = map[int]int{}
		}
		r.Statuses[status] += n
	}
	r.Response.merge(&with.Response)
	r.Service.merge(&with.Service)
}

// NewTally returns an empty Tally for the session.
func NewTally(s *Session) *Tally {
	t := &Tally{Steps: make([]StepTally, len(s.Steps))}
	for i := range s.Steps {
		t.Steps[i].Name = s.Steps[i].Name
	}
	return t
}

// Step counts a settled step.
func (t *Tally) Step(step int, s RequestOutcome) { t.Steps[step].Add(s) }

// End counts an ended session with that many settled steps. Times are in ns.
func (t *Tally) End(settled int, o record.Outcome, response, service, length int64) {
	t.Begun++
	t.Outcomes[o]++
	for i := settled; i < len(t.Steps); i++ {
		t.Steps[i].Unsent++
	}
	if o == record.Completed {
		t.Response.add(response)
		t.Service.add(service)
		t.Length.add(length)
	}
}

// Merge adds another Tally. It fails if their steps differ.
func (t *Tally) Merge(with *Tally) error {
	if len(with.Steps) != len(t.Steps) {
		return fmt.Errorf("sessions of %d steps cannot be added to sessions of %d", len(with.Steps), len(t.Steps))
	}
	t.Begun += with.Begun
	t.Outcomes.add(with.Outcomes)
	t.Response.merge(&with.Response)
	t.Service.merge(&with.Service)
	t.Length.merge(&with.Length)
	for i := range t.Steps {
		s, w := &t.Steps[i], &with.Steps[i]
		s.Row.Merge(&w.Row)
		s.Unsent += w.Unsent
	}
	return nil
}

func (o *Outcomes) add(with Outcomes) {
	for i, n := range with {
		o[i] += n
	}
}

// Sum returns the total count.
func (o *Outcomes) Sum() (n int) {
	for _, of := range o {
		n += of
	}
	return n
}

// Broken describes a count that does not add up, or returns "".
func (t *Tally) Broken(requests int) string {
	if n := t.Outcomes.Sum(); n != t.Begun {
		return fmt.Sprintf("conservation: %d sessions ended of %d", n, t.Begun)
	}
	sum := 0
	for i := range t.Steps {
		s := &t.Steps[i]
		settled := s.Outcomes.Sum()
		if sum += settled; settled+s.Unsent != t.Begun {
			return fmt.Sprintf("conservation: step %s was settled %d times and not sent %d times in "+
				"%d sessions", s.Name, settled, s.Unsent, t.Begun)
		}
	}
	if sum != requests {
		return fmt.Sprintf("conservation: the steps were settled %d times, and %d requests were",
			sum, requests)
	}
	return ""
}

// Times is a distribution of times in ns, to three digits. The zero value is empty.
type Times struct {
	few []int64                 // all times, until there are more than maxListed
	h   *hdrhistogram.Histogram // all times after that
	sum float64
}

// More than maxListed times go to a histogram of 300 kB. With many URLs, most have fewer requests.
const maxListed = 1000

// Longer times are counted in the last bucket.
const longest = int64(24 * time.Hour)

func (t *Times) add(ns int64) {
	t.sum += float64(ns)
	ns = min(max(ns, 0), longest)
	if t.h == nil && len(t.few) < maxListed {
		t.few = append(t.few, ns)
		return
	}
	t.fold()
	_ = t.h.RecordValue(ns) // in range
}

func (t *Times) fold() {
	if t.h == nil {
		t.h = hdrhistogram.New(1, longest, 3)
	}
	for _, ns := range t.few {
		_ = t.h.RecordValue(ns) // in range
	}
	t.few = nil
}

func (t *Times) empty() bool { return t.h == nil && len(t.few) == 0 }

func (t *Times) merge(with *Times) {
	other, _ := with.Histogram()
	if other == nil {
		return
	}
	t.fold()
	t.h.Merge(other)
	t.sum += with.sum
}

// Histogram returns the distribution and its mean in ns, or nil if empty.
func (t *Times) Histogram() (h *hdrhistogram.Histogram, mean float64) {
	if t.empty() {
		return nil, 0
	}
	all := *t // a list stays a list
	all.fold()
	return all.h, t.sum / float64(all.h.TotalCount())
}

type encodedTimes struct {
	Sum       float64
	Histogram []byte
}

// MarshalJSON implements json.Marshaler.
func (t Times) MarshalJSON() ([]byte, error) {
	h, _ := t.Histogram()
	if h == nil {
		return []byte("null"), nil
	}
	text, err := record.EncodeHistogram(h)
	if err != nil {
		return nil, err
	}
	return json.Marshal(encodedTimes{t.sum, []byte(text)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *Times) UnmarshalJSON(text []byte) error {
	var e *encodedTimes
	if err := json.Unmarshal(text, &e); err != nil || e == nil {
		*t = Times{}
		return err
	}
	h, err := hdrhistogram.Decode(e.Histogram)
	if err != nil {
		return err
	}
	*t = Times{h: h, sum: e.Sum}
	return nil
}
