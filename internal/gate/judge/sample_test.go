package judge

import (
	"strings"
	"testing"
)

func TestOnceTooMany(t *testing.T) {
	few, many := make([]float64, 2), make([]float64, maxValues+1)
	for name, s := range map[string]Sample{
		"base":  {Metric: times("b"), Base: many, Head: few},
		"head":  {Metric: times("b"), Base: few, Head: many},
		"pairs": {Metric: times("b"), Pairs: make([]Pair, maxValues+1)},
	} {
		_, err := JudgeOnce(Defaults(), []Sample{s})
		if err == nil || !strings.HasSuffix(err.Error(),
			": 3001 values, at most 3000 can be judged: use fewer repetitions") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
