// Package sessions describes sessions for package attack: steps that a user takes in sequence, with
// think time between them. ReadScript reads a Session from a YAML file:
//
//	name: shop                # default: that of the file
//	steps:
//	- name: log_in
//	  method: POST            # default: GET, or POST where there is a body
//	  url: /login             # or with a host; {{…}} as elsewhere
//	  headers: {Content-Type: application/json}
//	  body: '{"user": "{{user}}"}'
//	  check: status == 200    # or a list
//	  capture: token = json:.token
//	- name: look
//	  url: /items?n={{random 1 9}}
//	  headers: {Authorization: "Bearer {{token}}"}
//	  think: exp(1s)          # from the answer before until this step is due
package sessions

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/bench/attack/requests"
	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/internal/lazyregexp"
	"github.com/poolbench/poolbench/internal/text"
)

// A Session is a sequence of steps. It is plain data, encoded as JSON between processes.
type Session struct {
	Name  string
	Steps []Step
}

// A Step is a request of a session.
type Step struct {
	Name     string
	Request  vegeta.Target
	Think    Think
	Captures []Capture   // of its answer, for later steps
	Checks   checks.List // of its answer, in addition to the attack's checks
}

// MaxSteps limits the steps of a session.
const MaxSteps = 50

var name = lazyregexp.New(`^[a-z][a-z0-9_]{0,39}$`)

// CheckName validates the name of a session or a step.
func CheckName(text string) error {
	if !name.MatchString(text) {
		return fmt.Errorf("%q: want a name of small letters, digits and _, at most 40, such as "+
			"log_in", text)
	}
	return nil
}

// Validate checks the session. Package attack checks the requests.
func (s *Session) Validate() error {
	var wrong text.Complaints
	wrong.Note(CheckName(s.Name))
	n := len(s.Steps)
	wrong.If(n == 0 || n > MaxSteps, "session %s: it has %d steps; want 1 to %d", s.Name, n,
		MaxSteps)
	names := map[string]bool{}
	for _, st := range s.Steps {
		wrong.Note(CheckName(st.Name))
		wrong.If(names[st.Name], "step %s: two steps have that name", st.Name)
		names[st.Name] = true
		for _, c := range st.Captures {
			wrong.If(c.take == nil, "step %s: a capture is empty", st.Name)
		}
	}
	return errors.Join(wrong...)
}

// Requests returns the requests of the steps, and the session without them.
func (s *Session) Requests() (all []vegeta.Target, rest *Session) {
	rest = &Session{Name: s.Name, Steps: slices.Clone(s.Steps)}
	for i := range rest.Steps {
		all = append(all, s.Steps[i].Request)
		rest.Steps[i].Request = vegeta.Target{}
	}
	return all, rest
}

// Names returns the names of all captured values.
func (s *Session) Names() []string { return s.namesBefore(len(s.Steps)) }

func (s *Session) namesBefore(step int) (all []string) {
	for _, st := range s.Steps[:step] {
		for _, c := range st.Captures {
			if !slices.Contains(all, c.Name) {
				all = append(all, c.Name)
			}
		}
	}
	return all
}

// Parse parses the template of a step's request, which can use earlier captures. A value's index is
// the same in all steps.
func (s *Session) Parse(
	step int, of vegeta.Target, data *requests.Data,
) (*requests.Request, error) {
	return requests.ParseStep(of, data,
		requests.Step{Of: len(s.Steps), Captured: s.namesBefore(step)})
}

// Needs returns the needs of all captures and checks.
func (s *Session) Needs() (all checks.Needs) {
	all.Head = true // for cookies
	for _, st := range s.Steps {
		if len(st.Checks)+len(st.Captures) > 0 {
			all.Body = max(all.Body, checks.ForFailures)
		}
		all.Body = max(all.Body, st.Checks.Needs().Body)
		for _, c := range st.Captures {
			all.Body = max(all.Body, c.body)
		}
	}
	return all
}

// Thinking returns the think time of session n before the step, a pure function of the seed.
func (s *Session) Thinking(seed, n uint64, step int) time.Duration {
	switch d := s.Steps[step].Think.Dist.(type) {
	case nil:
		return 0
	case dist.Constant:
		return d.Value
	default:
		const odd, think = 0x9e3779b97f4a7c15, 0x7468696e6b // separate random streams
		stream := rand.NewPCG(seed^think^uint64(step+1)*odd, n)
		return d.Sample(rand.New(stream))
	}
}

// Thinks reports whether a step has a think time. It is false for a nil Session.
func (s *Session) Thinks() bool {
	return s != nil &&
		slices.ContainsFunc(s.Steps, func(st Step) bool { return st.Think.Dist != nil })
}

// Thought returns the total think time of session n after its first step is due.
func (s *Session) Thought(seed, n uint64) (sum time.Duration) {
	for step := 1; step < len(s.Steps); step++ {
		sum += s.Thinking(seed, n, step)
	}
	return sum
}

// MeanThought returns a session's mean total think time after its first step is due.
func (s *Session) MeanThought() (sum time.Duration) {
	for _, st := range s.Steps[1:] {
		if st.Think.Dist != nil {
			sum += st.Think.Mean()
		}
	}
	return sum
}

// Think is a distribution of think time. The zero value is none.
type Think struct{ dist.Dist }

// ParseThink parses the notation of package dist.
func ParseThink(text string) (Think, error) {
	d, err := dist.Parse(text)
	return Think{d}, err
}

func (t Think) String() string {
	if t.Dist == nil {
		return ""
	}
	return t.Dist.String()
}

// MarshalText encodes the Think as String.
func (t Think) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText is ParseThink. Empty text is none.
func (t *Think) UnmarshalText(text []byte) (err error) {
	if *t = (Think{}); len(text) > 0 {
		*t, err = ParseThink(string(text))
	}
	return err
}

// WithBase adds base to URLs of steps that begin with a slash. used reports whether there are any.
func (s *Session) WithBase(base string) (used bool, err error) {
	for i := range s.Steps {
		st := &s.Steps[i]
		if !strings.HasPrefix(st.Request.URL, "/") {
			continue
		}
		used = true
		if base == "" {
			return used, fmt.Errorf("step %s: its url %s has no host: write one, or give URL, such "+
				"as http://127.0.0.1:8080", st.Name, st.Request.URL)
		}
		if u, err := url.Parse(base); err == nil && (u.RawQuery != "" || u.Fragment != "") {
			return used, errors.New("URL: steps extend it, so it must have no query: want a URL " +
				"such as http://127.0.0.1:8080")
		}
		st.Request.URL = strings.TrimSuffix(base, "/") + st.Request.URL
	}
	return used, nil
}
