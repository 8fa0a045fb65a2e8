package workloads

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

// The numbers use a separate random stream, so task times equal those of workload exponential with
// the same seed.
type labels struct {
	*waits
	upTo []float64 // probability of a number of at most the index
}

const labelStream = 0x6c6162656c000000

func newLabels(seed uint64, d dist.Dist, weights []float64) labels {
	l := labels{newWaits(seed, d), make([]float64, len(weights))}
	sum := 0.0
	for i, weight := range weights {
		sum += weight
		l.upTo[i] = sum
	}
	for i := range l.upTo {
		l.upTo[i] /= sum
	}
	return l
}

func (l labels) number(seq uint64) int {
	s := l.slot()
	defer l.slots.Put(s)
	u := s.seed(l.seed+labelStream, seq).Float64()
	i, exactly := slices.BinarySearch(l.upTo, u)
	if exactly {
		i++
	}
	return min(i, len(l.upTo)-1)
}

var timeKey = param.Key{Name: "time", Kind: param.Distribution, Default: "exp(10ms)",
	Doc: "time of a task"}

// parseRatios parses positive numbers such as 1:4. least and most bound their count.
func parseRatios(text string, least, most int) (weights []float64, err error) {
	for field := range strings.SplitSeq(text, ":") {
		weight, err := strconv.ParseFloat(field, 64)
		if err != nil || !(weight > 0 && weight < 1e9) {
			return nil, fmt.Errorf("want positive numbers such as 1:4, got %q", text)
		}
		weights = append(weights, weight)
	}
	if n := len(weights); n < least || n > most {
		return nil, fmt.Errorf("want %d to %d numbers such as 1:4, got %q", least, most, text)
	}
	return weights, nil
}
