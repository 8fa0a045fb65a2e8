package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
)

// marks parses poolbench's own lines, which begin with "# ". A file contains one or more sections
// of a header, runs and an end mark.
type marks struct {
	schema     int // of the last header. 0: none yet
	strategies []string
	objectives []Bound
	commands   []string // of the sections
	sections   int
	findings   []decide.Finding
	failures   []Failure
	doubts     []Doubt            // of the next run
	uncertain  map[string]float64 // metrics of the next run
	undecided  string             // reason of the next search result
	seed       string             // of the next run, or ""
	runs       int                // in the whole file
	counted    int                // runs without copies
	sinceStart int                // since the last header
	// first run since the last header without a study
	free int

	open       bool   // a header without an end mark
	ended      int    // line of the last end mark. 0: none
	end        string // missing parts by the last end mark
	after      int    // first line with text after the last end mark. 0: none
	miscounted bool
}

// isHeader reports whether the line opens a section.
func (m *marks) parseLine(line int, text string) (isHeader bool, err error) {
	if !strings.HasPrefix(text, "# ") {
		m.textAfterEnd(line, text)
		return false, nil
	}
	mark, rest, _ := rundir.ParseMark(text)
	if mark == rundir.Header {
		n, err := strconv.Atoi(rest)
		switch {
		case err != nil || n < 1:
			return true, fmt.Errorf("%q is not a version of poolbench's results", rest)
		case n != rundir.Schema:
			return true, fmt.Errorf("written by a newer poolbench: results version %d, and this "+
				"program reads version %d", n, rundir.Schema)
		}
		m.schema, m.open, m.sinceStart, m.doubts, m.seed, m.free = n, true, 0, nil, "", m.counted
		m.uncertain, m.undecided = nil, ""
		m.sections++
		return true, nil
	}
	if end, ok := rundir.ParseEnd(mark, rest); ok {
		m.close(line, end)
		return false, nil
	}
	if m.open {
		m.note(mark, rest)
	}
	m.textAfterEnd(line, text)
	return false, nil
}

func (m *marks) note(mark rundir.Mark, rest string) {
	switch mark {
	case rundir.Strategies:
		m.strategies = text.Distinct(append(m.strategies, strings.Fields(rest)...))
	case rundir.Objective:
		b, err := rundir.ParseBound(rest)
		if err == nil && !slices.Contains(m.objectives, b) {
			m.objectives = append(m.objectives, b)
		}
	case rundir.Command:
		m.commands = append(m.commands, rest)
	case rundir.Failed:
		if f, err := rundir.ParseFailure(rest); err == nil {
			m.failures = append(m.failures, Failure(f))
		}
	case rundir.Seed:
		m.seed = rest
	case rundir.BrokenLaw:
		m.doubts = append(m.doubts, Doubt{true, "broken law: " + rest})
	case rundir.Invalid, rundir.Suspect:
		m.doubts = append(m.doubts, Doubt{mark == rundir.Invalid, rest})
	case rundir.Uncertain:
		if unit, v, err := rundir.ParseUncertain(rest); err == nil {
			if m.uncertain == nil {
				m.uncertain = map[string]float64{}
			}
			m.uncertain[unit] = v
		}
	case rundir.Undecided:
		m.undecided = rest
	case rundir.Study:
		m.begin(rest)
	case rundir.Answer:
		if len(m.findings) == 0 {
			m.findings = append(m.findings, decide.Finding{})
		}
	}
	if len(m.findings) == 0 {
		return
	}
	switch last := &m.findings[len(m.findings)-1]; mark {
	case rundir.Answer:
		last.Lines = append(last.Lines, rest)
	case rundir.Row:
		if cells := strings.Split(rest, rundir.Cells); last.Table == nil {
			last.Table = &decide.Table{Heads: cells}
		} else {
			last.Table.Add(cells...)
		}
	case rundir.Claim:
		last.Claim = rest
	case rundir.Decides:
		last.Decides = strings.Fields(rest)
	case rundir.Advice:
		last.Advice = rest
	case rundir.Verdict:
		verdict, because, _ := strings.Cut(rest, ": ")
		last.Verdict, last.Because = decide.ClaimVerdict(verdict), because
	}
}

func (m *marks) textAfterEnd(line int, text string) {
	if m.ended != 0 && m.after == 0 && strings.TrimSpace(text) != "" {
		m.after = line
	}
}

// A finding replaces an earlier one from fewer runs.
func (m *marks) begin(named string) {
	f := decide.Finding{}
	f.Study, f.Question, _ = strings.Cut(named, ": ")
	old := slices.IndexFunc(m.findings, func(old decide.Finding) bool {
		return old.Study == f.Study
	})
	if old >= 0 {
		f.Runs = m.findings[old].Runs
		m.findings = slices.Delete(m.findings, old, old+1)
	}
	for ; m.free < m.counted; m.free++ {
		f.Runs = append(f.Runs, m.free)
	}
	m.findings = append(m.findings, f)
}

// The end mark counts the runs of the section, or of the whole file if it was appended.
func (m *marks) close(line int, end rundir.End) {
	m.open, m.ended, m.end, m.after, m.miscounted = false, line, "", 0, false
	switch {
	case end.Partial:
		m.end = fmt.Sprintf("%d of %d runs", end.Runs, end.Planned)
		if end.Reason != "" {
			m.end += ": " + end.Reason
		}
	case end.Runs != m.sinceStart && end.Runs != m.runs:
		m.miscounted = true
		m.end = fmt.Sprintf("contains %d runs, but its last line counts %d", m.sinceStart, end.Runs)
	}
}

func (m *marks) run() (doubts []Doubt, uncertain map[string]float64, seed string) {
	m.runs++
	m.counted++
	m.sinceStart++
	doubts, m.doubts = m.doubts, nil
	seed, m.seed = m.seed, ""
	uncertain, m.uncertain = m.uncertain, nil
	return doubts, uncertain, seed
}

// command returns the command line if one section has written all runs, and the program of the
// first known one.
func (m *marks) command() (line, program string) {
	if len(m.commands) == 0 {
		return "", "poolbench"
	}
	first := m.commands[0]
	words := strings.Fields(first)
	program = strings.Join(words[:1], "")
	if goRun := 3; len(words) > goRun && words[0] == "go" && words[1] == "run" {
		program = strings.Join(words[:goRun], " ")
	}
	if m.sections == 1 {
		line = first
	}
	return line, program
}

func (m *marks) ours() bool { return m.schema != 0 || m.ended != 0 }

func (m *marks) partial(last int) string {
	switch {
	case m.open:
		return fmt.Sprintf("cut off after line %d: the run was killed, or is still running", last)
	case m.after != 0:
		return fmt.Sprintf("cut off after line %d: there is text after the end mark in line %d",
			last, m.ended)
	}
	return m.end
}
