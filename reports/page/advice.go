package page

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
)

// AdviceSchema is the JSON schema of an AdviceDocument.
//
//go:embed schema.json
var AdviceSchema string

// An AdviceDocument is an answer of poolbench advise. Times are in seconds, rates per second,
// shares in fractions of 1. What is not known is absent or null.
type AdviceDocument struct {
	Format    string     `json:"format"` // poolbench advise
	Version   int        `json:"version"`
	Verdict   string     `json:"verdict"`   // meets, nothing_meets or undecided
	Objective string     `json:"objective"` // as it was asked for
	Bound     float64    `json:"bound"`     // of the promised metric: the first objective's
	Question  string     `json:"question"`  // workload, arrivals, rate and target in words
	Seed      string     `json:"seed"`
	Work      AdviceWork `json:"work"`

	// what to take; where nothing meets the objective, the nearest
	Recommendation AdviceOption `json:"recommendation"`

	RunnersUp   []AdviceOption  `json:"runners_up"`
	Below       *AdviceOption   `json:"below,omitempty"` // the recommended strategy with a smaller limit
	Above       *AdviceOption   `json:"above,omitempty"` // with twice the limit
	Missing     []AdviceMissing `json:"missing,omitempty"`
	NotLookedAt []string        `json:"not_looked_at"`
	Basis       string          `json:"basis"` // what the numbers rest on
	// absent where runs of the strategies' own code had all of the record, or there is none
	Record *AdviceRecord `json:"record,omitempty"`
}

// An AdviceRecord is how much of a recorded plan the budget allowed to run.
type AdviceRecord struct {
	Ran   int  `json:"ran"` // tasks of each run of a strategy's own code, the first ones
	Tasks int  `json:"tasks"`
	Pools bool `json:"pools"` // the recursion that stands for pools had all of it
}

// Unstable is the verdict on what has no numbers: more work comes than is done, and each would say
// how long the run was.
const Unstable = "unstable"

// AdviceWork is what came in.
type AdviceWork struct {
	Rate  *float64 `json:"rate"` // null where all tasks are due at once
	Mean  float64  `json:"mean_service"`
	C2    float64  `json:"c2_service"`
	GapC2 *float64 `json:"c2_gaps"`
	// of a record: how many times as busy as its busiest stretch the next such record's may be
	Busier float64  `json:"busier,omitempty"`
	Busy   *float64 `json:"busy_slots"` // on average
}

// An AdviceOption is a strategy with its settings, and what it comes to.
type AdviceOption struct {
	Strategy string   `json:"strategy"`
	Limit    int      `json:"limit"`
	Queue    *int     `json:"queue"`  // slots; null where it has none of its own
	Rate     *float64 `json:"rate"`   // tasks started per second; null: as they come
	Metric   string   `json:"metric"` // of the promise
	Low      *float64 `json:"low"`    // 95 % interval
	Value    *float64 `json:"value"`
	High     *float64 `json:"high"`
	Verdict  string   `json:"verdict"`            // met, missed, undecided or unstable
	Unstable string   `json:"unstable,omitempty"` // why
	// it comes to what the recommendation does, to the digit
	Same bool `json:"same,omitempty"`
	// times the load up to which it meets the objective; null: not known
	HoldsUpTo *float64       `json:"holds_up_to"`
	Regret    *float64       `json:"regret,omitempty"`    // of the value, a share of the recommended one
	Confirmed *float64       `json:"confirmed,omitempty"` // the value in real time
	Ties      []string       `json:"ties,omitempty"`      // that do the same by their contract
	Go        string         `json:"go,omitempty"`        // lines to write
	Stresses  []AdviceStress `json:"stresses,omitempty"`
}

// An AdviceStress is what becomes of an option when things get worse.
type AdviceStress struct {
	Name    string   `json:"name"`
	Value   *float64 `json:"value"` // the option's own where it is no worse
	Verdict string   `json:"verdict"`
	// the same tasks without the stress come to no less, as far as the runs can tell
	NoWorse bool   `json:"no_worse,omitempty"`
	Missed  string `json:"missed,omitempty"` // a metric other than the promised that misses
}

// An AdviceMissing is what would have the nearest meet the objective, by itself.
type AdviceMissing struct {
	What  string  `json:"what"` // limit, rate or objective
	Value float64 `json:"value"`
}

func (o AdviceOption) metric(v *float64) string {
	if v == nil {
		return "?"
	}
	return text.Metric(o.Metric, *v)
}

func (o AdviceOption) interval() string {
	if o.Verdict == Unstable {
		return Unstable
	}
	low, high := o.metric(o.Low), o.metric(o.High)
	if low == high {
		return low
	}
	return low + " to " + high
}

// name is the metric as people say it.
func (o AdviceOption) name() string { return nameOf(o.Metric) }

func nameOf(metric string) string {
	name := metric
	for _, ending := range []string{"-sec", "/op", "-ops/s"} {
		name = strings.TrimSuffix(name, ending)
	}
	return strings.ReplaceAll(name, "-", " ")
}

