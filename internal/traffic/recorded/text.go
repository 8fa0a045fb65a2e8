package recorded

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/internal/traffic"
)

func (d *Document) Summary() string {
	span := text.Roughly(time.Duration(d.Span * 1e9))
	if d.Span < 1 {
		span = text.Seconds(d.Span)
	}
	return fmt.Sprintf("%s: %d tasks in %s, %s on average", d.File, d.Tasks, span,
		text.Rate(d.Rate))
}

// Rows returns the whole description, each row with its name, which is "" for a continued row.
func (d *Document) Rows() [][]string {
	part := d.Span / float64(len(d.Course))
	most := 0
	for _, n := range d.Course {
		most = max(most, n)
	}
	rows := [][]string{
		{"rate over time", blocks(d.Course, most)},
		{"", fmt.Sprintf("%s each, the highest %s", text.Seconds(part),
			text.Rate(float64(most)/part))},
		{"busiest tenth", fmt.Sprintf("%s, %s the mean, from %s on", text.Rate(d.Peak.Rate),
			times(d.Peak.Rate/d.Rate), text.Seconds(d.Peak.From))},
		{"gaps", fmt.Sprintf("mean %s, C² %s (Poisson: 1), correlation with the next %s",
			text.Seconds(1/d.Rate), text.Digits(d.GapC2), correlation(d.GapRho))},
	}
	if d.Together > 0 {
		rows = append(rows, []string{"", text.Share(d.Together) + " of the tasks arrive at the " +
			"same time as the task before"})
	}
	for i, w := range d.Dispersion {
		name := ""
		if i == 0 {
			name = "counts"
		}
		rows = append(rows, []string{name, fmt.Sprintf("in windows of %s they vary %s as much as "+
			"Poisson arrivals", text.Seconds(w.Window), times(w.Index))})
	}
	if s := d.Swing; d.swings() {
		rows = append(rows, []string{"swings", fmt.Sprintf("every %s by %s of the mean: %s of the "+
			"rate's variance", text.Seconds(s.Period), text.Share(s.Amplitude),
			text.WholeShare(s.Share))})
	}
	rows = append(rows, []string{"resembles", d.resembles()})
	if t := d.Durations; t != nil {
		p99 := "unknown (too few tasks)"
		if t.P99 > 0 {
			p99 = text.Seconds(t.P99)
		}
		rows = append(rows, []string{"durations", fmt.Sprintf("mean %s, p50 %s, p99 %s, longest %s",
			text.Seconds(t.Mean), text.Seconds(t.P50), p99, text.Seconds(t.Max))},
			[]string{"", fmt.Sprintf("C² %s (exponential: 1), correlation with the next %s",
				text.Digits(t.C2), correlation(t.Rho))},
			[]string{"busy slots", fmt.Sprintf("%s on average, so a limit above that",
				text.Digits(t.Busy))})
	}
	if len(d.Unread) > 0 {
		rows = append(rows, []string{"durations", "not read; name their column with " +
			"--duration: the file has " + text.List(text.Truncate(d.Unread, 4))})
	}
	return append(rows, d.classRows()...)
}

const maxClasses = 8

func (d *Document) classRows() (rows [][]string) {
	for i, c := range d.Classes[:min(len(d.Classes), maxClasses)] {
		s := text.Share(c.Share) + " of the tasks"
		if d.Durations != nil {
			kind := "short"
			if c.Long {
				kind = "long"
			}
			s += fmt.Sprintf(", %s of the work, mean %s, C² %s: %s", text.Share(c.Work),
				text.Seconds(c.Mean), text.Digits(c.C2), kind)
		}
		name := ""
		if i == 0 {
			name = "classes"
		}
		rows = append(rows, []string{name, fmt.Sprintf("%.24s: %s", c.Name, s)})
	}
	if n := len(d.Classes) - maxClasses; n > 0 {
		rows = append(rows, []string{"", fmt.Sprintf("and %d more classes", n)})
	}
	return rows
}

func (d *Document) resembles() string {
	like := d.Resembles
	switch {
	case like == nil:
		return "unknown: too few tasks"
	case like.Factor > maxFactor:
		return fmt.Sprintf("no built-in process: %s is the closest, but the variation of its "+
			"counts differs by a factor of %s", like.Arrival, text.Digits(like.Factor))
	}
	s := fmt.Sprintf("%s: the variation of its counts differs by a factor of at most %s", like.Arrival,
		text.Digits(like.Factor))
	if d.swings() && d.process() != "sine" {
		s += ", but at random times, without a cycle"
	}
	return s
}

// Slow random bursts may look like one or two swings, but not like three.
func (d *Document) swings() bool { return d.swung() && d.Span/d.Swing.Period > 2.9 }

// swung reports whether the rate swings smoothly, if only once.
func (d *Document) swung() bool { return d.Swing != nil && d.Swing.Share >= traffic.Steady }

func (d *Document) process() string {
	if d.Resembles == nil || d.Resembles.Factor > maxFactor {
		return ""
	}
	return d.name()
}

// maxFactor is the largest factor of a similar process. Above it the record should be replayed.
const maxFactor = 2

func times(x float64) string { return text.Digits(x) + " times" }

func correlation(rho float64) string {
	return fmt.Sprintf("%.2f", math.Round(rho*100)/100+0) // not -0.00
}

func blocks(counts []int, most int) string {
	heights := []rune(" ▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, n := range counts {
		b.WriteRune(heights[int(math.Ceil(float64(n)/float64(most)*float64(len(heights)-1)))])
	}
	return b.String()
}
