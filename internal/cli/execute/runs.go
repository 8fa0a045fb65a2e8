package execute

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli/live"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/directory"
	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/internal/text"
)

// mostLines is how many plain lines a whole plan gets, however many runs it has.
const mostLines = 20

// Runs tells how far a plan is: a line that changes on a terminal, a few plain lines elsewhere,
// nothing when quiet. Work is counted in estimated time, because runs differ in length by orders of
// magnitude.
type Runs struct {
	to    io.Writer
	line  *terminal.StatusLine // of a terminal; nil: plain lines
	quiet bool
	runs  int
	work  time.Duration // estimate of all runs
	begun time.Time

	mu     sync.Mutex // the clock of the line against the steps
	now    string     // what the run under way does, for a terminal
	doing  string     // what goes on before there are runs to count; "" for nothing
	done   int
	worked time.Duration // estimate of the runs that are done

	end func() // of the clock; nil: there is none
}

// NewLines tells of nothing but lines that it is told to say: nobody knows how much there is to do.
func NewLines(to io.Writer, quiet bool) *Runs { return &Runs{to: to, quiet: quiet} }

// NewRuns tells how far the plan is.
func NewRuns(to io.Writer, quiet bool, p options.Plan) *Runs {
	s := &Runs{to: to, quiet: quiet, runs: p.Runs(), begun: time.Now()}
	for _, section := range p {
		for _, sc := range section.Suite.Scenarios {
			s.work += sc.Estimate() * time.Duration(max(section.Suite.Count, 1))
		}
	}
	if line := terminal.NewStatusLine(to); line != nil && !quiet {
		s.startClock(line)
	}
	return s
}

// startClock has the line of a terminal go on between the runs.
func (s *Runs) startClock(on *terminal.StatusLine) {
	s.line = on
	s.end = pace.Every(time.Second, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.draw()
	})
}

// Step counts a run of the scenario as done.
func (s *Runs) Step(sc bench.Scenario) { s.advance(1, sc.Estimate()) }

// Kept counts what an earlier process has done of the plan.
func (s *Runs) Kept(p options.Plan, dir *directory.Dir) {
	for _, section := range p {
		for i := range section.Suite.Runs() {
			if sc := section.Suite.At(i); dir.Kept(sc) != nil {
				s.done++
				s.more(0, -sc.Estimate())
			}
		}
	}
}

// More adds the runs of a suite that was not planned at first.
func (s *Runs) More(suite bench.Suite) {
	work := time.Duration(0)
	for _, sc := range suite.Scenarios {
		work += sc.Estimate() * time.Duration(max(suite.Count, 1))
	}
	s.more(suite.Runs(), work)
}

// more adds runs that nobody knew of before. The clock starts with the first of them.
func (s *Runs) more(runs int, work time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs == 0 {
		s.begun = time.Now()
	}
	s.runs += runs
	s.work += work
}

// advance counts runs as done, with the estimate of them all.
func (s *Runs) advance(runs int, work time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.done * mostLines / s.runs
	s.done += runs
	s.worked += work
	switch {
	case s.quiet:
	case s.line != nil:
		s.draw()
	case s.runs <= mostLines || s.done*mostLines/s.runs > before:
		fmt.Fprintln(s.to, s)
	}
}

// String is the line: runs done, and the time left; or what goes on instead.
func (s *Runs) String() string {
	if s.doing != "" {
		return s.doing
	}
	line := fmt.Sprintf("%d of %d runs", s.done, s.runs)
	if s.done < s.runs {
		line += ", about " + text.Roughly(s.left()) + " left"
	}
	return line
}

// left scales what is still to be done by how true the estimates were so far. Before the first run
// is done there is nothing to go by but the estimate, which knows nothing of runs side by side.
func (s *Runs) left() time.Duration {
	rest := s.work - s.worked
	if s.worked > 0 {
		rest = time.Duration(float64(rest) * float64(time.Since(s.begun)) / float64(s.worked))
	}
	return max(rest, 0)
}

// draw is called with mu held.
func (s *Runs) draw() {
	text := s.String()
	if s.doing == "" && s.now != "" {
		text += " · " + s.now
	}
	s.line.Draw(text)
}

// Tell says what the run under way does, "" between two, on a terminal.
func (s *Runs) Tell(now string) {
	if s.line == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = now
	s.draw()
}

// Ran counts a run of a search, of which nobody knows how many there are to be.
func (s *Runs) Ran() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
}

// Seen is how far the plan is, for those who look on.
func (s *Runs) Seen() live.Plan {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := live.Plan{Done: s.done, Planned: s.runs, Left: -1}
	if s.work > 0 {
		p.Left = s.left()
	}
	return p
}

// Note lets print write between the lines of the progress.
func (s *Runs) Note(print func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.line != nil {
		s.line.Clear()
	}
	print()
}

// Say is a line that is not worth more than the progress.
func (s *Runs) Say(line string) {
	if !s.quiet {
		s.Note(func() { fmt.Fprintln(s.to, line) })
	}
}

// Close takes the line away.
func (s *Runs) Close() {
	if s.line != nil {
		s.end()
		s.line.Clear()
	}
}