func (o AdviceOption) settings() string {
	s := fmt.Sprintf("%s with a limit of %d", o.Strategy, o.Limit)
	if o.Queue != nil {
		s += fmt.Sprintf(" and a queue of %d", *o.Queue)
	}
	if o.Rate != nil {
		s += fmt.Sprintf(", at most %s", text.Rate(*o.Rate))
	}
	return s
}

// Headline is the answer in a sentence.
func (d *AdviceDocument) Headline() string {
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
func (d *AdviceDocument) promise() string {
	o := d.Recommendation
	if o.Verdict == Unstable {
		return "none, as it is unstable: " + o.Unstable
	}
	s := o.name() + " " + o.interval()
	if d.Work.Rate != nil {
		s += " at " + text.Rate(*d.Work.Rate)
	}
	switch {
	case o.HoldsUpTo == nil:
	case *o.HoldsUpTo <= 1.01:
		s += "; holds no more than that"
	default:
		s += fmt.Sprintf("; holds up to %v times that load", *o.HoldsUpTo)
	}
	if o.Confirmed != nil {
		s += "; " + o.metric(o.Confirmed) + " in real time"
	}
	return s
}

// verdict spells an option's figure and what it comes to.
func (o AdviceOption) verdict() string {
	if o.Verdict == Unstable {
		return "unstable: " + o.Unstable
	}
	return o.interval() + ", " + o.Verdict
}

func (s AdviceStress) text(o AdviceOption) string {
	text := o.metric(s.Value)
	switch {
	case s.Verdict == Unstable:
		return s.Name + ": unstable"
	case s.NoWorse:
		text = "no worse"
	}
	text = s.Name + ": " + text + ", " + s.Verdict
	if s.Missed != "" {
		text += " by " + nameOf(s.Missed)
	}
	return text
}

// recorded says what a small budget does not look at; "" where it looks at all.
func (d *AdviceDocument) recorded() string {
	if d.Record == nil {
		return ""
	}
	text := fmt.Sprintf("strategies' own code ran only the first %d of %d tasks of the record",
		d.Record.Ran, d.Record.Tasks)
	if !d.Record.Pools {
		return text + ", and the promise is of these; a larger --budget runs more"
	}
	return text + "; a larger --budget runs more"
}

// changes are what would change the answer.
func (d *AdviceDocument) changes() (lines []string) {
	o := d.Recommendation
	if b := d.Below; b != nil {
		line := fmt.Sprintf("limit %d: %s", b.Limit, b.verdict())
		if b.Verdict == "undecided" {
			line += ": it may do as well"
		}
		lines = append(lines, line)
	}
	if a := d.Above; a != nil {
		line := fmt.Sprintf("limit %d: %s", a.Limit, a.interval())
		if a.interval() == o.interval() && o.Verdict != Unstable {
			line = fmt.Sprintf("limit %d: gains nothing", a.Limit)
		}
		lines = append(lines, line)
	}
	for _, s := range o.Stresses {
		lines = append(lines, s.text(o))
	}
	return lines
}

// ways are what would have the nearest meet the objective.
func (d *AdviceDocument) ways() (lines []string) {
	for _, m := range d.Missing {
		switch m.What {
		case "limit":
			lines = append(lines, fmt.Sprintf("a limit of %v", m.Value))
		case "rate":
			lines = append(lines, fmt.Sprintf("at most %s", text.Rate(m.Value)))
		default:
			lines = append(lines, fmt.Sprintf("an objective of %s",
				text.Metric(d.Recommendation.Metric, m.Value)))
		}
	}
	return lines
}

// described is what came in, in words.
func (d *AdviceDocument) described() string {
	w := d.Work
	s := fmt.Sprintf("tasks of %s (C² %s)", text.Seconds(w.Mean), digits(w.C2))
	if w.Rate != nil && w.Busy != nil {
		s = text.Rate(*w.Rate) + " of " + s + fmt.Sprintf(": %s slots busy",
			text.Digits(*w.Busy))
	}
	if w.GapC2 != nil {
		s += ", gaps C² " + digits(*w.GapC2)
	}
	const worthALine = 1.05
	if w.Busier >= worthALine {
		s += fmt.Sprintf("; its busiest stretch may next be %.2g times as busy", w.Busier)
	}
	return s
}

// ties are those of the recommendation in words; "" where there are none.
func (d *AdviceDocument) ties() string {
	all := d.Recommendation.Ties
	if len(all) == 0 {
		return ""
	}
	const shown = 3
	text := strings.Join(all[:min(shown, len(all))], ", ")
	if n := len(all) - shown; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text + "; the simplest is chosen"
}

// digits spells a C², which is never below 0 but for rounding.
func digits(c2 float64) string {
	if c2 < 1e-3 {
		return "0"
	}
	return text.Digits(c2)
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
