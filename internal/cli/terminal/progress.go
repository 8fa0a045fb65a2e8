package terminal

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/internal/text"
)

// mostLines bounds the plain progress lines of a plan.
const mostLines = 20

// Progress shows the progress of a plan: a status line on a terminal, a few plain lines elsewhere,
// nothing when quiet. It counts estimated time, because run lengths differ by orders of magnitude.
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

// NewLines returns a Progress for work of unknown size, which prints only explicit lines.
func NewLines(to io.Writer, quiet bool) *Progress { return &Progress{to: to, quiet: quiet} }

// NewProgress returns a Progress for runs that take about work in total.
func NewProgress(to io.Writer, quiet bool, runs int, work time.Duration) *Progress {
	s := &Progress{to: to, quiet: quiet, runs: runs, work: work, begun: time.Now()}
	if line := NewStatusLine(to); line != nil && !quiet {
		s.startClock(line)
	}
	return s
}

// startClock updates a terminal's line between runs.
func (s *Progress) startClock(on *StatusLine) {
	s.line = on
	s.end = pace.Every(time.Second, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.draw()
	})
}

// Add adds runs to the plan. The clock starts with the first call.
func (s *Progress) Add(runs int, work time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs == 0 {
		s.begun = time.Now()
	}
	s.runs += runs
	s.work += work
}

// Advance counts runs as done; work is their total estimate.
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

// String returns the runs done and the time left, or the current activity.
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

// left scales the remaining estimate by the accuracy of the estimates so far. Before the first run
// is done it returns the estimate, which ignores parallel runs.
func (s *Progress) left() time.Duration {
	rest := s.work - s.worked
	if s.worked > 0 {
		rest = time.Duration(float64(rest) * float64(time.Since(s.begun)) / float64(s.worked))
	}
	return max(rest, 0)
}

// draw requires mu.
func (s *Progress) draw() {
	text := s.String()
	if s.doing == "" && s.now != "" {
		text += " · " + s.now
	}
	s.line.Draw(text)
}

// Tell shows the activity of the current run on a terminal, "" between runs.
func (s *Progress) Tell(now string) {
	if s.line == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = now
	s.draw()
}

// Ran counts a run of a search, whose total is unknown.
func (s *Progress) Ran() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
}

// Note lets print write between progress lines.
func (s *Progress) Note(print func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.line != nil {
		s.line.Clear()
	}
	print()
}

// Say prints a line of no more importance than the progress.
func (s *Progress) Say(line string) {
	if !s.quiet {
		s.Note(func() { fmt.Fprintln(s.to, line) })
	}
}

// Close removes the line.
func (s *Progress) Close() {
	if s.line != nil {
		s.end()
		s.line.Clear()
	}
}

// Doing shows an activity instead of the runs before there are any, "" for none. It returns false
// without a terminal.
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

// Keep counts a run done by an earlier process, with its estimate.
func (s *Progress) Keep(work time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	s.work -= work
}

// Counts returns the runs done and planned, and the time left, negative if unknown.
func (s *Progress) Counts() (done, planned int, left time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left = -1
	if s.work > 0 {
		left = s.left()
	}
	return s.done, s.runs, left
}
