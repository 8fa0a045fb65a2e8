package capacity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/text"
)

// A Server finds the highest rate at which a running server meets the objectives, in real time. The
// server may be in use, so the search starts low, rests after each probe, never exceeds Most, and
// stops if the server does not recover. Zero fields have defaults.
//
// The rate doubles until the objectives are missed. The next two probes are close to the rate that
// the server completed while its queue grew. Then the gap is halved, logarithmically, until its
// ends differ by at most Resolution or the noise. One met probe is enough, because a busy machine
// only makes responses longer. A missed rate is tried again, unless requests were lost, the queue
// grew, or the rate exceeds the completed one. Finally, the answer is tried again for twice as
// long, to detect a slowly growing queue.
type Server struct {
	Objectives objectives.List
	First      float64       // requests, or sessions, per second of the first probe
	Most       float64       // largest rate of a probe, in the same unit
	Resolution float64       // the ends differ by at most this share. 0 is 2 %
	Rest       time.Duration // between two probes
	Seed       uint64        // of the first probe. Each following probe uses the next seed
	// requests that a probe without loss completes per unit of its rate: those of a session,
	// corrected for the think time of the last sessions. 0 is 1
	Each float64
	Of   string // unit of the rates. "" is requests

	// Before is called before each probe, with the probes that are left, including this one. It may
	// be nil.
	Before func(left Remaining)
	// Probe sends at a rate, for a multiple of the usual duration.
	Probe func(ctx context.Context, rate, longer float64, seed uint64) (*bench.Result, error)
}

const (
	serverResolution = 0.02
	maxHalvings      = 6    // below a missed rate, while none is met
	maxTries         = 5    // of a rate at which the sender was late
	maxConfirmed     = 4    // answers that are tried again
	maxLonger        = 4    // longest duration of probes at low rates, as a multiple
	maxCarried       = 0.99 // largest completed share of the requests of a probe whose queue grew
	maxNoise         = 0.04 // largest width of the answer on account of noise
)

type ServerProbe struct {
	Rate    float64
	Verdict objectives.Verdict
	Lost    float64 // share of the requests that were refused, failed or had no answer
	Late    bool    // the sender was late, so the verdict is undecided
	Reason  string  // of the verdict, from the first objective with that verdict
	// completed per second while the queue grew, in the unit of Rate. 0: it did not grow
	Carried float64
	Result  *bench.Result
}

type ServerAnswer struct {
	Met, Missed float64 // rates, or NaN
	Probes      []ServerProbe
	Stopped     error // why the search ended early, or nil
}

func (a *ServerAnswer) Outcome(most float64) Outcome {
	switch met, missed := !math.IsNaN(a.Met), !math.IsNaN(a.Missed); {
	case a.Stopped != nil:
		return Unknown
	case met && missed:
		return Between
	case met && a.Met >= most:
		return AtLeast
	case missed:
		return Nowhere
	}
	return Unknown
}

func (s Server) Validate() error {
	var c text.Complaints
	c.If(len(s.Objectives) == 0, "no objective is given")
	c.If(!(s.Each >= 0), "each %v: want a number above 0, or 0 for 1", s.Each)
	c.If(!(s.First > 0 && s.First <= s.Most),
		"rates %v to %v: want a first rate above 0 and at most the highest rate", s.First, s.Most)
	checkResolution(&c, s.resolution())
	return errors.Join(c...)
}

func (s Server) resolution() float64 { return cmp.Or(s.Resolution, serverResolution) }

// Do returns the error of a probe, or the end of ctx, with a partial answer.
func (s Server) Do(ctx context.Context) (*ServerAnswer, error) {
	a := &ServerAnswer{Met: math.NaN(), Missed: math.NaN()}
	if err := s.Validate(); err != nil {
		return a, err
	}
	err := s.search(ctx, a)
	if stopped, ok := errors.AsType[*stoppedError](err); ok {
		a.Stopped, err = stopped, nil
	}
	return a, err
}

