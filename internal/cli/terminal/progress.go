package terminal

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/internal/text"
)

// mostLines is how many plain lines a whole plan gets, however many runs it has.
const mostLines = 20

// Progress tells how far a plan is: a line that changes on a terminal, a few plain lines elsewhere,
// nothing when quiet. Work is counted in estimated time, because runs differ in length by orders of
// magnitude.
type Progress struct {
	to    io.Writer
	line  *StatusLine // of a terminal; nil: plain lines
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

// NewLines returns a Progress that prints only the lines it is told to: nobody knows how much there
// is to do.
func NewLines(to io.Writer, quiet bool) *Progress { return &Progress{to: to, quiet: quiet} }

// NewProgress returns that of so many runs, which take about that long together.
func NewProgress(to io.Writer, quiet bool, runs int, work time.Duration) *Progress {
	s := &Progress{to: to, quiet: quiet, runs: runs, work: work, begun: time.Now()}
	if line := NewStatusLine(to); line != nil && !quiet {
		s.startClock(line)
	}
	return s
}

// startClock has the line of a terminal go on between the runs.
func (s *Progress) startClock(on *StatusLine) {
	s.line = on
	s.end = pace.Every(time.Second, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.draw()
	})
}

// Add adds runs that nobody knew of before. The clock starts with the first of them.
func (s *Progress) Add(runs int, work time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs == 0 {
		s.begun = time.Now()
	}
	s.runs += runs
	s.work += work
}

// Advance counts runs as done, with the estimate of them all.
func (s *Progress) Advance(runs int, work time.Duration) {
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
func (s *Progress) String() string {
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
func (s *Progress) left() time.Duration {
	rest := s.work - s.worked
	if s.worked > 0 {
		rest = time.Duration(float64(rest) * float64(time.Since(s.begun)) / float64(s.worked))
	}
	return max(rest, 0)
}

// draw is called with mu held.
func (s *Progress) draw() {
	text := s.String()
	if s.doing == "" && s.now != "" {
		text += " · " + s.now
	}
	s.line.Draw(text)
}

// Tell says what the run under way does, "" between two, on a terminal.
func (s *Progress) Tell(now string) {
	if s.line == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = now
	s.draw()
}

// Ran counts a run of a search, of which nobody knows how many there are to be.
func (s *Progress) Ran() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
}

// Note lets print write between the lines of the progress.
func (s *Progress) Note(print func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.line != nil {
		s.line.Clear()
	}
	print()
}

// Say is a line that is not worth more than the progress.
func (s *Progress) Say(line string) {
	if !s.quiet {
		s.Note(func() { fmt.Fprintln(s.to, line) })
	}
}

// Close takes the line away.
func (s *Progress) Close() {
	if s.line != nil {
		s.end()
		s.line.Clear()
	}
}

// Doing replaces the runs by what goes on before there are any, "" for nothing; it returns false
// where there is no terminal that shows it.
func (s *Progress) Doing(what string) bool {
	if s.line == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doing = what
	s.draw()
	return true
}

// Keep counts a run that an earlier process has done, with its estimate.
func (s *Progress) Keep(work time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	s.work -= work
}

// Counts returns the runs done and planned, and the time left, negative if nobody knows.
func (s *Progress) Counts() (done, planned int, left time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left = -1
	if s.work > 0 {
		left = s.left()
	}
	return s.done, s.runs, left
}
