package attack_test

import (
	"context"
	"errors"
	"math"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/machine/race"
	"github.com/poolbench/poolbench/internal/progress"
)

func unsteady() http.HandlerFunc {
	var n atomic.Int64
	return func(w http.ResponseWriter, _ *http.Request) {
		i := n.Add(1)
		time.Sleep(time.Duration(i%7+1) * time.Millisecond)
		switch {
		case i%100 == 0:
			w.WriteHeader(http.StatusInternalServerError)
		case i%90 == 0:
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}
}

// Without records, results must be the same, except for 0.1 % in quantiles.
func TestSoak(t *testing.T) {
	for name, a := range map[string]attack.Attack{
		"workers": {Rate: 100, Tasks: 6000},
		"through": {Rate: 100, Duration: time.Minute, Strategy: strategy(t, "retry_queue"),
			Limit: 3, Arrival: arrival(t, "poisson")},
		"abandoned": {Rate: 1000, Duration: 5 * time.Second, MaxInFlight: 2, Drain: time.Second},
	} {
		if testing.Short() && name == "workers" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			whole := inBubbleOf(t, a, unsteady)
			a.Soak = true
			var p progress.Tracker
			p.SoFar()
			var soak *attack.Report
			synctest.Test(t, func(t *testing.T) {
				soak = bubbled(t, progress.NewContext(t.Context(), &p), a, unsteady())
				time.Sleep(time.Hour) // until abandoned handlers have ended
			})
			if soak.Name != whole.Name || soak.Tasks != whole.Tasks || soak.Cut != whole.Cut {
				t.Errorf("%s of %d requests is as a soak %s of %d", whole.Name, whole.Tasks,
					soak.Name, soak.Tasks)
			}
			if diff := cmp.Diff(whole.Statuses, soak.Statuses); diff != "" {
				t.Error(diff)
			}
			if len(whole.Windows) == 0 || !slices.Equal(soak.Windows, whole.Windows) {
				t.Errorf("%d windows are %d as a soak, or differ", len(whole.Windows),
					len(soak.Windows))
			}
			told := 0
			for _, m := range soak.Metrics {
				want, ok := whole.Metric(m.Unit)
				near := 1e-9
				switch {
				case strings.HasPrefix(strings.TrimPrefix(m.Unit, "due-"), "p") &&
					strings.HasSuffix(m.Unit, "-sec"):
					near = 1e-3
				case m.Unit == "mean-wait-low-sec", m.Unit == "mean-wait-high-sec":
					near = 0.02 // batch boundaries differ
				case m.Unit == "verdict", m.Unit == "quantile-error":
					continue // a soak makes fewer checks, and only a soak has a quantile error
				}
				if told++; !ok || math.Abs(m.Value-want) > near*math.Abs(want) {
					t.Errorf("%s is %v, and %v (%v) where records are kept", m.Unit, m.Value, want,
						ok)
				}
			}
			if told < 20 {
				t.Errorf("a soak tells %d metrics alone", told)
			}
			soFar := p.SoFar()
			if soFar == nil || soFar.Name != whole.Name || soFar.Tasks == 0 ||
				soFar.Tasks >= whole.Tasks || soFar.Verdict != result.Suspect {
				t.Errorf("so far it says %+v", soFar)
			}
		})
	}
}

// An interrupted soak must continue its plan and list its gaps, any number of times.
func TestSoakGoesOn(t *testing.T) {
	for name, a := range map[string]attack.Attack{
		"requests": {Rate: 100, Tasks: 6000, Arrival: arrival(t, "poisson")},
		"time":     {Rate: 100, Duration: time.Minute, Strategy: strategy(t, "worker_pool")},
		"to the end": {Rate: 100, Tasks: 6000, Drain: time.Nanosecond,
			Strategy: strategy(t, "worker_pool")},
	} {
		if testing.Short() && name != "requests" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			a.Soak = true
			whole := inBubbleOf(t, a, unsteady)
			for at := 10 * time.Second; at < 80*time.Second; at += 25 * time.Second {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancelCause(t.Context())
					defer time.AfterFunc(at, func() { cancel(errors.New("enough")) }).Stop()
					a.Before = bubbled(t, ctx, a, unsteady()).Result
					time.Sleep(time.Hour) // until abandoned handlers have ended
				})
			}
			r, missing := a.Before, 0
			for _, reason := range r.Reasons {
				if reason.Check == "gap" {
					for _, gap := range regexp.MustCompile(`(\d+) tasks? due from`).
						FindAllStringSubmatch(reason.Text, -1) {
						n, _ := strconv.Atoi(gap[1])
						missing += n
					}
				}
				if reason.Check == "unfinished" {
					t.Errorf("it is over: %v", reason)
				}
			}
			if missing == 0 || r.Tasks+missing != whole.Tasks || r.Verdict != result.Suspect {
				t.Errorf("%d requests and %d that are missing, of %d: %v", r.Tasks, missing,
					whole.Tasks, r.Reasons)
			}
			arrived, completed := 0, 0
			for _, v := range r.Timeline {
				arrived += v.Arrived
				completed += v.Completed
			}
			for _, w := range r.Windows {
				h, err := hdrhistogram.Decode([]byte(w.Histogram))
				if err != nil {
					t.Fatal(err)
				}
				completed -= int(h.TotalCount())
			}
			if completed != 0 || len(r.Windows) < 40 {
				t.Errorf("%d windows lack %d responses", len(r.Windows), completed)
			}
			if arrived != r.Tasks {
				t.Errorf("%d arrived in its course, and it has %d requests", arrived, r.Tasks)
			}
		})
	}
}

