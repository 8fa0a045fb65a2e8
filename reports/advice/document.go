package advice

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/poolbench/poolbench/internal/quantity"
)

// Schema is the JSON schema of a Document.
//
//go:embed schema.json
var Schema string

// A Document is an answer of poolbench advise. Times are in seconds, rates per second, shares in
// fractions of 1. What is not known is absent or null.
type Document struct {
	Format    string  `json:"format"` // poolbench advise
	Version   int     `json:"version"`
	Verdict   string  `json:"verdict"`   // meets, nothing_meets or undecided
	Objective string  `json:"objective"` // as it was asked for
	Bound     float64 `json:"bound"`     // of the promised metric: the first objective's
	Question  string  `json:"question"`  // workload, arrivals, rate and target in words
	Seed      string  `json:"seed"`
	Work      Work    `json:"work"`

	// what to take; where nothing meets the objective, the nearest
	Recommendation Option `json:"recommendation"`

	RunnersUp   []Option  `json:"runners_up"`
	Below       *Option   `json:"below,omitempty"` // the recommended strategy with a smaller limit
	Above       *Option   `json:"above,omitempty"` // with twice the limit
	Missing     []Missing `json:"missing,omitempty"`
	NotLookedAt []string  `json:"not_looked_at"`
	Basis       string    `json:"basis"` // what the numbers rest on
}

// Work is what came in.
type Work struct {
	Rate  *float64 `json:"rate"` // null where all tasks are due at once
	Mean  float64  `json:"mean_service"`
	C2    float64  `json:"c2_service"`
	GapC2 *float64 `json:"c2_gaps"`
	// of a record: how many times as busy as its busiest stretch the next such record's may be
	Busier float64  `json:"busier,omitempty"`
	Busy   *float64 `json:"busy_slots"` // on average
}

// An Option is a strategy with its settings, and what it comes to.
type Option struct {
	Strategy string   `json:"strategy"`
	Limit    int      `json:"limit"`
	Queue    *int     `json:"queue"`  // slots; null where it has none of its own
	Rate     *float64 `json:"rate"`   // tasks started per second; null: as they come
	Metric   string   `json:"metric"` // of the promise
	Low      *float64 `json:"low"`    // 95 % interval
	Value    *float64 `json:"value"`
	High     *float64 `json:"high"`
	Verdict  string   `json:"verdict"` // met, missed or undecided
	// times the load up to which it meets the objective; null: not known
	HoldsUpTo *float64 `json:"holds_up_to"`
	Regret    *float64 `json:"regret,omitempty"`    // of the value, a share of the recommended one
	Confirmed *float64 `json:"confirmed,omitempty"` // the value in real time
	Ties      []string `json:"ties,omitempty"`      // that do the same by their contract
	Go        string   `json:"go,omitempty"`        // lines to write
	Stresses  []Stress `json:"stresses,omitempty"`
}

// A Stress is what becomes of an option when things get worse.
type Stress struct {
	Name    string   `json:"name"`
	Value   *float64 `json:"value"`
	Verdict string   `json:"verdict"`
}

// A Missing is what would have the nearest meet the objective, by itself.
type Missing struct {
	What  string  `json:"what"` // limit, rate or objective
	Value float64 `json:"value"`
}

// metric spells a value of the promise's metric.
func (o Option) metric(v *float64) string {
	if v == nil {
		return "?"
	}
	return quantity.Metric(o.Metric, *v)
}

// interval spells the promise.
func (o Option) interval() string {
	low, high := o.metric(o.Low), o.metric(o.High)
	if low == high {
		return low
	}
	return low + " to " + high
}

// name is the metric as people say it.
func (o Option) name() string {
	name := o.Metric
	for _, ending := range []string{"-sec", "/op", "-ops/s"} {
		name = strings.TrimSuffix(name, ending)
	}
	return strings.ReplaceAll(name, "-", " ")
}

// settings spells a strategy with its settings.
func (o Option) settings() string {
	text := fmt.Sprintf("%s with a limit of %d", o.Strategy, o.Limit)
	if o.Queue != nil {
		text += fmt.Sprintf(" and a queue of %d", *o.Queue)
	}
	if o.Rate != nil {
		text += fmt.Sprintf(", at most %s", quantity.Rate(*o.Rate))
	}
	return text
}

