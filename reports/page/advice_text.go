package page

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
)

const (
	width        = 80
	maxTextLines = 30
	maxOthers    = 4 // runners-up shown
)

// WriteText writes the answer in at most 30 lines of 80 columns.
func (d *AdviceDocument) WriteText(w io.Writer) error {
	lines := wrapped("", d.Headline(), 2)
	add := func(label, s string, most int) {
		if s != "" {
			lines = append(lines, wrapped(fmt.Sprintf("  %-10s", label), s, most)...)
		}
	}
	if simplest := d.simplest(); simplest != "" {
		lines = append(lines, wrapped("", simplest, 3)...)
	}
	add("record", d.omittedRecord(), 2)
	add("promise", d.evidence(), 2)
	add("missing", strings.Join(d.missingChanges(), ", or "), 2)
	add("work", d.workText(), 2)
	add("queue", d.queue(), 2)
	add("ties", d.ties(), 2)
	for i, line := range strings.Split(d.Recommendation.Go, "\n") {
		add([]string{"Go", "", "", ""}[min(i, 3)], line, 2)
	}
	others := d.RunnersUp[:min(len(d.RunnersUp), maxOthers)]
	left := listedWithin("  not considered: ", text.Texts(d.NotLookedAt, shortly), 4)
	basis := wrapped("  basis: ", d.Basis, 2)
	room := maxTextLines - len(lines) - len(left) - len(basis) - 2
	for _, o := range others {
		room -= len(runnerUp(o))
	}
	lines = append(lines, "what would change it")
	for _, c := range d.changes() {
		more := wrapped("  ", c, 2)
		if room -= len(more); room < 0 {
			break
		}
		lines = append(lines, more...)
	}
	if len(others) > 0 {
		lines = append(lines, "runners-up")
		for _, o := range others {
			lines = append(lines, runnerUp(o)...)
		}
	}
	if len(d.NotLookedAt) > 0 {
		lines = append(lines, left...)
	}
	lines = append(lines, basis...)
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// runnerUp wraps a long line, because its end is the verdict.
func runnerUp(o AdviceOption) []string { return wrapped("  ", o.runnerUpLine(), 3) }

func (o AdviceOption) runnerUpLine() string {
	text := fmt.Sprintf("%s, limit %d: %s", o.Strategy, o.Limit, o.verdict())
	if o.Same {
		return text + " (the same)"
	}
	if o.Regret != nil {
		text += fmt.Sprintf(" (%+.0f %%)", 100**o.Regret)
	}
	return text
}

func listedWithin(indent string, list []string, most int) []string {
	for n := len(list); ; n-- {
		text := strings.Join(list[:n], "; ")
		if left := len(list) - n; left > 0 {
			text += fmt.Sprintf("; and %d more", left)
		}
		if n <= 1 || len(wrapped(indent, text, most+1)) <= most {
			return wrapped(indent, text, most)
		}
	}
}

func wrapped(indent, text string, most int) (lines []string) {
	line, room := indent, len([]rune(indent))
	for word := range strings.FieldsSeq(text) {
		if len([]rune(line))+1+len([]rune(word)) > width && len([]rune(line)) > room {
			lines = append(lines, line)
			line = strings.Repeat(" ", room)
		}
		if len([]rune(line)) > room {
			line += " "
		}
		line += word
	}
	lines = append(lines, line)
	if len(lines) > most {
		lines = slices.Clone(lines[:most])
		last := lines[most-1]
		for at := len(last); len([]rune(last)) > width-2 && at > len(indent); {
			if at = strings.LastIndexByte(last, ' '); at > len(indent) {
				last = last[:at]
			}
		}
		lines[most-1] = strings.TrimRight(last, " ,;") + " …"
	}
	for i, l := range lines {
		if r := []rune(l); len(r) > width {
			lines[i] = string(r[:width-1]) + "…"
		}
	}
	return lines
}
