package attack

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/bench/attack/sessions"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
)

const maxAgents = 100_000

func (a Attack) checkAgents() error {
	switch {
	case a.Agents < 0 || a.Agents > maxAgents:
		return fmt.Errorf("agents %d: want 1 to %d", a.Agents, maxAgents)
	case a.Agents == 0 && a.Agent != 0, a.Agent < 0, a.Agents > 0 && a.Agent >= a.Agents:
		return fmt.Errorf("agent %d of %d does not exist", a.Agent, a.Agents)
	case a.Clients > 0 && a.Agents > a.Clients:
		return fmt.Errorf("agents %d: there are only %d clients for them", a.Agents, a.Clients)
	}
	return nil
}

// In a constant plan agents take turns. In others a draw independent of the arrivals decides, so
// that a share of a Poisson process is a Poisson process.
func (a Attack) owner(seq uint64) int {
	n := uint64(a.Agents)
	if a.Arrival.Spec.Name == "constant" {
		return int(seq % n)
	}
	turn, _ := bits.Mul64(mixed(mixed(a.Seed)+seq), n)
	return int(turn)
}

// A Share is an agent's result of a shared attack. AppendBinary encodes it.
type Share struct {
	Records []record.Log `json:"-"`
	// replaces the Records if they are too many to send
	Summed   *bench.Result `json:",omitempty"`
	Requests int           // settled requests
	Outcomes [record.Abandoned + 1]int
	Statuses []Count // this and the next three fields: as in a Report
	Errors   []Count
	Failures checks.Failures `json:",omitempty"`
	Traced   []Slow          `json:",omitempty"`
	Sessions *sessions.Tally `json:",omitempty"`
	URLs     []sessions.Row  `json:",omitempty"` // nil: a single URL
	Slow     []Slow          `json:",omitempty"` // the slowest, with several URLs or steps
	Peak     int64           // maximum requests in flight
	Busy     int64           // total time of all attempts, in ns
	Twice    int64           // requests settled twice
	Resent   int64
	Calls    *record.CallCounter // counts not in the records
	Over     string              // as in a Report
	Began    time.Time           // start of the plan by the agent's clock
	Late     time.Duration       // relative to Attack.Start
	Cut      string              // why it ended before its part of the plan did; "": it did not
	// on this share alone
	Verdict result.Verdict
	Reasons []result.Reason
}

// Agents send their records up to maxRecorded requests, and otherwise a summary.
const maxRecorded = 10_000_000

// RunShare is Run for one of several agents. It sends its part of the plan, which may be empty, and
// returns the share for Merge.
func RunShare(ctx context.Context, a Attack) (*Share, error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	if d := a.withDefaults(); a.Clients == 0 {
		if n, _ := d.expected(); n == 0 {
			return &Share{Began: a.Start}, nil
		}
	}
	r, err := start(ctx, a)
	if err != nil {
		return nil, err
	}
	cut, err := r.ended()
	if err != nil {
		return nil, err
	}
	t, rec := r.tally, r.recording
	if cut == nil {
		rec.Duration = r.attack.Duration
	}
	s := &Share{Records: rec.Records, Requests: t.outcomes.Sum(), Outcomes: t.outcomes,
		Statuses: t.answered(), Errors: sorted(t.errors), Failures: t.failures, Traced: t.traced,
		Sessions: t.sessions, URLs: t.urls.sortedRows(), Slow: t.slow, Peak: rec.Peak, Busy: t.busy,
		Twice: rec.Twice, Resent: rec.Resent, Calls: rec.Calls, Over: r.caller.way.spoken(),
		Began: r.base, Late: r.late}
	if cut != nil {
		s.Cut = cut.Error()
	}
	if rec.Len() == 0 {
		s.Records = nil
		return s, nil
	}
	rec.Share = true
	res, err := r.result()
	if err != nil {
		return nil, err
	}
	s.Verdict, s.Reasons = res.Verdict, res.Reasons
	together := cmp.Or(r.attack.Tasks, s.Requests*max(r.attack.Agents, 1)) // estimate for all agents
	if len(rec.Records) == 0 || together > maxRecorded {
		s.Summed, s.Records = res, nil
	}
	return s, nil
}

const shareVersion = 1

// AppendBinary appends the encoded share to b.
func (s *Share) AppendBinary(b []byte) ([]byte, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return b, err
	}
	part := func(p []byte) { b = append(binary.AppendUvarint(b, uint64(len(p))), p...) }
	b = append(b, shareVersion)
	part(text)
	b = binary.AppendUvarint(b, uint64(len(s.Records)))
	for i := range s.Records {
		encoded, err := s.Records[i].AppendBinary(nil)
		if err != nil {
			return b, err
		}
		part(encoded)
	}
	return b, nil
}

