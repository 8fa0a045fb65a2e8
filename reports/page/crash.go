package page

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page/shell"
)

// A Crash counts the tasks' outcomes for a strategy whose process or server was killed.
type Crash struct {
	Strategy, Workload string
	Survives           string // declared durability of the strategy
	Broken             bool   // it lost tasks that it promises to keep
	Limit              int
	Seed               uint64

	Accepted, Once, Twice, Lost, Dead, Unconfirmed int

	LostBegun int    // lost after they had begun
	Repeated  int    // executed twice without a kill in between
	Stalled   bool   // stopped making progress before all tasks were done
	Stored    int    // neither done nor lost at the end of the run
	Patience  string // time without progress after which the run ended
	Fault     string // why the run was abandoned, or ""

	Kills, ServerKills  int
	Asked               int     // planned kills
	InService           int     // tasks in service at the kills
	First, LongestFirst float64 // seconds from a restart to the first task. 0: unknown
	Interrupted         int     // tasks in service at the kills of the process
	Recovered           int     // interrupted tasks that began again
	// seconds from a restart until an interrupted task began again, or 0
	Recovery, LongestRecovery float64
	Adds                      [][2]string // what its adapter adds, and the bare library's behaviour
	Command                   string      // reproduces the result
}

// awaits reports whether the run ended while tasks were queued.
func (c *Crash) awaits() bool { return c.Fault == "" && c.Stored > 0 }

func (c *Crash) recovery() string {
	switch {
	case c.Interrupted == 0 || c.Fault != "" && c.Recovered == 0:
		return ""
	case c.Recovered == 0:
		return fmt.Sprintf("none of %s began again within %s",
			text.Count(c.Interrupted, "interrupted task"), c.Patience)
	}
	return fmt.Sprintf("median time from a restart until an interrupted task began again; "+
		"longest %s; %d of %d began", text.Seconds(c.LongestRecovery), c.Recovered, c.Interrupted)
}

// Recoveries returns the row of the recovery time, or nil without interrupted tasks.
func (c *Crash) Recoveries() (rows [][]string) {
	said := c.recovery()
	if said == "" {
		return nil
	}
	value := "–"
	if c.Recovered > 0 {
		value = text.Seconds(c.Recovery)
	}
	return [][]string{{"recovery", value, said}}
}

// Finding returns a sentence, without a full stop, on lost and repeated tasks.
func (c *Crash) Finding() string {
	killed := text.Count(c.Kills, "kill")
	switch server := text.Count(c.ServerKills, "kill") + " of its server"; {
	case c.ServerKills > 0 && c.Kills > 0:
		killed = server + " and " + killed + " of its own"
	case c.ServerKills > 0:
		killed = server
	}
	if c.Fault != "" {
		return fmt.Sprintf("%s was ended after %s and %s: %s", c.Strategy,
			text.Count(c.Accepted, "accepted task"), killed, c.Fault)
	}
	lost := "none"
	if c.Lost > 0 {
		lost = fmt.Sprint(c.Lost)
	}
	out := fmt.Sprintf("%s lost %s of %d accepted tasks in %s", c.Strategy, lost, c.Accepted, killed)
	left := c.Asked - c.Kills - c.ServerKills
	switch {
	case c.awaits() && left > 0:
		out += fmt.Sprintf(" of the %d planned", c.Asked)
	case c.awaits():
	case c.Stalled && left > 0:
		out += fmt.Sprintf(" of the %d planned: no further progress", c.Asked)
	case c.Stalled:
		out += ": no further progress"
	case left > 0:
		out += fmt.Sprintf(" of the %d planned: its tasks ended before the other %d",
			c.Asked, left)
	}
	switch {
	case c.Twice == 1:
		out += "; 1 task was done more than once"
	case c.Twice > 1:
		out += fmt.Sprintf("; %d tasks were done more than once", c.Twice)
	}
	if c.Repeated > 0 {
		out += fmt.Sprintf(", %d of them without a kill in between", c.Repeated)
	}
	if c.awaits() {
		out += fmt.Sprintf("; %d not waited for: still in its queue after %s without progress",
			c.Stored, c.Patience)
	}
	if c.InService == 0 && c.Kills+c.ServerKills > 0 {
		out += "; no kill interrupted a task"
	}
	return out
}

// An Outcome is a named number of tasks. Its meaning is "" if the name is clear.
type Outcome struct {
	Name  string
	Tasks int
	Doc   string
}

// Outcomes returns the number of tasks by outcome.
func (c *Crash) Outcomes() []Outcome {
	again := "killed between its end and the confirmation"
	switch {
	case c.Repeated > 0 && c.Repeated == c.Twice:
		again = "without a kill in between, by the strategy itself"
	case c.Repeated > 0:
		again = fmt.Sprintf("%d without a kill in between, by the strategy itself", c.Repeated)
	}
	all := []Outcome{
		{"accepted", c.Accepted, "Submit had returned"},
		{"done once", c.Once, ""},
		{"done twice", c.Twice, again},
		{"lost", c.Lost, "never done; declared to survive: " + c.Survives},
		{"dead letters", c.Dead, "dead letters after the last attempt"},
		{"unconfirmed", c.Unconfirmed, "done, but killed before Submit had returned"},
	}
	if c.Lost > 0 {
		all = append(all, Outcome{"lost unbegun", c.Lost - c.LostBegun,
			fmt.Sprintf("never delivered; one in %s accepted tasks is lost",
				text.Digits(float64(c.Accepted)/float64(c.Lost)))},
			Outcome{"lost begun", c.LostBegun, "delivered, but never done"})
	}
	if c.Fault != "" {
		all = append(all, Outcome{"in the store", c.Stored, "not done when crash ended"})
	} else if c.Stored > 0 {
		all = append(all, Outcome{"not waited for", c.Stored, fmt.Sprintf("still in its queue after "+
			"%s without progress, and not lost: wait longer with --patience", c.Patience)})
	}
	return all
}

