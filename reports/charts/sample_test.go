package charts

import (
	"math"
	"math/rand/v2"
)

var strategyNames = []string{"bounded_queue_shed", "errgroup_limit", "semaphore", "serial",
	"unbounded", "worker_pool"}

var sampleLoads = []float64{0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95}

// sampleResponse returns a quantile similar to M/M/4 with a mean service time of 10 ms. Three
// strategies are equal, as under the virtual clock.
func sampleResponse(strategy int, load, q float64) float64 {
	t := -math.Log(1-q) * 0.010
	wait := 0.010 / (4 * (1 - load)) * -math.Log(1-q) * load * load
	switch strategy {
	case 0: // sheds, so few tasks wait
		return t + wait*0.5
	case 3: // one task at a time: four times the load
		return t + 0.6*load/(0.98-load)*0.08*-math.Log(1-q)
	case 4:
		return t
	}
	return t + wait
}

func samplePanels() (panels []Panel) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, q := range []struct {
		name string
		q    float64
	}{{"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}} {
		p := Panel{Title: q.name + " response"}
		noise := make([]float64, len(sampleLoads))
		for i := range noise {
			noise[i] = 1 + 0.1*r.Float64()
		}
		for i, name := range strategyNames {
			s := Series{Name: name, Style: i}
			for j, load := range sampleLoads {
				y := sampleResponse(i, load, q.q)
				s.X, s.Y = append(s.X, load), append(s.Y, y)
				s.Lo, s.Hi = append(s.Lo, y/noise[j]/1.04), append(s.Hi, y*noise[j]*1.04)
			}
			p.Series = append(p.Series, s)
			if i == 0 || i > 2 && i < 5 {
				continue
			}
			t := Series{Name: name, Style: i, X: s.X, Theory: true}
			for j := range s.Y {
				t.Y = append(t.Y, s.Y[j]*(1+0.02*float64(j%2)))
			}
			p.Series = append(p.Series, t)
		}
		panels = append(panels, p)
	}
	return panels
}
