package studies

import (
	"testing"

	"github.com/poolbench/poolbench/bench"
)

func TestBufferVerdicts(t *testing.T) {
	absorbs := func(sc bench.Scenario) float64 { return 0.4 / float64(1+sc.Queue) }
	never := func(bench.Scenario) float64 { return 0.4 }
	for name, c := range map[string]struct {
		bursts, overload func(bench.Scenario) float64
		want             Verdict
	}{
		"both":     {absorbs, absorbs, Holds},
		"neither":  {never, never, DoesNotHold},
		"bursts":   {absorbs, never, Depends},
		"overload": {never, absorbs, Depends},
	} {
		of := func(sc bench.Scenario, i int) map[string]float64 {
			shed := c.overload(sc)
			if sc.Load.Relative == bursts.load {
				shed = c.bursts(sc)
			}
			return map[string]float64{"shed/op": shed, "offered-ops/s": 600, "ops/s": 400, "mean-wait-sec": 0.01 * float64(sc.Queue), "p99-response-sec": 0.04 + 0.01*float64(sc.Queue+i)}
		}
		cells := append(bufferCells(Quick, shedding), bufferCells(Quick, holding)...)
		if f := wellSaid(t, synthetic(cells, 3, of), judgeBuffer, drawBuffer); f.Verdict != c.want {
			t.Errorf("%s: %v, want %v (%s)", name, f.Verdict, c.want, f.Because)
		}
		if f := judgeBuffer(synthetic(cells[:6], 3, of)); f.Verdict != Undecided {
			t.Errorf("%s: %v without an overload", name, f.Verdict)
		}
	}
}

// TestBuffer runs what the study says: room for a burst keeps all of it, and a hundred times as much is not used; against an overload the room
// is always taken.
func TestBuffer(t *testing.T) {
	small, room, more := bufferCell(Quick, shedding, bursts, 10), bufferCell(Quick, shedding, bursts, 100), bufferCell(Quick, shedding, bursts, 10_000)
	over := bufferCell(Quick, shedding, overload, 100)
	m := measureCells(t, small, room, more, over)
	if lost := m.mean(small, "shed/op").mid; lost < 0.5 {
		t.Errorf("10 slots shed %v of bursts of 100", lost)
	}
	if m.mean(room, "shed/op").mid != 0 || m.mean(more, "shed/op").mid != 0 {
		t.Error("room for a burst does not keep it")
	}
	if got, want := held(m, more).mid, held(m, room).mid; got != want {
		t.Errorf("%v tasks are held with room for all, %v with room for a burst", got, want)
	}
	if lost, kept := m.mean(over, "shed/op").mid, held(m, over).mid; lost < 0.25 || kept < 90 || kept > 100 {
		t.Errorf("under overload %v are shed and %v of 100 slots are taken", lost, kept)
	}
}

// TestBufferNeedsQueue: a strategy without a queue is no part of it.
func TestBufferNeedsQueue(t *testing.T) {
	study, err := Lookup("buffer")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := study.Suite(Quick, strategy("semaphore")...); err == nil {
		t.Error("semaphore takes part")
	}
	if _, err := study.Suite(Quick, strategy("codel_lifo")...); err != nil {
		t.Error(err)
	}
}
