package studies

import (
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
)

func TestWeightsVerdicts(t *testing.T) {
	study, err := Lookup("weights")
	if err != nil {
		t.Fatal(err)
	}
	cells := study.Cells(Quick)
	for name, c := range map[string]struct {
		wait func(rate float64) float64
		peak float64
		want decide.ClaimVerdict
	}{
		"light tasks never wait": {func(float64) float64 { return 0.001 }, 16, decide.Holds},
		"they wait long":         {func(float64) float64 { return 0.1 }, 16, decide.DoesNotHold},
		"behind the heaviest": {func(rate float64) float64 {
			return map[bool]float64{true: 0.1, false: 0.001}[rate < 500]
		}, 16, decide.Depends},
		"memory is exceeded": {func(float64) float64 { return 0.001 }, 17, decide.DoesNotHold},
	} {
		of := func(sc bench.Scenario, i int) map[string]float64 {
			return map[string]float64{"peak-weight": c.peak,
				"light-p99-wait-sec": c.wait(sc.Load.PerSecond) * (1 + 0.01*float64(i))}
		}
		if f := judgeAndDraw(t, synthetic(cells, 3, of), judgeWeights,
			drawWeights); f.Verdict != c.want {
			t.Errorf("%s: %v (%s), want %v", name, f.Verdict, f.Because, c.want)
		}
		if f := judgeWeights(synthetic(cells[4:], 3, of)); f.Verdict != decide.ClaimUndecided {
			t.Errorf("%s: %v without %s", name, f.Verdict, weighing)
		}
	}
}

func TestWeightsProtect(t *testing.T) {
	weighted, counted := weightsOf(weighing)[2], weightsOf("semaphore")[2]
	weighted.Stop.Tasks, counted.Stop.Tasks = 5000, 5000
	m := measureCells(t, weighted, counted)
	value := func(sc bench.Scenario, unit string) float64 { return m.Mean(sc, unit).Mid }
	if peak := value(weighted, "peak-weight"); peak != weightsLimit {
		t.Errorf("%v units in flight, under a limit of %d by weight", peak, weightsLimit)
	}
	if peak := value(counted, "peak-weight"); peak <= weightsLimit {
		t.Errorf("%v units in flight, under a limit by number", peak)
	}
	if light, free := value(weighted, "light-p99-wait-sec"), value(counted,
		"light-p99-wait-sec"); light < weightsMean.Seconds() || free > light/10 {
		t.Errorf("light tasks wait %v s by weight and %v s by number", light, free)
	}
}