// Headline is the answer in a sentence.
func (d *Document) Headline() string {
	o := d.Recommendation
	switch d.Verdict {
	case "meets":
		return "Take " + o.settings()
	case "undecided":
		return "Undecided: " + o.settings() + " may meet " + d.Objective
	}
	return "Nothing meets " + d.Objective + "; nearest is " + o.settings()
}

// promise is what the headline rests on.
func (d *Document) promise() string {
	o := d.Recommendation
	text := o.name() + " " + o.interval()
	if d.Work.Rate != nil {
		text += " at " + quantity.Rate(*d.Work.Rate)
	}
	switch {
	case o.HoldsUpTo == nil:
	case *o.HoldsUpTo <= 1.01:
		text += "; holds no more than that"
	default:
		text += fmt.Sprintf("; holds up to %v times that load", *o.HoldsUpTo)
	}
	if o.Confirmed != nil {
		text += "; " + o.metric(o.Confirmed) + " in real time"
	}
	return text
}

// changes are what would change the answer.
func (d *Document) changes() (lines []string) {
	o := d.Recommendation
	if b := d.Below; b != nil {
		line := fmt.Sprintf("limit %d: %s, %s", b.Limit, b.interval(), b.Verdict)
		if b.Verdict == "undecided" {
			line += ": it may do as well"
		}
		lines = append(lines, line)
	}
	if a := d.Above; a != nil {
		line := fmt.Sprintf("limit %d: %s", a.Limit, a.interval())
		if a.interval() == o.interval() {
			line = fmt.Sprintf("limit %d: gains nothing", a.Limit)
		}
		lines = append(lines, line)
	}
	for _, s := range o.Stresses {
		lines = append(lines, fmt.Sprintf("%s: %s, %s", s.Name, o.metric(s.Value), s.Verdict))
	}
	return lines
}

// ways are what would have the nearest meet the objective.
func (d *Document) ways() (lines []string) {
	for _, m := range d.Missing {
		switch m.What {
		case "limit":
			lines = append(lines, fmt.Sprintf("a limit of %v", m.Value))
		case "rate":
			lines = append(lines, fmt.Sprintf("at most %s", quantity.Rate(m.Value)))
		default:
			lines = append(lines, fmt.Sprintf("an objective of %s",
				quantity.Metric(d.Recommendation.Metric, m.Value)))
		}
	}
	return lines
}

// described is what came in, in words.
func (d *Document) described() string {
	w := d.Work
	text := fmt.Sprintf("tasks of %s (C² %s)", quantity.Seconds(w.Mean), digits(w.C2))
	if w.Rate != nil && w.Busy != nil {
		text = quantity.Rate(*w.Rate) + " of " + text + fmt.Sprintf(": %s slots busy",
			quantity.Digits(*w.Busy))
	}
	if w.GapC2 != nil {
		text += ", gaps C² " + digits(*w.GapC2)
	}
	const worthALine = 1.05
	if w.Busier >= worthALine {
		text += fmt.Sprintf("; its busiest stretch may next be %.2g times as busy", w.Busier)
	}
	return text
}

// ties are those of the recommendation in words; "" where there are none.
func (d *Document) ties() string {
	all := d.Recommendation.Ties
	if len(all) == 0 {
		return ""
	}
	const shown = 3
	text := strings.Join(all[:min(shown, len(all))], ", ")
	if n := len(all) - shown; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text + "; taken is the simplest"
}

// digits spells a C², which is never below 0 but for rounding.
func digits(c2 float64) string {
	if c2 < 1e-3 {
		return "0"
	}
	return quantity.Digits(c2)
}

// shortly are the first few of the names that stand before a reason.
func shortly(line string) string {
	names, why, ok := strings.Cut(line, ": ")
	all := strings.Split(names, ", ")
	const shown = 2
	if n := len(all) - shown; ok && n > 1 {
		return fmt.Sprintf("%s and %d more: %s", strings.Join(all[:shown], ", "), n, why)
	}
	return line
}