func (c *Crash) answer() (a shell.Answer) {
	a.Headline = c.Finding()
	kept := "The strategy keeps this promise."
	switch {
	case c.Fault != "":
		kept = "It is unknown whether the strategy keeps this promise."
	case c.Broken:
		kept = "The strategy breaks this promise."
	case c.Lost > 0:
		kept = "The strategy keeps this promise, which does not cover the lost tasks."
	}
	a.Facts = []shell.Fact{{Title: "Declared to survive", Text: c.Survives + ". " + kept},
		{Title: "Done twice", Text: "A task that had ended before a kill, but was not yet " +
			"confirmed, is done again: " + text.Count(c.Twice-c.Repeated, "task") + " of " +
			fmt.Sprint(c.Accepted) + "."}}
	if c.Repeated > 0 {
		a.Facts[1].Text += " Without a kill in between, the strategy itself did " +
			text.Count(c.Repeated, "task") + " again."
	}
	if c.Kills+c.ServerKills > 0 {
		a.Facts = append(a.Facts, shell.Fact{Title: "In service", Text: "The kills interrupted " +
			text.Count(c.InService, "task") + " in service, all kills together."})
	}
	if c.Kills > 0 && c.LongestFirst > 0 {
		a.Facts = append(a.Facts, shell.Fact{Title: "After a restart", Text: fmt.Sprintf(
			"The first task begins after %s (median), at most after %s.",
			text.Seconds(c.First), text.Seconds(c.LongestFirst))})
	}
	if said := c.recovery(); said != "" {
		if c.Recovered > 0 {
			said = text.Seconds(c.Recovery) + ", the " + said
		}
		if c.awaits() {
			said += fmt.Sprintf(". Not waited for: %s, still in its queue after %s without progress",
				text.Count(c.Stored, "task"), c.Patience)
		}
		a.Facts = append(a.Facts, shell.Fact{Title: "Interrupted tasks", Text: said + "."})
	}
	a.Next = "poolbench study durability"
	return a
}

func (c *Crash) rows() (all []shell.Row) {
	for _, f := range c.Outcomes()[1:] {
		r := shell.Row{Name: fmt.Sprintf("%s: %d", f.Name, f.Tasks), Value: float64(f.Tasks)}
		switch {
		case f.Tasks == 0:
			r.Value = math.NaN()
		case strings.HasPrefix(f.Name, "lost"):
			r.Kind = 1
		}
		all = append(all, r)
	}
	return all
}

func (c *Crash) figure() (*shell.Figure, error) {
	var levels []charts.Level
	if c.Accepted > 0 {
		levels = []charts.Level{{Name: "accepted", Y: float64(c.Accepted)}}
	}
	return shell.Rows("outcomes", "Outcomes of the tasks",
		"On a log scale. Rows without a mark have no tasks.",
		[]string{"not lost", "lost"}, c.rows(),
		charts.Axis{Label: "tasks (log scale)", Log: true, Reach: []float64{1}}, levels)
}

// WriteCrash writes the result of crash as a self-contained HTML page.
func WriteCrash(w io.Writer, c *Crash) error {
	p := shell.Page{Title: "crash", Subtitle: fmt.Sprintf("limit %d · seed %d", c.Limit, c.Seed),
		Command: c.Command, Answer: c.answer(),
		Basis: "The list of tasks is kept outside the killed process. The times of the kills are " +
			"random, so rare failures may need more kills."}
	lost := shell.Badge{Kind: "ok", Text: "0 lost"}
	switch {
	case c.Broken:
		lost = shell.Badge{Kind: "bad", Text: fmt.Sprintf("%d lost despite its promise", c.Lost)}
	case c.Fault != "":
		lost = shell.Badge{Kind: "bad", Text: "given up"}
	case c.Lost > 0:
		lost = shell.Badge{Kind: "warn", Text: fmt.Sprintf("%d lost, as declared", c.Lost)}
	}
	p.Trust = []shell.Badge{lost, {Text: text.Count(c.Kills+c.ServerKills, "kill")},
		{Text: text.Count(c.Accepted, "accepted task")}}
	var err error
	if p.Figure, err = c.figure(); err != nil {
		return err
	}
	t := factTable{ID: "tasks", Title: "Tasks", Said: true, Heads: []string{"what", "tasks", "meaning"}}
	for _, f := range c.Outcomes() {
		t.Rows = append(t.Rows, []string{f.Name, fmt.Sprint(f.Tasks), f.Doc})
	}
	t.Rows = append(t.Rows, c.Recoveries()...)
	t.add(&p)
	if len(c.Adds) > 0 {
		t := factTable{ID: "adds", Title: "Added by poolbench", Said: true,
			Heads: []string{"added", "the bare library"}}
		for _, a := range c.Adds {
			t.Rows = append(t.Rows, a[:])
		}
		t.add(&p)
	}
	return p.Write(w)
}
