package theory_test

import (
	"math"
	"testing"

	"github.com/poolbench/poolbench/internal/statistics/theory"
)

// A mixture of equal queues must equal one of them. Otherwise its tail must be their weighted sum.
func TestMixed(t *testing.T) {
	short, err := theory.MDk(theory.Pool{Rate: 700, MeanService: 0.001, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	long, err := theory.MMk(theory.Pool{Rate: 40, MeanService: 0.05, Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	same := theory.Mixed(theory.Part{Share: 0.25, Answer: short},
		theory.Part{Share: 0.75, Answer: short})
	both := theory.Mixed(theory.Part{Share: 0.9, Answer: short},
		theory.Part{Share: 0.1, Answer: long})
	if math.Abs(same.MeanWait/short.MeanWait-1) > 1e-12 ||
		math.Abs(same.WaitProb-short.WaitProb) > 1e-12 {
		t.Errorf("beside its like: %+v, want %+v", same, short)
	}
	if want := 0.9*short.MeanResponse +
		0.1*long.MeanResponse; math.Abs(both.MeanResponse/want-1) > 1e-12 {
		t.Errorf("mean response %v, want %v", both.MeanResponse, want)
	}
	for _, q := range []float64{0.5, 0.9, 0.99, 0.999} {
		one, _ := short.ResponseQuantile(q)
		if two, ok := same.ResponseQuantile(q); !ok || math.Abs(two/one-1) > 1e-9 {
			t.Errorf("q = %v beside its like: %v, want %v", q, two, one)
		}
		at, ok := both.ResponseQuantile(q)
		a, _ := short.ResponseTail(at)
		b, _ := long.ResponseTail(at)
		if above := 0.9*a + 0.1*b; !ok || math.Abs(above/(1-q)-1) > 1e-6 {
			t.Errorf("q = %v: above %v lie %v, want %v", q, at, above, 1-q)
		}
	}
}