type stoppedError struct {
	text   string
	tooFew bool // requests, to decide anything
}

func (e *stoppedError) Error() string { return e.text }

func (s Server) search(ctx context.Context, a *ServerAnswer) error {
	if err := s.bracket(ctx, a); err != nil {
		return err
	}
	for range maxConfirmed {
		if err := s.descend(ctx, a); err != nil || math.IsNaN(a.Met) {
			return err
		}
		for a.Met*(1+s.resolution()) < a.Missed {
			if a.Met*(1+min(a.noise(), maxNoise)) >= a.Missed {
				break
			}
			if err := s.decide(ctx, a, s.next(a), 1); err != nil {
				return err
			}
		}
		confirmed := a.Met
		if err := s.decide(ctx, a, confirmed, 2); err != nil || a.Met == confirmed {
			return err
		}
	}
	return &stoppedError{text: "probes of one rate disagree: the server or this machine is not " +
		"steady enough"}
}

// carried returns the mean rate that the server completed while its queue grew, or NaN, and its
// relative standard deviation between probes, or 0.
func (a *ServerAnswer) carried() (mean, deviation float64) {
	var all []float64
	for _, p := range a.Probes {
		if p.Carried > 0 {
			all = append(all, p.Carried)
		}
	}
	if mean = stat.Mean(all, nil); len(all) > 1 {
		deviation = stat.StdDev(all, nil) / mean
	}
	return mean, deviation
}

// noise returns the relative difference between equal probes: two standard deviations of their
// completed rates, or the excess of a met rate over a missed one.
func (a *ServerAnswer) noise() float64 {
	_, deviation := a.carried()
	met, missed := 0.0, math.Inf(1)
	for _, p := range a.Probes {
		switch {
		case p.Late:
		case p.Verdict == objectives.Met:
			met = max(met, p.Rate)
		case p.Verdict == objectives.Missed:
			missed = min(missed, p.Rate)
		}
	}
	return max(2*deviation, met/missed-1)
}

// next returns the rate to try in the gap: just below the rate that the server completes, then just
// above the rate met. If the completed rate is outside of the gap, it returns the middle.
func (s Server) next(a *ServerAnswer) float64 {
	can, _ := a.carried()
	below := round(can*(1-s.resolution()/2), finest)
	above := round(a.Met*(1+s.resolution()*0.99), finest)
	switch {
	case !(a.Met < can && can < a.Missed):
	case below > a.Met:
		return below
	case above > a.Met && above < a.Missed:
		return above
	}
	return round(math.Sqrt(a.Met*a.Missed), finest)
}

func (s Server) bracket(ctx context.Context, a *ServerAnswer) error {
	for rate := s.First; math.IsNaN(a.Missed); rate = min(2*rate, s.Most) {
		if err := s.decide(ctx, a, rate, 1); err != nil {
			return err
		}
		if a.Met == s.Most {
			return nil
		}
	}
	return nil
}

