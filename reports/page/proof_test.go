package page

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// The second answer is wrong by off tolerances.
func knownAnswers(off float64) *Calibration {
	c := &Calibration{Dir: "out", Size: 0.1, Readings: []Reading{{What: "the smallest task",
		Answer: "1 ms"}},
		Control: KnownValue{Name: "control", What: "x", Strategy: "semaphore",
			Unit: "p99-response-sec", Want: 2, Tolerance: 0.1, Got: 1}}
	for i := range 4 {
		k := KnownValue{Name: fmt.Sprint("A", i), What: "M/M/4", Strategy: "worker_pool",
			Unit: "mean-wait-sec", Want: 1, Tolerance: 0.125, Simulated: i == 3, Got: 1}
		if i == 1 {
			k.Got = 1 + off*k.Tolerance
		}
		c.Known = append(c.Known, k)
	}
	return c
}

// A build whose negative control passes is not reliable.
func TestCalibrationFinding(t *testing.T) {
	passing := knownAnswers(0.5)
	passing.Control.Got = passing.Control.Want
	for want, c := range map[string]*Calibration{
		"4 of 4 known answers agree, with errors of at most 50 % of the tolerance; the control fails, " +
			"as it must": knownAnswers(-0.5),
		"1 of 4 known answers missed: this build is not reliable on this " +
			"machine": knownAnswers(1.5),
		"The control passes, although it measures wrongly on purpose: this build is not reliable " +
			"on this machine": passing,
		"There are no exact values": {},
	} {
		if got := c.answer(); got.Headline != want {
			t.Errorf("%q, want %q", got.Headline, want)
		}
	}
	if a := knownAnswers(1.5).answer(); !strings.Contains(a.Facts[0].Text, "A1: M/M/4, worker_pool") {
		t.Errorf("what is missed is not named: %v", a.Facts)
	}
	missing := knownAnswers(0)
	missing.Known[2].Got = math.NaN()
	if a := missing.answer(); !strings.HasPrefix(a.Headline, "1 of 4 known answers missed") {
		t.Errorf("an answer without a value: %q", a.Headline)
	}
}

// Losses are reported even for strategies that are not declared durable.
func TestCrashFinding(t *testing.T) {
	for want, c := range map[string]Crash{
		"s lost none of 9 accepted tasks in 1 kill":                {Kills: 1},
		"s lost 2 of 9 accepted tasks in 3 kills":                  {Kills: 3, Lost: 2},
		"s lost none of 9 accepted tasks in 2 kills of its server": {ServerKills: 2, Asked: 2},
		"s lost none of 9 accepted tasks in 3 kills of the 30 planned: its tasks ended before " +
			"the other 27": {Kills: 3, Asked: 30},
		"s lost 4 of 9 accepted tasks in 3 kills of the 30 planned: no further " +
			"progress": {Kills: 3, Asked: 30, Lost: 4, Stalled: true},
		"s lost none of 9 accepted tasks in 1 kill; 4 tasks were done more than once, 3 of them " +
			"without a kill in between": {Kills: 1, Twice: 4, Repeated: 3},
		"s lost none of 9 accepted tasks in 1 kill; 1 task was done more than once": {Kills: 1, Twice: 1},
		"s lost none of 9 accepted tasks in 1 kill of its server and 2 kills of its own; 4 tasks " +
			"were done more than once": {Kills: 2, ServerKills: 1, Twice: 4},
		"s lost none of 9 accepted tasks in 4 kills; no kill interrupted a task": {Kills: 4, InService: -1},
	} {
		c.Strategy, c.Accepted = "s", 9
		c.InService++ // unless the kills hit no task in service
		if got := c.Finding(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	most := Crash{Accepted: 3000, Lost: 1821}
	if got := most.Outcomes()[6].Doc; !strings.Contains(got, "one in 1.65 accepted tasks is lost") {
		t.Errorf("%q", got)
	}
	for want, c := range map[string]Crash{"The strategy keeps this promise.": {}, "does not cover the": {Lost: 1},
		"The strategy breaks this promise.": {Lost: 1, Broken: true}} {
		if got := c.answer().Facts[0].Text; !strings.Contains(got, want) {
			t.Errorf("%q, want in it %q", got, want)
		}
	}
}

func TestCrashRows(t *testing.T) {
	c := &Crash{Accepted: 10, Once: 5, Twice: 1, Lost: 3, LostBegun: 2, Dead: 1, Unconfirmed: 1,
		Fault: "f", Stored: 1}
	lost := map[string]bool{"lost: 3": true, "lost unbegun: 1": true, "lost begun: 2": true}
	for _, r := range c.rows() {
		if (r.Kind == 1) != lost[r.Name] {
			t.Errorf("%s is drawn as lost: %v", r.Name, r.Kind == 1)
		}
		delete(lost, r.Name)
	}
	if len(lost) > 0 {
		t.Errorf("no rows for %v", lost)
	}
}

func TestPages(t *testing.T) {
	const evil = `"><img src=x onerror=alert(1)>`
	c := knownAnswers(2)
	c.Dir, c.Known[0].Name, c.Known[0].What, c.Readings[0].Answer = evil, evil, evil, evil
	lost := &Crash{Strategy: evil, Workload: evil, Survives: evil, Command: evil, Accepted: 100,
		Once: 98, Lost: 2, Kills: 2, Broken: true, First: 0.01, LongestFirst: 0.02}
	nothing := &Crash{Strategy: "s"}
	waits := &Crash{Strategy: "s", Accepted: 9, Once: 7, Stored: 2, Stalled: true, Kills: 1,
		Patience: "45s", Interrupted: 3, Recovered: 1, Recovery: 2, LongestRecovery: 2,
		Adds: [][2]string{{"one thing", evil}}}
	for name, of := range map[string]struct {
		write func(*strings.Builder) error
		want  []string
	}{
		"calibrate": {func(b *strings.Builder) error { return WriteCalibration(b, c) }, []string{
			">1 of 4 known answers missed", `<figure id="known-figure"`, `id="machine"`, ">1 missed<"}},
		"crash": {func(b *strings.Builder) error { return WriteCrash(b, lost) }, []string{
			"lost 2 of 100 accepted", `<figure id="outcomes"`, ">2 lost despite its promise<", "20.0 ms"}},
		"waits": {func(b *strings.Builder) error { return WriteCrash(b, waits) }, []string{
			">0 lost<", "2 not waited for: still in its queue after 45s without progress",
			"median time from a restart", "1 of 3 began", "Added by poolbench", "one thing"}},
		"nothing": {func(b *strings.Builder) error { return WriteCrash(b, nothing) },
			[]string{">0 lost<"}},
	} {
		var b strings.Builder
		if err := of.write(&b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		page := strings.ReplaceAll(b.String(), "\u00a0", " ")
		for _, want := range of.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %q", name, want)
			}
		}
		if strings.Contains(page, "<img") || !strings.Contains(page, "default-src &#39;none&#39;") {
			t.Errorf("%s: a name became an element, or there is no policy", name)
		}
	}
}
