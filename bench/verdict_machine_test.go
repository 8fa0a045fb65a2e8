package bench

import (
	"slices"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/rundir"
)

// naps returns the observations of n punctual sleeps and the given stalls.
func naps(n int, stalls ...machine.Stall) *machine.Hiccups {
	h := machine.NewHiccups()
	for range n {
		h.Note(machine.Stall{Late: 60_000, CPU: 10_000})
	}
	for _, s := range stalls {
		h.Note(s)
	}
	return h
}

func stall(from, late, cpu, queued int64) machine.Stall {
	return machine.Stall{From: from, Late: late, CPU: cpu, Queued: queued}
}

func pressure(steal, stall, others, queued float64) machine.Pressure {
	return machine.Pressure{Steal: steal, Stall: stall, Others: others, Queued: queued,
		Waiting: -1}
}

// mostlyIdle is the pressure of a mostly idle process with this number of waiting threads, next to
// a busy process.
func mostlyIdle(threads float64) machine.Pressure {
	return machine.Pressure{Stall: 0.14, Others: 0.125, Queued: 0.35, Waiting: threads}
}

func TestMachine(t *testing.T) {
	const second = int64(time.Second)
	for _, c := range []struct {
		name     string
		hiccups  *machine.Hiccups
		pressure machine.Pressure
		verdict  result.Verdict
		check    string
		words    []string
	}{
		{"quiet", naps(5000), pressure(0, 0.01, 0, 0.02), result.Valid, "", nil},
		{"one small stall", naps(50_000, stall(second, 57*ms, ms, 0)),
			machine.UnknownPressure, result.Valid, "", nil},
		{"stopped", naps(5000, stall(second, 300*ms, ms, 0)), pressure(0, 0.01, 0, 0.02),
			result.Invalid, rundir.CheckPause,
			[]string{"from 1.00 s on", "stalled for 300 ms:", "tasks were due"}},
		{"stopped until the first task was due", naps(5000, stall(-231*ms, 233*ms, ms, 0)),
			machine.UnknownPressure, result.Valid, "", nil},
		{"stopped from before", naps(5000, stall(-231*ms, 400*ms, ms, 0)), machine.UnknownPressure,
			result.Invalid, rundir.CheckPause, []string{"from −231 ms on"}},
		{"stopped twice", naps(5000, stall(second, 300*ms, ms, 0),
			stall(3*second, 200*ms, ms, 0)), machine.UnknownPressure, result.Invalid, rundir.CheckPause,
			[]string{"stalled for 300 ms (the longest of 2 times)"}},
		{"in the queue", naps(50_000, stall(second, 300*ms, ms, 290*ms)), machine.UnknownPressure,
			result.Suspect, rundir.CheckMachine, []string{"other programs used the processors"}},
		{"crumbs of a processor", naps(50_000, stall(second, 300*ms, 20*ms, 0)),
			machine.UnknownPressure, result.Suspect, rundir.CheckMachine,
			[]string{"and this process only 20.0 ms of CPU time"}},
		{"its own tasks", naps(50_000, stall(second, 300*ms, 500*ms, 0)), machine.UnknownPressure,
			result.Suspect, rundir.CheckStalls, []string{"the process itself used the processors"}},
		{"stalls all the time", naps(1000,
			slices.Repeat([]machine.Stall{stall(second, 30*ms, 0, 0)}, 20)...),
			machine.UnknownPressure, result.Suspect, rundir.CheckStalls, []string{"scheduling stalls"}},
		{"steal", naps(5000), pressure(0.2, 0, 0, 0), result.Suspect, rundir.CheckMachine,
			[]string{"20 %", "steal"}},
		{"hogged", naps(5000), pressure(0, 0.5, 0.4, 0.3), result.Suspect, rundir.CheckMachine,
			[]string{"30 % of the time", "a thread waited for 50 %"}},
		{"its own threads wait for one another", naps(5000), pressure(0, 0.5, 0.01, 0.3), result.Valid,
			"", nil},
		// the limit is a twentieth of the two tasks in service
		{"what little it does waits a little", naps(5000), mostlyIdle(0.09), result.Valid, "", nil},
		{"tasks wait", naps(5000), mostlyIdle(0.12), result.Suspect, rundir.CheckMachine,
			[]string{"35 % of the time", "a thread waited for 14 %"}},
		{"others wait", naps(5000), pressure(-1, 0.5, -1, 0.01), result.Suspect, rundir.CheckMachine,
			[]string{"a runnable thread on this machine", "50 %"}},
	} {
		o := queue(Real, 1, 20_000, 0.5, 1)
		o.Seen = &machine.WitnessStats{Hiccups: c.hiccups, Pressure: c.pressure}
		r := judge(t, o)
		if c.verdict == result.Valid {
			wantValid(t, c.name, r)
		} else {
			wantReason(t, c.name, r, c.verdict, c.check, c.words...)
		}
		if v, ok := r.Metric("max-hiccup-sec"); !ok || v <= 0 {
			t.Errorf("%s: max-hiccup-sec is %v", c.name, v)
		}
		if _, ok := r.Metric("cpu-steal"); ok != (c.pressure.Steal >= 0) {
			t.Errorf("%s: cpu-steal is there: %v", c.name, ok)
		}
	}
}