// descend halves the rate until it is met, or has too few requests to decide.
func (s Server) descend(ctx context.Context, a *ServerAnswer) error {
	for range maxHalvings {
		if !math.IsNaN(a.Met) {
			return nil
		}
		rate := a.Missed / 2
		err := s.decide(ctx, a, rate, min(s.First/rate, maxLonger))
		if stopped, ok := errors.AsType[*stoppedError](err); ok && stopped.tooFew {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s Server) decide(ctx context.Context, a *ServerAnswer, rate, longer float64) error {
	missed := 0
	can, deviation := a.carried()
	for range maxTries {
		p, err := s.probe(ctx, a, rate, longer)
		switch {
		case err != nil:
			return err
		case p.Verdict == objectives.Met:
			a.Met = rate
			return nil
		case p.Lost == 1 && len(a.Probes) > 1 && a.Probes[len(a.Probes)-2].Lost == 1:
			return &stoppedError{text: fmt.Sprintf("at %v %s a second, no answer was successful: "+
				"the search ends", rate, s.of())}
		case p.Verdict == objectives.Missed:
			missed++
		}
		if missed == 2 || missed == 1 && (p.Lost > s.mayLose() ||
			p.Carried > 0 || rate > can*(1+deviation)) {
			s.miss(a, rate)
			return nil
		}
	}
	last := a.Probes[len(a.Probes)-1]
	if last.Late {
		return &stoppedError{text: fmt.Sprintf("this machine cannot keep up at %v %s a second: "+
			"it is too slow, or too busy, to measure more (%s)", rate, s.of(), last.Reason)}
	}
	return &stoppedError{fmt.Sprintf("a probe at %v %s a second cannot decide %v: %s", rate, s.of(),
		s.Objectives, last.Reason), true}
}

func (s Server) of() string { return cmp.Or(s.Of, "requests") }

// Requests of the last kind were queued.
var lost = []string{metric.Failed, metric.Throttled, metric.Shed, metric.Abandoned}

// mayLose returns the share of lost requests above which a missed probe is not tried again:
// decide.MaxLost, or more if an objective allows it.
func (s Server) mayLose() float64 {
	allowed := 0.0
	for _, o := range s.Objectives {
		if slices.Contains(lost, o.Unit) {
			allowed += o.Bound
		}
	}
	return max(decide.MaxLost, allowed)
}

func (s Server) miss(a *ServerAnswer, rate float64) {
	a.Missed = rate
	if !(a.Met >= rate) {
		return
	}
	a.Met = math.NaN()
	for _, p := range a.Probes {
		if p.Verdict == objectives.Met && !p.Late && p.Rate < rate && !(p.Rate <= a.Met) {
			a.Met = p.Rate
		}
	}
}

func (s Server) probe(
	ctx context.Context, a *ServerAnswer, rate, longer float64,
) (p ServerProbe, err error) {
	if n := len(a.Probes); n > 0 {
		rest := s.Rest
		if a.Probes[n-1].Verdict != objectives.Met { // a missed probe leaves more requests to drain
			rest *= 2
		}
		select {
		case <-ctx.Done():
			return p, context.Cause(ctx)
		case <-time.After(rest):
		}
	}
	if s.Before != nil {
		s.Before(s.remaining(a, rate, longer))
	}
	r, err := s.Probe(ctx, rate, longer, s.Seed+uint64(len(a.Probes)))
	if err != nil {
		return p, err
	}
	p = ServerProbe{Rate: rate, Result: r}
	p.judge(s.Objectives)
	refused := 0.0 // or failed. Abandoned requests were in a queue that grew
	for _, unit := range lost {
		v, _ := r.Metric(unit)
		if p.Lost += v; unit == metric.Shed {
			refused = p.Lost
		}
	}
	p.Lost = min(p.Lost, 1)
	carried, _ := r.Metric(metric.Throughput)
	carried /= cmp.Or(s.Each, 1)
	if p.Verdict == objectives.Missed && refused <= s.mayLose() && carried < maxCarried*rate &&
		r.Drifts() {
		p.Carried = carried
	}
	a.Probes = append(a.Probes, p)
	return p, ctx.Err()
}

// judge decides as attack does.
func (p *ServerProbe) judge(all objectives.List) {
	verdicts := make([]objectives.Verdict, len(all))
	decisions := make([]decide.Decision, len(all))
	for i, o := range all {
		decisions[i] = decide.Load(o.Limit(), p.Result.Metric, p.Result.Tasks)
		verdicts[i] = decisions[i].Verdict
	}
	p.Verdict = decide.All(verdicts...)
	d := decisions[slices.Index(verdicts, p.Verdict)]
	p.Reason = d.Reason
	p.Late = p.Verdict == objectives.Undecided && d.Next == ""
}
