package checks_test

import (
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/attack/checks"
)

// A condition must hold in every second of the given time, not only on average.
func TestStop(t *testing.T) {
	for _, c := range []struct {
		rule string
		// failed and throttled requests of the 100 that ended each second; -1: no request ended
		failed, throttled []int
		stops             int // the second in which the rule stops the attack; 0: none
	}{
		{"failed > 5% for 3s", []int{6, 6, 6}, []int{0, 0, 0}, 3},
		{"failed > 5% for 3s", []int{6, 6, 5, 6, 6, 6}, []int{0, 0, 0, 0, 0, 0}, 6},
		{"failed > 5% for 3s", []int{100, 100, 5, 100, 100, 5}, []int{0, 0, 0, 0, 0, 0}, 0},
		{"failed > 5% for 3s", []int{0, 0, 0, 0}, []int{100, 100, 100, 100}, 0},
		{"lost > 5% for 2s", []int{3, 3}, []int{3, 3}, 2},
		{"throttled > 0.5 for 1s", []int{0, 0, 0}, []int{50, 50, 51}, 3},
		// seconds without ended requests neither satisfy nor interrupt the condition
		{"failed > 0% for 3s", []int{1, -1, -1, 1}, []int{0, -1, -1, 0}, 4},
		{"shed > 1% for 1s", []int{9, 9}, []int{9, 9}, 0},
	} {
		rule, err := checks.ParseStop(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		w, stopped := rule.Watch(), 0
		var now checks.Counts
		for i := range c.failed {
			if c.failed[i] >= 0 {
				now.Settled += 100
				now.Failed += c.failed[i]
				now.Throttled += c.throttled[i]
			}
			why := w.Look(time.Duration(i+1)*time.Second, now)
			if why != "" && stopped == 0 {
				stopped = i + 1
				if !strings.Contains(why, c.rule) {
					t.Errorf("%s: %s", c.rule, why)
				}
			}
		}
		if stopped != c.stops {
			t.Errorf("%s of %v and %v: stopped at %d, want %d", c.rule, c.failed, c.throttled, stopped,
				c.stops)
		}
	}
}

func TestStopMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "want a rule such as failed > 5% for 10s",
		"failed > 5%":             "want a rule such as",
		"failed >= 5% for 10s":    "want a rule such as",
		"slow > 5% for 10s":       `want one of failed, throttled, shed, lost first, got "slow"`,
		"failed > 100% for 10s":   "want a share",
		"failed > -1% for 10s":    "want a share",
		"failed > many for 10s":   "want a share",
		"failed > NaN for 10s":    "want a share",
		"failed > 5% for 10":      "want a time",
		"failed > 5% for 1ms":     "want a time",
		"failed > 5% for 999999h": "want a time",
	} {
		if _, err := checks.ParseStop(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
	}
}

func FuzzStop(f *testing.F) {
	f.Add("failed > 5% for 10s", 3, 1)
	f.Add(" lost  > 0.25 for 1m0.5s ", 1, 1)
	f.Fuzz(func(t *testing.T, text string, settled, failed int) {
		s, err := checks.ParseStop(text)
		if err != nil {
			return
		}
		again, err := checks.ParseStop(s.String())
		if err != nil || again != s {
			t.Fatalf("%q is %+v, and then %+v, %v", text, s, again, err)
		}
		w := s.Watch()
		for i := range 5 {
			w.Look(time.Duration(i)*s.Every(),
				checks.Counts{Settled: i * settled, Failed: i * failed})
		}
	})
}
