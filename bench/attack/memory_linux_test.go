package attack_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/machine/race"
)

// A request in flight and its connection may use 64 KiB. The server runs in another process and
// answers after 3 s.
func TestMemoryInFlight(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	if race.Enabled {
		t.Skip("the race detector takes memory of its own")
	}
	const n, most = 1500, 64 << 10
	for name, c := range map[string]struct {
		scheme string
		attack.Attack
	}{
		"http": {"http", attack.Attack{}}, "https": {"https", attack.Attack{Insecure: true}},
		"h2c":   {"http", attack.Attack{H2C: true}},
		"http2": {"https", attack.Attack{HTTP2: true, Insecure: true}},
	} {
		url := startServerProcess(t, "slow"+c.scheme)
		used := func() uint64 { // excludes garbage
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapInuse + m.StackInuse
		}
		before, all := used(), uint64(0)
		a := c.Attack
		a.Requests, a.Rate, a.Tasks = []attack.Request{{Method: "GET", URL: url}}, 1000, n
		a.Drain = time.Minute
		a.Watch = func(p attack.Progress) {
			if p.Settled == 0 { // the last value is after all handshakes
				all = used()
			}
		}
		r, err := attack.Run(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		inFlight := metric(t, r, "peak-inflight")
		each := float64(max(all, before)-before) / inFlight
		if t.Logf("%s: %.0f in flight, %.1f kB each", name, inFlight, each/1000); each > most ||
			inFlight < n/2 {
			t.Errorf("%s: %.0f requests in flight take %.0f bytes each, of %d at most", name,
				inFlight, each, most)
		}
	}
}
