package terminal

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/internal/text"
)

const maxLines = 20

// Progress is a status line on a terminal, otherwise a few plain lines, and nothing when quiet. It
// counts estimated time, because run lengths differ by orders of magnitude.
type Progress struct {
	to    io.Writer
	line  *StatusLine // line of a terminal; nil for plain lines
	quiet bool
	runs  int
	work  time.Duration // estimated time of all runs
	begun time.Time

	mu     sync.Mutex // guards the line and the counts, which a clock and the steps use
	now    string     // activity of the current run, for a terminal
	doing  string     // activity before there are runs to count, or ""
	done   int
	worked time.Duration // estimated time of the completed runs

	end func() // ends the clock; nil without a clock
}

// NewLines is for work of unknown size. It prints only explicit lines.
func NewLines(to io.Writer, quiet bool) *Progress { return &Progress{to: to, quiet: quiet} }

func NewProgress(to io.Writer, quiet bool, runs int, work time.Duration) *Progress {
	s := &Progress{to: to, quiet: quiet, runs: runs, work: work, begun: time.Now()}
	if line := NewStatusLine(to); line != nil && !quiet {
		s.startClock(line)
	}
	return s
}

func (s *Progress) startClock(on *StatusLine) {
	s.line = on
	s.end = pace.Every(time.Second, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.draw()
	})
}

// The first call starts the clock.
func (s *Progress) Add(runs int, work time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs == 0 {
		s.begun = time.Now()
	}
	s.runs += runs
	s.work += work
}

func (s *Progress) Advance(runs int, work time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.done * maxLines / s.runs
	s.done += runs
	s.worked += work
	switch {
	case s.quiet:
	case s.line != nil:
		s.draw()
	case s.runs <= maxLines || s.done*maxLines/s.runs > before:
		fmt.Fprintln(s.to, s)
	}
}

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

// left scales the remaining estimate by the accuracy of the estimates so far.
func (s *Progress) left() time.Duration {
	rest := s.work - s.worked
	if s.worked > 0 {
		rest = time.Duration(float64(rest) * float64(time.Since(s.begun)) / float64(s.worked))
	}
	return max(rest, 0)
}

// The caller of draw holds mu.
func (s *Progress) draw() {
	text := s.String()
	if s.doing == "" && s.now != "" {
		text += " · " + s.now
	}
	s.line.Draw(text)
}

// "" means that no run is in progress.
func (s *Progress) SetStatus(now string) {
	if s.line == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = now
	s.draw()
}

// Ran counts a run of a search, whose number of runs is unknown.
func (s *Progress) Ran() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
}

// print may write between progress lines.
func (s *Progress) Note(print func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.line != nil {
		s.line.Clear()
	}
	print()
}

func (s *Progress) Println(line string) {
	if !s.quiet {
		s.Note(func() { fmt.Fprintln(s.to, line) })
	}
}

func (s *Progress) Close() {
	if s.line != nil {
		s.end()
		s.line.Clear()
	}
}

// Doing returns false without a terminal.
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

// AddEarlier counts a run of an earlier process.
func (s *Progress) AddEarlier(work time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	s.work -= work
}

// The time left is negative if unknown.
func (s *Progress) Counts() (done, planned int, left time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left = -1
	if s.work > 0 {
		left = s.left()
	}
	return s.done, s.runs, left
}