func TestStallsOfFewTasks(t *testing.T) {
	o := queue(Real, 1, 200, 0.5, 1)
	o.Seen = &machine.WitnessStats{Pressure: machine.UnknownPressure, Hiccups: naps(1000,
		slices.Repeat([]machine.Stall{stall(int64(time.Second), 30*ms, 0, 0)}, 20)...)}
	wantReason(t, "few tasks", judge(t, o), result.Suspect, rundir.CheckStalls, "; the longest "+
		"response time is")
}

func TestNoP99OfFewSleeps(t *testing.T) {
	o := queue(Real, 1, 20_000, 0.5, 1)
	o.Seen = &machine.WitnessStats{Hiccups: naps(100), Pressure: machine.UnknownPressure}
	if v, ok := judge(t, o).Metric("p99-hiccup-sec"); ok {
		t.Errorf("the p99 of 100 naps is %v", v)
	}
}

// Clients without pauses fill the processors on purpose. Only other busy processes make the run
// SUSPECT.
func TestFlatOut(t *testing.T) {
	busy := naps(1000, slices.Repeat([]machine.Stall{stall(int64(time.Second), 30*ms, 20*ms, 0),
		stall(int64(time.Second), 300*ms, 20*ms, 290*ms)}, 20)...)
	crowded := naps(50_000, stall(int64(time.Second), 300*ms, 20*ms, 290*ms))
	for _, c := range []struct {
		name     string
		flat     bool
		local    bool
		others   float64
		hiccups  *machine.Hiccups
		verdict  result.Verdict
		check    string
		sentence string
	}{
		{"a server on this machine", true, true, 0.5, busy, result.Valid, "", ""},
		{"a server elsewhere", true, false, 0.01, busy, result.Valid, "", ""},
		{"others are at work", true, false, 0.5, crowded, result.Suspect, rundir.CheckMachine,
			"other programs used the processors"},
		{"at a rate", false, true, 0.5, crowded, result.Suspect, rundir.CheckMachine,
			"other programs used the processors"},
		{"stopped", true, true, 0.5, naps(5000, stall(int64(time.Second), 300*ms, ms, 0)), result.Invalid,
			rundir.CheckPause, "stalled"},
	} {
		o := queue(Real, 1, 20_000, 0.5, 1)
		o.FlatOut, o.Local = c.flat, c.local
		o.Seen = &machine.WitnessStats{Hiccups: c.hiccups, Pressure: pressure(0, 0.9, c.others, 0.9)}
		if r := judge(t, o); c.verdict == result.Valid {
			wantValid(t, c.name, r)
		} else {
			wantReason(t, c.name, r, c.verdict, c.check, c.sentence)
		}
	}
}
