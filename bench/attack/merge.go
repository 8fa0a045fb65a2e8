package attack

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/bench/attack/sessions"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/strategies"
)

// An Agent is one of several agents of an attack, with its result.
type Agent struct {
	Name   string          // host and process
	Share  *Share          // nil: lost
	Lost   string          // why the share is lost
	Doubts []result.Reason // found by the coordinator
	// the agent's clock minus the coordinator's, and the error bound
	Offset, OffsetError time.Duration
}

func (g *Agent) doubt(format string, args ...any) {
	g.Doubts = append(g.Doubts,
		result.Reason{Verdict: result.Invalid, Check: checkName, Text: fmt.Sprintf(format, args...)})
}

// Verdict returns the worse of the agent's own verdict and the coordinator's.
func (g Agent) Verdict() (v result.Verdict) {
	if g.Share == nil {
		return result.Invalid
	}
	v = g.Share.Verdict
	for _, d := range g.Doubts {
		v = max(v, d.Verdict)
	}
	return v
}

func (g Agent) String() string {
	if g.Share == nil {
		return fmt.Sprintf("%s lost: %s", g.Name, g.Lost)
	}
	return fmt.Sprintf("%s requests %d offset %v ± %v %s", g.Name, g.Share.Requests, g.Offset,
		g.OffsetError, g.Verdict())
}

// Merge makes one report of the shares of an attack, as a single generator of the whole plan would.
// Agent k of a.Agents is number k. A missing share makes the report INVALID or, with allowLost,
// SUSPECT. cut is why the attack ended early. The error reports an attack without any result.
func (a Attack) Merge(agents []Agent, allowLost bool, cut error) (*Report, error) {
	if a = a.withDefaults(); len(agents) != a.Agents {
		return nil, fmt.Errorf("%d agents of %d", len(agents), a.Agents)
	}
	agents = slices.Clone(agents)
	for k := range agents {
		agents[k].Doubts = slices.Clone(agents[k].Doubts)
	}
	planned := a.checkPlanned(agents, cut)
	for k := range agents {
		agents[k].checkCounts(cut)
	}
	m := merging{attack: a, agents: agents, planned: planned, cut: cut, allowLost: allowLost}
	report, err := m.report()
	if err != nil {
		return nil, err
	}
	report.Agents = agents
	return report, nil
}

const checkName = "agent"

type merging struct {
	attack    Attack
	agents    []Agent
	planned   []int
	cut       error
	allowLost bool
}

func (m merging) report() (*Report, error) {
	var res *bench.Result
	var err error
	if slices.ContainsFunc(m.agents, func(g Agent) bool {
		return g.Share != nil && g.Share.Summed != nil
	}) {
		res, err = m.summed()
	} else {
		res, err = m.recorded()
	}
	if err != nil {
		return nil, err
	}
	statuses, errs := map[string]int{}, map[string]int{}
	over := ""
	var failures checks.Failures
	var traced slowest
	var slow slowest
	spell := cmp.Or(m.attack.spoken, plainHTTP).Status
	urls := newURLTally(m.attack).sortedRows()
	var visited *sessions.Tally
	if m.attack.Session != nil {
		visited = sessions.NewTally(m.attack.Session)
	}
	for _, g := range m.agents {
		res.Agents = append(res.Agents, g.String())
		if g.Share == nil {
			continue
		}
		over = cmp.Or(over, g.Share.Over)
		for _, c := range g.Share.Statuses {
			statuses[c.What] += c.N
		}
		for _, c := range g.Share.Errors {
			errs[c.What] += c.N
		}
		failures.Add(g.Share.Failures)
		traced, slow = traced.insert(g.Share.Traced...), slow.insert(g.Share.Slow...)
		if len(g.Share.URLs) > 0 && len(g.Share.URLs) != len(urls) {
			return nil, fmt.Errorf("%s: its results have %d URLs, but the others have %d", g.Name,
				len(g.Share.URLs), len(urls))
		}
		for i := range g.Share.URLs {
			urls[i].Merge(&g.Share.URLs[i])
		}
		if visited != nil && g.Share.Sessions != nil {
			if err := visited.Merge(g.Share.Sessions); err != nil {
				return nil, fmt.Errorf("%s: %w", g.Name, err)
			}
		}
	}
	traced.label(res)
	slow.label(res)
	report := &Report{Result: res, Statuses: counted(statuses), Errors: sorted(errs),
		Failures: failures, Traced: traced, Over: over, Cut: m.cut}
	if visited != nil {
		visited.Metrics(spell, res.Add)
	}
	urlMetrics(urls, spell, res.Add)
	addStatuses(res, report.Statuses, nil)
	report.checkSessions(visited)
	return report, nil
}

