package changepoint

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/poolbench/poolbench/internal/machine/race"
)

func autoregression(rng *rand.Rand, n int, rho float64) []float64 {
	values := make([]float64, n)
	x := rng.NormFloat64()
	for i := range values {
		values[i] = x
		x = rho*x + math.Sqrt(1-rho*rho)*rng.NormFloat64()
	}
	return values
}

// In stationary autocorrelated series, changes that are not doubtful are false alarms. Their rate
// may be Alpha plus three standard errors.
func TestDependentSeries(t *testing.T) {
	const alpha, permutations = 0.05, 99
	halves := 2
	if testing.Short() {
		halves = 1
	}
	for _, c := range []struct {
		n, series int
		rho       float64
		alarms    float64 // smallest share of series with a change, so that the test has enough cases
	}{
		{20, 200, 0.3, 0.1}, {20, 200, 0.5, 0.25}, {40, 200, 0.3, 0.15}, {40, 200, 0.5, 0.4},
		{80, 100, 0.5, 0.55}, {200, 20, 0.5, 0.6},
	} {
		rng := rand.New(rand.NewPCG(uint64(c.n), uint64(100*c.rho)))
		alarms, undoubted := 0, 0
		c.series = c.series * halves / 2
		for seed := range c.series {
			o := seeded(seed)
			o.Alpha, o.Permutations = alpha, permutations
			values := autoregression(rng, c.n, c.rho)
			if found := Find(values, o); len(found) > 0 {
				alarms++
				if !Depends(values, found, o).Doubtful {
					undoubted++
				}
			}
		}
		series := float64(c.series)
		most := series*alpha + 3*math.Sqrt(series*alpha*(1-alpha))
		if t.Logf("%d values, rho %v: of %d series %d have changes, %d without a doubt", c.n, c.rho,
			c.series, alarms, undoubted); float64(undoubted) > most ||
			float64(alarms) < c.alarms*series {
			t.Errorf("want at most %.0f without a doubt, of at least %.0f", most, c.alarms*series)
		}
	}
}

func TestIndependentSeries(t *testing.T) {
	if race.Enabled {
		t.Skip("it only computes, on one goroutine")
	}
	series := 40
	if testing.Short() {
		series = 20
	}
	for _, c := range []struct {
		name string
		make func(*rand.Rand) []float64
		most int
	}{
		{"a step in 40", func(rng *rand.Rand) []float64 { return levels(rng, 0.03, 20, 1, 1.1) },
			2},
		{"four levels in 80",
			func(rng *rand.Rand) []float64 { return levels(rng, 0.03, 20, 1, 1.1, 1.2, 1.3) }, 1},
		{"counts", func(*rand.Rand) []float64 { return append(make([]float64, 40), 1, 1, 1) }, 0},
	} {
		if testing.Short() && c.name == "four levels in 80" {
			continue
		}
		rng := rand.New(rand.NewPCG(14, 1))
		doubted := 0
		for seed := range series {
			values := c.make(rng)
			found := Find(values, seeded(seed))
			if len(found) == 0 {
				t.Errorf("%s: nothing found", c.name)
			}
			if d := Depends(values, found, seeded(seed)); d.Doubtful {
				doubted++
			}
		}
		if doubted > c.most*series/40 {
			t.Errorf("%s: doubted in %d of %d series", c.name, doubted, series)
		}
	}
}

func TestShuffleCorrelated(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	for _, rho := range []float64{0, 0.5, 0.9} {
		values := make([]float64, 20_000)
		for i := range values {
			values[i] = float64(i)
		}
		shuffleCorrelated(rng, rho, values)
		middle, product, square, sum := float64(len(values)-1)/2, 0.0, 0.0, 0.0
		for i, v := range values {
			sum += v
			square += (v - middle) * (v - middle)
			if i > 0 {
				product += (v - middle) * (values[i-1] - middle)
			}
		}
		// Spearman's coefficient of a normal pair is 6/π·asin(ρ/2).
		if want := 6 / math.Pi * math.Asin(rho/2); math.Abs(product/square-want) > 0.03 ||
			sum != middle*20_000 {
			t.Errorf("rho %v: %v, want %v", rho, product/square, want)
		}
	}
}
