package studies

import (
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
)

func TestBufferVerdicts(t *testing.T) {
	absorbs := func(sc bench.Scenario) float64 { return 0.4 / float64(1+max(sc.Queue, 0)) }
	never := func(bench.Scenario) float64 { return 0.4 }
	for name, c := range map[string]struct {
		bursts, overload func(bench.Scenario) float64
		want             decide.ClaimVerdict
		says             string
	}{
		"both": {absorbs, absorbs, decide.Holds,
			"a buffer of 10000 slots absorbs bursts and a lasting overload, and sheds almost no " +
				"tasks (0.004 %)"},
		"neither": {never, never, decide.DoesNotHold,
			"even a buffer of 10000 slots absorbs neither bursts nor a lasting " +
				"overload, and sheds many tasks (40 %)"},
		"bursts": {absorbs, never, decide.Depends,
			"on what exceeds the capacity: it holds for bursts of 100 at load 0.7, " +
				"10000 (0.004 %), not for a lasting load of 1.5, 10000 (40 %)"},
		"overload": {never, absorbs, decide.Depends,
			"on what exceeds the capacity: it holds for a lasting load of 1.5, " +
				"10000 (0.004 %), not for bursts of 100 at load 0.7, 10000 (40 %)"},
	} {
		of := func(sc bench.Scenario, i int) map[string]float64 {
			shed := c.overload(sc)
			if sc.Load.Relative == bursts.load {
				shed = c.bursts(sc)
			}
			return map[string]float64{"shed/op": shed, "offered-ops/s": 600, "ops/s": 400,
				"mean-wait-sec": 0.01 * float64(max(sc.Queue, 0)), "p99-response-sec": 0.04 +
					0.01*float64(max(sc.Queue, 0)+i)}
		}
		cells := append(bufferCells(Quick, shedding), bufferCells(Quick, holding)...)
		expect(t, name, judgeAndDraw(t, synthetic(cells, 3, of), judgeBuffer, drawBuffer), c.want,
			c.says)
		if f := judgeBuffer(synthetic(cells[:6], 3, of)); f.Verdict != decide.ClaimUndecided {
			t.Errorf("%s: %v without an overload", name, f.Verdict)
		}
	}
}

func TestBuffer(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	small, room, more := bufferCell(Quick, shedding, bursts, 10),
		bufferCell(Quick, shedding, bursts, 100), bufferCell(Quick, shedding, bursts, 10_000)
	over := bufferCell(Quick, shedding, overload, 100)
	m := measureCells(t, small, room, more, over)
	if lost := m.Mean(small, "shed/op").Mid; lost < 0.5 {
		t.Errorf("10 slots shed %v of bursts of 100", lost)
	}
	if m.Mean(room, "shed/op").Mid != 0 || m.Mean(more, "shed/op").Mid != 0 {
		t.Error("room for a burst does not keep it")
	}
	if got, want := meanQueued(m, more).Mid, meanQueued(m, room).Mid; got != want {
		t.Errorf("%v tasks are held with room for all, %v with room for a burst", got, want)
	}
	if lost, kept := m.Mean(over, "shed/op").Mid, meanQueued(m, over).Mid; lost < 0.25 ||
		kept < 90 || kept > 100 {
		t.Errorf("under overload %v are shed and %v of 100 slots are taken", lost, kept)
	}
}

func TestBufferNeedsQueue(t *testing.T) {
	study, err := Lookup("buffer")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := study.Suite(Quick, 1, strategy("semaphore")...); err == nil {
		t.Error("semaphore takes part")
	}
	if _, err := study.Suite(Quick, 1, strategy("codel_lifo")...); err != nil {
		t.Error(err)
	}
}
