package workloads

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

// WeightsKey is a parameter of every workload.
var WeightsKey = param.Key{Name: "weights", Kind: param.Text, Default: "1",
	Doc: "weight of a task for strategies that limit the sum of weights: 4, uniform(1,8), or " +
		"mixture(0.9,1,0.1,8) of shares and weights; --load still counts slots of one unit"}

const maxTaskWeight = 1 << 20

const maxWeights = 16

const weightStream = 0x7765696768740000

// A WeightLaw is the distribution of the weights of tasks. A weight depends only on the seed and
// the task's number.
type WeightLaw struct {
	seed    uint64
	first   int64     // uniform: the smallest weight
	n       uint64    // uniform: the number of weights; 0 for a mixture
	weights []int64   // mixture
	upTo    []float64 // mixture: probability of a weight of at most this index
}

// Weights returns the distribution of the weights in v, or nil if every weight is 1.
func (s Spec) Weights(seed uint64, v param.Values) (*WeightLaw, error) {
	if !s.hasWeights() {
		return nil, nil
	}
	l, err := parseWeights(v.Text(WeightsKey.Name))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", WeightsKey.Name, err)
	}
	l.seed = seed + weightStream
	if l.Min() == 1 && l.Max() == 1 {
		return nil, nil
	}
	return l, nil
}

// hasWeights is false for a Spec that is not registered or has its own parameter of that name.
func (s Spec) hasWeights() bool {
	return slices.ContainsFunc(s.Keys, func(k param.Key) bool {
		return k.Name == WeightsKey.Name && k.Doc == WeightsKey.Doc
	})
}

func (s Spec) withWeights() Spec {
	if !slices.ContainsFunc(s.Keys, func(k param.Key) bool { return k.Name == WeightsKey.Name }) {
		s.Keys = append(slices.Clip(s.Keys), WeightsKey)
	}
	return s
}

// Weight returns the weight of task seq. It does not allocate. A nil law has only the weight 1.
func (l *WeightLaw) Weight(seq uint64) int64 {
	if l == nil {
		return 1
	}
	if l.n == 1 {
		return l.first
	}
	var pcg rand.PCG
	pcg.Seed(l.seed, seq)
	if l.n > 0 {
		return l.first + int64(pcg.Uint64()%l.n) // n is below 2²¹, so the bias is below 2⁻⁴³
	}
	u := float64(pcg.Uint64()>>11) / (1 << 53)
	for i, upTo := range l.upTo {
		if u < upTo {
			return l.weights[i]
		}
	}
	return l.weights[len(l.weights)-1]
}

// Min returns the smallest weight.
func (l *WeightLaw) Min() int64 {
	if l.n > 0 {
		return l.first
	}
	return slices.Min(l.weights)
}

// Max returns the largest weight.
func (l *WeightLaw) Max() int64 {
	if l.n > 0 {
		return l.first + int64(l.n) - 1
	}
	return slices.Max(l.weights)
}

// Mean returns the mean weight.
func (l *WeightLaw) Mean() (mean float64) {
	if l.n > 0 {
		return float64(l.Min()+l.Max()) / 2
	}
	before := 0.0
	for i, upTo := range l.upTo {
		mean, before = mean+(upTo-before)*float64(l.weights[i]), upTo
	}
	return mean
}

func parseWeights(text string) (*WeightLaw, error) {
	wrong := fmt.Errorf("want whole numbers from 1 to %d, as 4, uniform(1,8) or "+
		"mixture(0.9,1,0.1,8), got %q", maxTaskWeight, text)
	weightIn := func(field string) (int64, bool) {
		n, err := strconv.ParseInt(field, 10, 64)
		return n, err == nil && n >= 1 && n <= maxTaskWeight
	}
	if w, ok := weightIn(text); ok {
		return &WeightLaw{first: w, n: 1}, nil
	}
	name, inner, _ := strings.Cut(text, "(")
	inner, closed := strings.CutSuffix(inner, ")")
	fields := strings.Split(inner, ",")
	switch {
	case !closed:
		return nil, wrong
	case name == "uniform" && len(fields) == 2:
		least, ok := weightIn(fields[0])
		most, also := weightIn(fields[1])
		if !ok || !also || most < least {
			return nil, wrong
		}
		return &WeightLaw{first: least, n: uint64(most-least) + 1}, nil
	case strings.HasPrefix(text, "mixture(") && len(fields)%2 == 0 && len(fields) <= 2*maxWeights:
		return mixedWeights(fields, weightIn, wrong)
	}
	return nil, wrong
}

func mixedWeights(
	fields []string, weightIn func(string) (int64, bool), wrong error,
) (*WeightLaw, error) {
	l, sum := &WeightLaw{}, 0.0
	for ; len(fields) > 0; fields = fields[2:] {
		share, err := dist.ParseFloat(fields[0])
		weight, ok := weightIn(fields[1])
		if err != nil || !ok || !(share > 0 && share <= 1) {
			return nil, wrong
		}
		sum += share
		l.weights, l.upTo = append(l.weights, weight), append(l.upTo, sum)
	}
	const near = 1e-9
	if sum < 1-near || sum > 1+near {
		return nil, fmt.Errorf("%w: its shares add up to %v instead of 1", wrong, sum)
	}
	return l, nil
}
