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

// An AdviceDocument is the answer of poolbench advise. Times are in seconds, rates per second.
// Unknown values are absent or null.
type AdviceDocument struct {
	Format    string     `json:"format"` // poolbench advise
	Version   int        `json:"version"`
	Verdict   string     `json:"verdict"` // meets, nothing_meets or undecided
	Objective string     `json:"objective"`
	Bound     float64    `json:"bound"`    // of the first objective's metric
	Question  string     `json:"question"` // workload, arrivals, rate and target in words
	Seed      string     `json:"seed"`
	Work      AdviceWork `json:"work"`

	// the nearest option if none meets the objective
	Recommendation AdviceOption `json:"recommendation"`

	// absent if the recommendation is the simplest that meets the objective
	Simplest    *AdviceSimplest `json:"simplest,omitempty"`
	RunnersUp   []AdviceOption  `json:"runners_up"`
	Below       *AdviceOption   `json:"below,omitempty"` // recommended strategy with a smaller limit
	Above       *AdviceOption   `json:"above,omitempty"` // the same with twice the limit
	Missing     []AdviceMissing `json:"missing,omitempty"`
	NotLookedAt []string        `json:"not_looked_at"`
	Basis       string          `json:"basis"` // method behind the numbers
	// absent without a record, or if the whole record ran
	Record *AdviceRecord `json:"record,omitempty"`
}

// An AdviceSimplest is a simpler option that also meets the objective.
type AdviceSimplest struct {
	Strategies []string `json:"strategies"` // equal ones, first those with a short equivalent in Go
	Limit      int      `json:"limit"`
	But        string   `json:"but,omitempty"` // why it is not recommended
}

// An AdviceRecord is the part of a recorded plan that the budget allowed to run.
type AdviceRecord struct {
	Ran   int  `json:"ran"` // tasks per run of a strategy's own code, from the first
	Tasks int  `json:"tasks"`
	Pools bool `json:"pools"` // whether the recursion that replaces pools covered the whole record
}

// Unstable is the verdict on an option whose tasks arrive faster than they complete. It has no
// numbers, because they would depend on the run's length.
const Unstable = "unstable"

// AdviceWork describes the arriving work.
type AdviceWork struct {
	Rate  *float64 `json:"rate"` // null if all tasks are due at once
	Mean  float64  `json:"mean_service"`
	C2    float64  `json:"c2_service"`
	GapC2 *float64 `json:"c2_gaps"`
	// for a record: factor by which the next record's busiest interval may be busier
	Busier float64  `json:"busier,omitempty"`
	Busy   *float64 `json:"busy_slots"` // on average
}

// An AdviceOption is a strategy with its settings and its result.
type AdviceOption struct {
	Strategy string `json:"strategy"`
	Limit    int    `json:"limit"`
	Queue    *int   `json:"queue"` // slots. null without an own queue
	// why the queue is so long
	QueueReason string   `json:"queue_reason,omitempty"`
	Rate        *float64 `json:"rate"`   // tasks started per second. null: unlimited
	Metric      string   `json:"metric"` // of the objective
	Low         *float64 `json:"low"`    // 95 % interval
	Value       *float64 `json:"value"`
	High        *float64 `json:"high"`
	Verdict     string   `json:"verdict"`            // met, missed, undecided or unstable
	Unstable    string   `json:"unstable,omitempty"` // the reason
	// exactly the same result as the recommendation
	Same bool `json:"same,omitempty"`
	// largest load factor that meets the objective
	HoldsUpTo *float64       `json:"holds_up_to"`
	Regret    *float64       `json:"regret,omitempty"`    // relative to the recommended value
	Confirmed *float64       `json:"confirmed,omitempty"` // measured in real time
	Ties      []string       `json:"ties,omitempty"`      // strategies that are equal by contract
	Go        string         `json:"go,omitempty"`        // Go code that creates it
	Stresses  []AdviceStress `json:"stresses,omitempty"`
}

