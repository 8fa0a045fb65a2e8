package arrivals_test

import (
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
)

// If the level is l, exactly the clients with a number below l must be active.
func TestNextActive(t *testing.T) {
	stages, err := arrivals.ParseClientStages("10s:0..5, 4s:5, 2s:0, 3s:7..1, 1s:1, 2s:0..2")
	if err != nil {
		t.Fatal(err)
	}
	if most := arrivals.MaxClients(stages); most != 7 {
		t.Errorf("%d clients at most", most)
	}
	ends := 22 * time.Second
	for at := 50 * time.Millisecond; at < ends; at += 100 * time.Millisecond {
		s, begin := stages[0], time.Duration(0)
		for _, next := range stages[1:] {
			if at < begin+s.For {
				break
			}
			s, begin = next, begin+s.For
		}
		level := s.Level
		if s.Ramp {
			level += (s.To - s.Level) * float64(at-begin) / float64(s.For)
		}
		for i := range 8 {
			next, more := arrivals.NextActive(stages, i, at)
			if active := more && next == at; active != (level > float64(i)) {
				t.Errorf("at %v and level %v client %d is active: %t", at, level, i, active)
			}
		}
	}
	for _, c := range []struct {
		client   int
		at, want time.Duration
	}{{0, 0, 0}, {3, 0, 6 * time.Second}, {0, 15 * time.Second, 16 * time.Second},
		{6, 0, 16 * time.Second}, {1, 19 * time.Second, 21 * time.Second}} {
		if next, more := arrivals.NextActive(stages, c.client, c.at); !more || next != c.want {
			t.Errorf("client %d from %v on: %v, %t, want %v", c.client, c.at, next, more, c.want)
		}
	}
	for client, at := range map[int]time.Duration{6: 17 * time.Second, 7: 0, 0: ends} {
		if next, more := arrivals.NextActive(stages, client, at); more {
			t.Errorf("client %d is active at %v", client, next)
		}
	}
	for text, want := range map[string]string{
		"1s":            `want stages such as 30s:0..200, 2m:200; got "1s"`,
		"1s:0..2.5":     "0..2.5: want whole numbers of clients",
		"1s:0":          "at: 0x1s: every level is 0",
		"1s:1..-3":      "at: 1..-3 clients: want 1e-06 to 1e+06, or 0",
		"1s:1,0s:2":     "at: 0s: want more than 0, at most 87600h, which is ten years in all",
		"1s:1..2000000": "at: 1..2e+06 clients: want 1e-06 to 1e+06, or 0",
	} {
		if _, err := arrivals.ParseClientStages(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
