package dist

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Mixture chooses one of several distributions for each draw.
type Mixture struct {
	moments
	branches []Branch
	text     string
}

// A Branch is a part of a Mixture.
type Branch struct {
	P    float64 // probability
	Dist Dist    // not itself a Mixture
}

// NewMixture returns the Mixture of these branches. The probabilities must be positive and add up
// to 1 within 1e-9. The mean must be positive. No branch may be a Mixture.
//
// E[X] = Σ p·m and E[X²] = Σ p·m²(1+c²), so C² = E[X²]/E[X]² − 1.
func NewMixture(branches ...Branch) (Mixture, error) {
	m := Mixture{branches: slices.Clone(branches)}
	var sum, square float64
	texts := make([]string, 0, 2*len(branches))
	for i, b := range branches {
		if !(b.P > 0) || math.IsInf(b.P, 1) {
			return Mixture{}, fmt.Errorf("w%d: must be positive, got %v", i+1, b.P)
		}
		if _, nested := b.Dist.(Mixture); nested {
			return Mixture{}, fmt.Errorf("d%d: a branch cannot be a mixture itself, got %v", i+1,
				b.Dist)
		}
		mean := MeanNS(b.Dist)
		sum += b.P
		m.mean += b.P * mean
		square += b.P * mean * mean * (1 + b.Dist.C2())
		texts = append(texts, FormatFloat(b.P), b.Dist.String())
	}
	if !(math.Abs(sum-1) <= 1e-9) {
		return Mixture{}, fmt.Errorf("the weights must add up to 1, got %s",
			addition(branches, sum))
	}
	if m.mean <= 0 {
		return Mixture{}, fmt.Errorf("the mean of a mixture must be positive")
	}
	m.c2 = max(0, square/(m.mean*m.mean)-1) // equal constants may give a value below 0
	if err := checkC2(m.c2, 0); err != nil {
		return Mixture{}, err
	}
	m.text = "mixture(" + strings.Join(texts, ",") + ")"
	return m, nil
}

func addition(branches []Branch, sum float64) string {
	terms := make([]string, len(branches))
	for i, b := range branches {
		terms[i] = FormatFloat(b.P)
	}
	total := strconv.FormatFloat(sum, 'g', 10, 64)
	if len(terms) < 2 {
		return total
	}
	return strings.Join(terms, " + ") + " = " + total
}

// Bimodal returns long with probability p and short otherwise. The error names the invalid
// parameter. With d = long − short the mean is short + p·d and the variance p(1−p)·d².
func Bimodal(p float64, short, long time.Duration) (Mixture, error) {
	if !(p > 0 && p < 1) {
		return Mixture{}, fmt.Errorf("p: must be between 0 and 1, both excluded, got %v", p)
	}
	if short < 0 {
		return Mixture{}, fmt.Errorf("short: must not be negative, got %s", FormatDuration(short))
	}
	if short >= long {
		return Mixture{}, fmt.Errorf("short: must be shorter than long, got short=%s and long=%s",
			FormatDuration(short), FormatDuration(long))
	}
	s, l := float64(short), float64(long)
	mean := (1-p)*s + p*l
	c2 := p * (1 - p) * (l - s) / mean * (l - s) / mean
	if err := checkC2(c2, 0); err != nil {
		return Mixture{}, fmt.Errorf("p: too rare: %w", err)
	}
	return Mixture{
		moments:  moments{mean, c2},
		branches: []Branch{{1 - p, Constant{short}}, {p, Constant{long}}},
		text: "bimodal(" + FormatFloat(p) + "," + FormatDuration(short) + "," +
			FormatDuration(long) + ")",
	}, nil
}

// HyperExp returns the two-branch hyperexponential distribution with that mean and C² and with
// balanced means, p₁/μ₁ = p₂/μ₂. The first branch is the frequent, short one. The error names the
// invalid parameter.
//
// Balanced means imply 1/μᵢ = mean/(2pᵢ). Then E[X²] = Σ 2pᵢ/μᵢ² = mean²/2·(1/p₁ + 1/p₂) =
// mean²/(2p₁p₂), so p₁p₂ = 1/(2(C²+1)). With p₁ + p₂ = 1 they are (1 ± s)/2, where s² =
// (C²−1)/(C²+1). The code writes 1 − s as (1−s²)/(1+s), which is accurate for large C².
func HyperExp(mean time.Duration, c2 float64) (Mixture, error) {
	if err := positive("mean", mean); err != nil {
		return Mixture{}, err
	}
	if err := checkC2(c2, 1); err != nil {
		return Mixture{}, err
	}
	s := math.Sqrt((c2 - 1) / (c2 + 1))
	frequent, rare := (1+s)/2, 1/((c2+1)*(1+s))
	m := float64(mean)
	return Mixture{
		moments: moments{m, c2},
		branches: []Branch{{frequent, Exponential{m / (2 * frequent)}},
			{rare, Exponential{m / (2 * rare)}}},
		text: "hyperexp(" + FormatDuration(mean) + "," + FormatFloat(c2) + ")",
	}, nil
}

// Sample draws one uniform number to choose the branch, and then from the branch.
func (m Mixture) Sample(r *rand.Rand) time.Duration {
	u := r.Float64()
	last := len(m.branches) - 1
	for i := range last {
		if u -= m.branches[i].P; u < 0 {
			return m.branches[i].Dist.Sample(r)
		}
	}
	return m.branches[last].Dist.Sample(r)
}

// Branches returns a copy of the branches.
func (m Mixture) Branches() []Branch { return slices.Clone(m.branches) }

func (m Mixture) String() string { return m.text }