func (m merging) recorded() (*bench.Result, error) {
	rec := m.attack.recording()
	// The limit applies to each agent: the requests shared no pool.
	of := rec.Strategy.Spec
	rec.Limit, rec.Queue = 0, 0
	rec.Strategy.Spec = strategies.Spec{Name: of.Name, Retries: of.Retries, Splits: of.Splits}
	rec.Calls = new(record.CallCounter)
	abandoned, settled := 0, 0
	for _, g := range m.agents {
		if s := g.Share; s != nil {
			for _, l := range s.Records {
				if l.Len() > 0 {
					rec.Records = append(rec.Records, l)
				}
			}
			rec.Busy += s.Busy
			rec.Twice += s.Twice
			rec.Resent += s.Resent
			if err := rec.Calls.Merge(s.Calls); err != nil {
				return nil, fmt.Errorf("%s: %w", g.Name, err)
			}
			abandoned += s.Outcomes[record.Abandoned]
			settled += s.Requests
		}
	}
	if rec.Len() == 0 {
		return nil, cmp.Or(m.cut, m.nothing())
	}
	if rec.Peak = record.PeakOf(rec.Records); m.attack.Clients > 0 {
		rec.Peak = int64(m.attack.Clients)
	}
	present, planned := m.shares()
	if present < planned { // the rest of a thinned process is one of the same kind
		rec.Rate *= float64(present) / float64(planned)
	}
	m.attack.finish(rec, m.cut, abandoned, settled)
	rec.Doubts = append(rec.Doubts, m.doubts()...)
	return rec.Result()
}

func (m merging) nothing() error {
	for _, g := range m.agents {
		if g.Share == nil {
			return fmt.Errorf("no agent is left: %s was lost: %s", g.Name, g.Lost)
		}
		if g.Share.Cut != "" {
			return fmt.Errorf("%s: %s", g.Name, g.Share.Cut)
		}
	}
	return errors.New("no request was sent")
}

func (m merging) shares() (present, planned int) {
	for k, g := range m.agents {
		n := 1
		if m.planned != nil {
			n = m.planned[k]
		}
		planned += n
		if g.Share != nil {
			present += n
		}
	}
	return present, planned
}

const maxNamed = 3

// Among equal doubts only the first agents are named.
func (m merging) doubts() (all []result.Reason) {
	type kind struct {
		verdict result.Verdict
		check   string
	}
	var kinds []kind
	by := map[kind][]result.Reason{}
	for _, d := range m.eachDoubt() {
		k := kind{d.Verdict, d.of}
		if by[k] == nil {
			kinds = append(kinds, k)
		}
		by[k] = append(by[k], d.Reason)
	}
	for _, k := range kinds {
		same := by[k]
		if more := len(same) - 1; more >= maxNamed {
			same = same[:1]
			same[0].Text += fmt.Sprintf("; and %d more of %d agents", more, len(m.agents))
		}
		all = append(all, same...)
	}
	return all
}

type agentDoubt struct {
	result.Reason
	of string
}

func (m merging) eachDoubt() (all []agentDoubt) {
	present, planned := m.shares()
	for _, g := range m.agents {
		if g.Share == nil {
			verdict, rest := result.Invalid, "its share is missing"
			if m.allowLost {
				verdict = result.Suspect
				rest = fmt.Sprintf("%.3g %% of the plan was sent",
					100*float64(present)/float64(max(planned, 1)))
			}
			all = append(all, agentDoubt{result.Reason{Verdict: verdict, Check: checkName,
				Text: fmt.Sprintf("%s was lost: %s; %s", g.Name, g.Lost, rest)}, "lost"})
			continue
		}
		for _, d := range slices.Concat(g.Doubts, g.Share.Reasons) {
			of := d.Check
			// a law that one share breaks is not a law of the whole
			if d.Text = g.Name + ": " + d.Text; d.Check == rundir.CheckLaw {
				d.Check, d.Text = checkName, d.Text+", which breaks an invariant"
			}
			all = append(all, agentDoubt{d, of})
		}
	}
	return all
}

func (m merging) summed() (*bench.Result, error) {
	var parts []*bench.Result
	for k, g := range m.agents {
		s := g.Share
		switch {
		case s == nil || s.Requests == 0:
		case s.Summed != nil:
			parts = append(parts, s.Summed)
		default:
			one := merging{attack: m.attack, agents: []Agent{{Name: g.Name, Share: s}}, cut: m.cut}
			if m.planned != nil {
				one.planned = m.planned[k : k+1]
			}
			r, err := one.recorded()
			if err != nil {
				return nil, err
			}
			parts = append(parts, r)
		}
	}
	for _, p := range parts {
		p.Reasons, p.Verdict, p.Broken = nil, result.Valid, nil // reported under the agent's name
	}
	res, _, err := observe.MergeResults(parts, m.attack.Session != nil)
	if err != nil {
		return nil, err
	}
	for _, d := range m.doubts() {
		res.Doubt(d.Verdict, d.Check, "%s", d.Text)
	}
	return res, nil
}
