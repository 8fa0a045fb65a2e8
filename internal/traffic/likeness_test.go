package traffic

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/traffic/traces"
)

// Processes must be recognized with other seeds, and with settings between those of the search.
func TestClosest(t *testing.T) {
	for text, want := range map[string]string{
		"constant": "constant", "poisson": "poisson", "bulk:n=28": "bulk:n=30",
		"onoff:on=130ms,off=510ms": "onoff", "onoff:on=1.3s,off=7s": "onoff",
		// with few tasks per burst, the two processes are indistinguishable
		"mmpp:ratio=9,high=1.1s,low=4s": "mmpp|onoff", "sine:period=370s,amp=0.8": "sine", "sine:period=70s,amp=0.35": "sine",
		"sine:period=113s,amp=0.6,phase=0.3": "sine:period=1m50s,amp=0.60,phase=0.30",
	} {
		for _, seed := range []uint64{3, 4} {
			got, ok := Closest(generated(t, text, 87, 31_000, seed))
			name, _, _ := strings.Cut(got.Arrival, ":")
			if got.Arrival != want && !slices.Contains(strings.Split(want, "|"), name) ||
				!ok || got.Factor > 2 {
				t.Errorf("%s resembles %+v, %v", text, got, ok)
			}
		}
	}
	// hundreds of simultaneous tasks, then an idle hour: no built-in process is similar
	var due []traces.Record
	for burst := range int64(12) {
		for i := range int64(300) {
			due = append(due, traces.Record{At: burst*int64(time.Hour) + i*1000})
		}
	}
	if got, ok := Closest(due); ok && got.Factor < 2 {
		t.Errorf("bursts by the hour resemble %+v", got)
	}
	if got, ok := Closest(due[:100]); ok {
		t.Errorf("100 tasks resemble %+v", got)
	}
}