// UnmarshalBinary decodes the output of AppendBinary.
func (s *Share) UnmarshalBinary(data []byte) error {
	if len(data) == 0 || data[0] != shareVersion {
		return fmt.Errorf("this is no share of version %d", shareVersion)
	}
	data = data[1:]
	part := func() (p []byte, err error) {
		n, size := binary.Uvarint(data)
		if size <= 0 || n > uint64(len(data)-size) {
			return nil, errCutOff
		}
		p, data = data[size:size+int(n)], data[size+int(n):]
		return p, nil
	}
	text, err := part()
	if err != nil {
		return err
	}
	var read Share
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	logs, size := binary.Uvarint(data)
	if data = data[max(size, 0):]; size <= 0 || logs > uint64(len(data)) {
		return errCutOff
	}
	for ; logs > 0; logs-- {
		encoded, err := part()
		if err != nil {
			return err
		}
		var l record.Log
		if err := l.UnmarshalBinary(encoded); err != nil {
			return err
		}
		read.Records = append(read.Records, l)
	}
	if len(data) > 0 {
		return errors.New("more than a share")
	}
	*s = read
	return nil
}

var errCutOff = errors.New("a share is cut off")

// EachDue calls f with the due time of each request of this agent, in ns from the start of the
// plan.
func (a Attack) EachDue(f func(due int64)) error {
	if err := a.Validate(); err != nil {
		return err
	}
	for p := a.withDefaults().plan(); p.more; p.advance() {
		f(p.due)
	}
	return nil
}

// planned is the number of requests of each agent, nil for a closed loop.
func (a Attack) checkPlanned(agents []Agent, cut error) (planned []int) {
	if a.Clients > 0 {
		return nil
	}
	planned = make([]int, len(agents))
	wrong := make([]bool, len(agents))
	whole := a
	whole.Agents, whole.Agent = 0, 0
	for p := whole.plan(); p.more; p.advance() {
		k := a.owner(p.seq)
		at := planned[k]
		planned[k]++
		s := agents[k].Share
		if s == nil || s.Summed != nil || wrong[k] || len(s.Records) == 0 ||
			at >= s.Records[0].Len() {
			continue
		}
		if due := s.Records[0].At(uint64(at)).Due; due != p.due {
			wrong[k] = true
			agents[k].doubt("request %d is due after %v, and by its "+
				"records after %v: it sent another plan", p.seq, time.Duration(p.due),
				time.Duration(due))
		}
	}
	for k, n := range planned {
		s := agents[k].Share
		switch {
		case s == nil || wrong[k] || s.begun() == n:
		case s.begun() > n || s.Cut == "" || cut == nil:
			why := ""
			if s.Cut != "" {
				why = ": " + s.Cut
			}
			agents[k].doubt("it has %d of the %d requests of its "+
				"share%s", s.begun(), n, why)
		}
	}
	return planned
}

func (s *Share) begun() int {
	if s.Sessions != nil {
		return s.Sessions.Begun
	}
	return s.Requests
}

func (g *Agent) checkCounts(cut error) {
	s := g.Share
	if s == nil {
		return
	}
	if s.Cut != "" && cut == nil {
		g.doubt("it ended before its plan: %s", s.Cut)
	}
	counted, statuses := sessions.Outcomes(s.Outcomes), 0
	settled := counted.Sum()
	for _, c := range s.Statuses {
		statuses += c.N
	}
	if s.Sessions != nil {
		if law := s.Sessions.Broken(s.Requests); law != "" {
			g.doubt("%s", law)
		}
	}
	if settled != s.Requests || statuses > s.Requests {
		g.doubt("it counted %d requests, but %d outcomes and %d "+
			"statuses", s.Requests, settled, statuses)
	}
	if s.Summed != nil {
		if s.Summed.Tasks != s.Requests {
			g.doubt("it counted %d requests, but its result has %d",
				s.Requests, s.Summed.Tasks)
		}
		return
	}
	var outcomes [record.Abandoned + 1]int
	n, busy := 0, int64(0)
	for _, l := range s.Records {
		n += l.Len()
		for i := range uint64(l.Len()) {
			r := l.At(i)
			outcomes[r.Outcome]++
			busy += r.Busy
		}
	}
	switch {
	case n != s.Requests:
		g.doubt("it counted %d requests, and sent records of %d",
			s.Requests, n)
	case outcomes != s.Outcomes:
		g.doubt("it counted %v completed, failed, throttled, shed and "+
			"abandoned, and its records have %v", s.Outcomes[record.Completed:],
			outcomes[record.Completed:])
	case busy != s.Busy:
		g.doubt("it counted %v in requests, and its records have %v",
			time.Duration(s.Busy), time.Duration(busy))
	}
}
