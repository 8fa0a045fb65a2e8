package reports

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Schema is the version of the results file that this package reads and that the runner writes.
const Schema = 1

var (
	headerLine   = regexp.MustCompile(`^# poolbench results(?: (.*))?$`)
	completeMark = regexp.MustCompile(`^# complete (\d+) runs?$`)
	partialMark  = regexp.MustCompile(`^# partial (\d+) of (\d+) runs?(?:: (.*))?$`)
)

// marks follows the lines beginning with "# " that poolbench puts around its results and that benchfmt skips. A file is
// one section, or several where a run was appended: a header, the runs, an end mark.
type marks struct {
	schema     int // of the last header; 0: none yet
	strategies []string
	findings   []Finding
	doubts     []Doubt // about the next run
	seed       string  // of the next run; "" where the file does not tell
	runs       int     // seen in the whole file
	sinceStart int     // seen since the last header
	free       int     // the first run since the last header that is of no study yet; runs where there is none

	open  bool   // a header, and no end mark since
	ended int    // line of the last end mark, 0: none
	end   string // what the last end mark says is missing
	after int    // the first line with text after the last end mark, 0: none
}

// look takes note of a line. isHeader reports that the line opens a section.
func (m *marks) look(line int, text string) (isHeader bool, err error) {
	if h := headerLine.FindStringSubmatch(text); h != nil {
		n, err := strconv.Atoi(h[1])
		switch {
		case err != nil || n < 1:
			return true, fmt.Errorf("%q is no version of poolbench's results", h[1])
		case n != Schema:
			return true, fmt.Errorf("written by a newer poolbench: results version %d, and this one reads %d", n, Schema)
		}
		m.schema, m.open, m.sinceStart, m.doubts, m.seed, m.free = n, true, 0, nil, "", m.runs
		return true, nil
	}
	if c := completeMark.FindStringSubmatch(text); c != nil {
		m.close(line, "")
		// The count is of the section, or of the whole file when the run was appended to one.
		if want := c[1]; want != strconv.Itoa(m.sinceStart) && want != strconv.Itoa(m.runs) {
			m.end = fmt.Sprintf("holds %d runs where its last line counts %s", m.sinceStart, want)
		}
		return false, nil
	}
	if p := partialMark.FindStringSubmatch(text); p != nil {
		m.close(line, fmt.Sprintf("%s of %s runs", p[1], p[2]))
		if p[3] != "" {
			m.end += ": " + p[3]
		}
		return false, nil
	}
	if names, ok := strings.CutPrefix(text, "# strategies "); ok && m.open {
		for _, name := range strings.Fields(names) {
			if !slices.Contains(m.strategies, name) {
				m.strategies = append(m.strategies, name)
			}
		}
	}
	if seed, ok := strings.CutPrefix(text, "# seed "); ok && m.open {
		m.seed = seed
	}
	for prefix, isInvalid := range map[string]bool{"# broken law: ": true, "# invalid: ": true, "# suspect: ": false} {
		if doubt, ok := strings.CutPrefix(text, prefix); ok && m.open {
			if strings.HasPrefix(prefix, "# broken") {
				doubt = text[len("# "):]
			}
			m.doubts = append(m.doubts, Doubt{isInvalid, doubt})
		}
	}
	if m.open {
		m.find(text)
	}
	if m.ended != 0 && m.after == 0 && strings.TrimSpace(text) != "" {
		m.after = line
	}
	return false, nil
}

// find takes note of a line of a finding. A study speaks after its runs. What it said before is replaced by what it says of more runs.
func (m *marks) find(text string) {
	if rest, ok := strings.CutPrefix(text, "# study "); ok {
		f := Finding{}
		f.Study, f.Question, _ = strings.Cut(rest, ": ")
		if old := slices.IndexFunc(m.findings, func(old Finding) bool { return old.Study == f.Study }); old >= 0 {
			f.Runs = m.findings[old].Runs
			m.findings = slices.Delete(m.findings, old, old+1)
		}
		for ; m.free < m.runs; m.free++ {
			f.Runs = append(f.Runs, m.free)
		}
		m.findings = append(m.findings, f)
		return
	}
	answer, isAnswer := strings.CutPrefix(text, "# answer ")
	if isAnswer && len(m.findings) == 0 {
		m.findings = append(m.findings, Finding{})
	}
	if len(m.findings) == 0 {
		return
	}
	last := &m.findings[len(m.findings)-1]
	if isAnswer {
		last.Lines = append(last.Lines, answer)
	} else if claim, ok := strings.CutPrefix(text, "# claim "); ok {
		last.Claim = claim
	} else if verdict, ok := strings.CutPrefix(text, "# verdict "); ok {
		last.Verdict, last.Because, _ = strings.Cut(verdict, ": ")
	}
}

func (m *marks) close(line int, end string) {
	m.open, m.ended, m.end, m.after = false, line, end, 0
}

// run takes note of a result line, and returns what is said against it, and its seed.
func (m *marks) run() (doubts []Doubt, seed string) {
	m.runs++
	m.sinceStart++
	doubts, m.doubts = m.doubts, nil
	seed, m.seed = m.seed, ""
	return doubts, seed
}

// ours reports whether poolbench wrote the file, going by its header or, for the tail of a file, its end mark.
func (m *marks) ours() bool { return m.schema != 0 || m.ended != 0 }

// partial says what is missing at the end of the file whose last line is given; "" for nothing.
func (m *marks) partial(last int) string {
	switch {
	case m.open:
		return fmt.Sprintf("cut off after line %d: the run was killed, or is not over yet", last)
	case m.after != 0:
		return fmt.Sprintf("cut off after line %d: there is text after the end mark in line %d", last, m.ended)
	}
	return m.end
}
