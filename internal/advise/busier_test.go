package advise

import (
	"math/rand/v2"
	"testing"
)

// The factor estimates how much busier another such record may be: little for chance and for bursts
// of equal height, more for a wandering rate.
func TestBusier(t *testing.T) {
	const tasks = 30_000
	for shape, within := range map[string][2]float64{
		"poisson": {1, 1.1}, "on-off": {1, 1.3}, "wandering": {1.2, 2}} {
		for seed := range uint64(10) {
			plan := shapes[shape](rand.New(rand.NewPCG(seed, 3)), tasks)
			if by := plan.busier(); by < within[0] || by > within[1] {
				t.Errorf("%s, seed %d: %.3f times as busy", shape, seed, by)
			}
		}
	}
	var even, few, burst sample
	for i := range tasks {
		even.add(float64(i), 0.5)
		burst.add(float64(i/(tasks/10))*1e6, 0.5) // ten bursts
	}
	few.add(0, 1)
	few.add(3600, 50)
	for _, plan := range []sample{even, few, burst} {
		if by := plan.busier(); by != 1 {
			t.Errorf("%d tasks: %v times as busy", len(plan.due), by)
		}
	}
}