func TestSoakCut(t *testing.T) {
	why := errors.New("enough")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(5050*time.Millisecond, func() { cancel(why) })
		a := attack.Attack{Rate: 10, Duration: 100 * time.Hour, Soak: true}
		report := bubbled(t, ctx, a, func(_ http.ResponseWriter, r *http.Request) {})
		if !errors.Is(report.Cut, why) || report.Tasks != 50 ||
			report.Reasons[0].Check != "unfinished" {
			t.Errorf("cut %v, %d requests: %v", report.Cut, report.Tasks, report.Reasons)
		}
	})
}

// A soak must fail if a request hangs while millions of later ones end.
func TestSoakHoldsNoMore(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	if race.Enabled {
		t.Skip("two million requests take ten seconds under the race detector")
	}
	synctest.Test(t, func(t *testing.T) {
		listener := &pipes{make(chan net.Conn), make(chan struct{})}
		defer close(listener.closed) // no server answers or accepts
		a := attack.Attack{Requests: []attack.Request{{Method: "GET", URL: "http://127.0.0.1/"}},
			Rate: 1e5, Tasks: 3_000_000, Arrival: arrival(t, "bulk:n=10000"), Soak: true,
			Strategy: strategy(t, "bounded_queue_shed"), Limit: 1, Queue: 1, Timeout: time.Hour}
		report, err := attack.Run(t.Context(), a.Virtual(listener.dial))
		if err == nil || !strings.Contains(err.Error(), "not done after 2097152 later tasks were due") {
			t.Errorf("error %v, report %+v", err, report)
		}
	})
}

// Agents of a soak send sums instead of records.
func TestSoakShares(t *testing.T) {
	a := sharedAttack("poisson")
	merge := func() *attack.Report {
		t.Helper()
		shares := shared(t, a, 2)
		whole := a
		whole.Requests = []attack.Request{{Method: "GET", URL: "http://127.0.0.1/"}}
		whole.Agents = 2
		if w, err := whole.Encode().Attack(); err != nil || w.Soak != a.Soak {
			t.Errorf("in words it is another attack: %v", err)
		}
		for _, g := range shares {
			summed, recorded := g.Share.Summed != nil, g.Share.Records != nil
			if summed != a.Soak || recorded == a.Soak {
				t.Errorf("sums %v, records %v; a soak: %v", summed, recorded, a.Soak)
			}
		}
		r, err := whole.Merge(shares, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	exact := merge()
	a.Soak = true
	soak := merge()
	if soak.Tasks != exact.Tasks || cmp.Diff(soak.Statuses, exact.Statuses) != "" {
		t.Errorf("%d requests, want %d, %v, want %v", soak.Tasks, exact.Tasks, soak.Statuses,
			exact.Statuses)
	}
	for _, unit := range []string{"p99-response-sec", "max-service-sec", "throttled/op",
		"mean-response-sec"} {
		got, ok := soak.Metric(unit)
		if want, _ := exact.Metric(unit); !ok || math.Abs(got-want) > 0.001*want {
			t.Errorf("%s is %v (%v), want %v", unit, got, ok, want)
		}
	}
}

func TestLongAttack(t *testing.T) {
	get := []attack.Request{{Method: "GET", URL: "http://127.0.0.1/"}}
	long := attack.Attack{Requests: get, Rate: 100_000, Duration: 24 * time.Hour}
	if err := long.Validate(); err != nil {
		t.Error(err)
	}
	for _, a := range []attack.Attack{
		{Requests: get, Clients: 3, Tasks: 10, Soak: true},
		{Requests: get, Arrival: arrival(t, "batch"), Tasks: 10, Soak: true},
	} {
		if err := a.Validate(); err == nil || !strings.Contains(err.Error(), "soak: want an open") {
			t.Errorf("%+v: %v", a, err)
		}
	}
}