// An AdviceStress is the result of an option under worse conditions.
type AdviceStress struct {
	Name    string   `json:"name"`
	Value   *float64 `json:"value"` // the option's own value if it is no worse
	Verdict string   `json:"verdict"`
	NoWorse bool     `json:"no_worse,omitempty"`
	Missed  string   `json:"missed,omitempty"` // another metric that misses its objective
}

// An AdviceMissing is a single change that lets the nearest option meet the objective.
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

// Headline returns the answer in a sentence.
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

func (d *AdviceDocument) simplest() string {
	s := d.Simplest
	if s == nil {
		return ""
	}
	const maxNames = 2
	names := strings.Join(s.Strategies[:min(maxNames, len(s.Strategies))], " or ")
	line := fmt.Sprintf("Simplest that meets the objective: %s with a limit of %d", names, s.Limit)
	if s.But != "" {
		line += "; but " + s.But
	}
	return line
}

func (d *AdviceDocument) queue() string {
	o := d.Recommendation
	if o.Queue == nil || o.QueueReason == "" {
		return ""
	}
	return fmt.Sprintf("%d is %s", *o.Queue, o.QueueReason)
}

func (d *AdviceDocument) evidence() string {
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
		s += "; meets the objective at no higher load"
	default:
		s += fmt.Sprintf("; meets the objective up to %v times that load", *o.HoldsUpTo)
	}
	if o.Confirmed != nil {
		s += "; " + o.metric(o.Confirmed) + " in real time"
	}
	return s
}

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

func (d *AdviceDocument) omittedRecord() string {
	if d.Record == nil {
		return ""
	}
	text := fmt.Sprintf("strategies' own code ran only the first %d of %d recorded tasks",
		d.Record.Ran, d.Record.Tasks)
	if !d.Record.Pools {
		return text + ", and the promise covers only these. A larger --budget runs more"
	}
	return text + "; a larger --budget runs more"
}

func (d *AdviceDocument) changes() (lines []string) {
	o := d.Recommendation
	if b := d.Below; b != nil {
		line := fmt.Sprintf("limit %d: %s", b.Limit, b.verdict())
		if b.Verdict == "undecided" {
			line += ": the objective may still be met"
		}
		lines = append(lines, line)
	}
	if a := d.Above; a != nil {
		line := fmt.Sprintf("limit %d: %s", a.Limit, a.interval())
		if a.interval() == o.interval() && o.Verdict != Unstable {
			line = fmt.Sprintf("limit %d: no benefit", a.Limit)
		}
		lines = append(lines, line)
	}
	for _, s := range o.Stresses {
		lines = append(lines, s.text(o))
	}
	return lines
}

func (d *AdviceDocument) missingChanges() (lines []string) {
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

func (d *AdviceDocument) workText() string {
	w := d.Work
	s := fmt.Sprintf("tasks of %s (C² %s)", text.Seconds(w.Mean), formatC2(w.C2))
	if w.Rate != nil && w.Busy != nil {
		s = text.Rate(*w.Rate) + " of " + s + fmt.Sprintf(": %s slots busy",
			text.Digits(*w.Busy))
	}
	if w.GapC2 != nil {
		s += ", gaps C² " + formatC2(*w.GapC2)
	}
	const worthALine = 1.05
	if w.Busier >= worthALine {
		s += fmt.Sprintf("; the busiest part of another period may be %.2g times as busy", w.Busier)
	}
	return s
}

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

// Rounding errors may make a C² negative.
func formatC2(c2 float64) string {
	if c2 < 1e-3 {
		return "0"
	}
	return text.Digits(c2)
}

func shortly(line string) string {
	names, why, ok := strings.Cut(line, ": ")
	all := strings.Split(names, ", ")
	const shown = 2
	if n := len(all) - shown; ok && n > 1 {
		return fmt.Sprintf("%s and %d more: %s", strings.Join(all[:shown], ", "), n, why)
	}
	return line
}
