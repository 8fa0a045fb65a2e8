package pace

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"
)

// signalsSleep signals when it sleeps.
type signalsSleep struct {
	timer
	asleep chan<- struct{}
}

func (t signalsSleep) sleep(at int64, called *atomic.Uint32) {
	select {
	case t.asleep <- struct{}{}:
	default:
	}
	t.timer.sleep(at, called)
}

// Whatever the distribution of the lateness, 19 of 20 sleeps must end within the lead, up to
// maxLead.
func TestLead(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		name string
		late func() float64 // µs
		most bool
	}{
		{"even", func() float64 { return 40 * random.Float64() }, false},
		{"exponential", func() float64 { return 5 * random.ExpFloat64() }, false},
		{"two ways", func() float64 {
			if random.IntN(10) == 0 {
				return 30 + random.Float64()
			}
			return 2 + random.Float64()
		}, false},
		{"slow", func() float64 { return 500 + 100*random.Float64() }, true},
	} {
		n := newNap(time.Now(), nil, maxLead)
		const warm, count = 5_000, 100_000
		within := 0
		for i := range warm + count {
			late := int64(1000 * c.late())
			if i >= warm && late <= n.lead {
				within++
			}
			n.learn(late)
		}
		if share := float64(within) / count; !c.most && (share < 0.93 || share > 0.97) {
			t.Errorf("%s: %.3f of the sleeps end within the lead, want 0.95", c.name, share)
		}
		if c.most != (n.lead == maxLead) {
			t.Errorf("%s: the lead is %v, the most is %v", c.name, time.Duration(n.lead),
				time.Duration(maxLead))
		}
		before := n.lead
		if n.learn(-1); n.lead != before {
			t.Errorf("%s: a sleep that was cut short changed the lead", c.name)
		}
	}
}

// If all waits are shorter than the lead, it must shrink until there are sleeps to measure.
func TestLeadOfShortWaits(t *testing.T) {
	slept := 0
	n := newNap(time.Now(), counts{&slept}, maxLead)
	for waits := 0; slept == 0; waits++ {
		if waits == 10_000 {
			t.Fatalf("no sleep in %d waits, and the lead is %v", waits, time.Duration(n.lead))
		}
		n.until(n.now() + int64(20*time.Microsecond))
	}
}

type counts struct{ slept *int }

func (c counts) sleep(int64, *atomic.Uint32) { *c.slept++ }
func (c counts) wake(*atomic.Uint32)         {}
func (c counts) close()                      {}
