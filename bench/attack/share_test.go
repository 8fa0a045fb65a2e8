package attack_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
)

// Shares must contain each request once, at the same nanosecond, and have similar sizes.
func TestSharesAreThePlan(t *testing.T) {
	for _, spec := range arrivals.All() {
		if spec.Closed != nil || spec.Tasks != nil { // a file gives the number of tasks
			continue
		}
		a := attack.Attack{Arrival: arrivals.MustParse(spec.Name), Tasks: 20_000, Seed: 3}
		if a.Arrival.TakesRate() {
			a.Rate = 1000
		}
		_, whole := a.Dues()
		const agents = 7
		got := make([]int64, len(whole))
		seen := make([]bool, len(whole))
		for k := range agents {
			a.Agents, a.Agent = agents, k
			seqs, dues := a.Dues()
			// 20,000/7 ± 5 standard deviations of a binomial distribution
			if n := len(seqs); n < 2857-248 || n > 2857+248 {
				t.Errorf("%s: agent %d has %d of 20000 requests", spec.Name, k, n)
			}
			for i, seq := range seqs {
				if seen[seq] {
					t.Fatalf("%s: request %d is sent twice", spec.Name, seq)
				}
				if spec.Name == "constant" && int(seq)%agents != k {
					t.Fatalf("request %d is agent %d's", seq, k)
				}
				seen[seq], got[seq] = true, dues[i]
			}
		}
		if slices.Contains(seen, false) || !slices.Equal(got, whole) {
			t.Errorf("%s: the shares are not the plan", spec.Name)
		}
	}
}

func answers(w http.ResponseWriter, r *http.Request) {
	at := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(1, at))
	time.Sleep(time.Duration(random.Int64N(int64(20 * time.Millisecond))))
	if at%13 == 0 {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// shared runs the attack under the virtual clock by several agents.
func shared(t *testing.T, a attack.Attack, agents int) (shares []attack.Agent) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		listener := &pipes{make(chan net.Conn), make(chan struct{})}
		server := &http.Server{Handler: http.HandlerFunc(answers)}
		done := make(chan struct{})
		go func() {
			defer close(done)
			if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				t.Error(err)
			}
		}()
		a.Requests = []attack.Request{{Method: "GET", URL: "http://127.0.0.1/"}}
		a.Agents = agents
		shares = make([]attack.Agent, agents)
		var all sync.WaitGroup
		for k := range agents {
			one := a
			one.Agent = k
			all.Go(func() {
				s, err := attack.RunShare(t.Context(), one.Virtual(listener.dial))
				if err != nil {
					t.Error(err)
				}
				shares[k] = attack.Agent{Name: fmt.Sprintf("agent %d", k), Share: s}
			})
		}
		all.Wait()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-done
		time.Sleep(time.Hour)
	})
	return shares
}

// encodeDecode returns the share after an encoding round trip.
func encodeDecode(t *testing.T, s *attack.Share) *attack.Share {
	t.Helper()
	data, err := s.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	var read attack.Share
	if err := read.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	for cut := range min(len(data), 300) {
		if err := new(attack.Share).UnmarshalBinary(data[:cut]); err == nil {
			t.Fatalf("%d of %d bytes are a share", cut, len(data))
		}
	}
	return &read
}

// sharedAttack has no limit, so one generator and several give the server the same load.
func sharedAttack(arrival string) attack.Attack {
	return attack.Attack{Arrival: arrivals.MustParse(arrival), Rate: 200,
		Duration: 20 * time.Second, MaxInFlight: attack.Unlimited, Seed: 5,
		Start: time.Date(2000, 1, 1, 0, 0, 1, 0, time.UTC)} // 1 s after the start of a bubble
}

// Several agents must give the same merged result as one generator.
func TestMergeIsOneGenerator(t *testing.T) {
	all := []string{"poisson", "constant", "bulk:n=5", "sine"}
	for i, arrival := range all {
		if testing.Short() && i%3 != 0 {
			continue
		}
		a := sharedAttack(arrival)
		a.Trace = 0.2
		alone := inBubble(t, a, answers)
		for _, agents := range []int{1, 2, 5} {
			shares := shared(t, a, agents)
			for k := range shares {
				shares[k].Share = encodeDecode(t, shares[k].Share)
			}
			a := a
			a.Requests = []attack.Request{{Method: "GET", URL: "http://127.0.0.1/"}}
			a.Agents = agents
			merged, err := a.Merge(shares, false, nil)
			if err != nil {
				t.Fatal(err)
			}
			if want := alone.Name + fmt.Sprintf("/agents=%d", agents); strings.Replace(
				merged.Name, "/clock=real", "", 1) != strings.Replace(want, "/clock=real", "", 1) {
				t.Errorf("the name is %s, want %s", merged.Name, want)
			}
			if !reflect.DeepEqual(metrics(merged), metrics(alone)) {
				t.Errorf("%s, %d agents:\n%v, alone\n%v", arrival, agents, merged.Metrics,
					alone.Metrics)
			}
			if !reflect.DeepEqual(readings(merged), readings(alone)) ||
				!reflect.DeepEqual(merged.Timeline, alone.Timeline) ||
				!reflect.DeepEqual(merged.Windows, alone.Windows) ||
				!reflect.DeepEqual(merged.Statuses, alone.Statuses) {
				t.Errorf("%s, %d agents: distributions, timeline or statuses differ", arrival,
					agents)
			}
			if len(alone.Traced) != 50 || responses(merged.Traced) != responses(alone.Traced) {
				t.Errorf("%s, %d agents: the slowest that carry a trace differ", arrival, agents)
			}
			if merged.Verdict != alone.Verdict {
				t.Errorf("%s, %d agents: %v %v, alone %v", arrival, agents, merged.Verdict,
					merged.Reasons, alone.Verdict)
			}
		}
	}
}

func responses(all []attack.Slow) string {
	var b strings.Builder
	for _, t := range all {
		fmt.Fprintln(&b, t.Response())
	}
	return b.String()
}

// metrics omits metrics that depend on the order of simultaneous events or on connections, because
// each agent has its own.
func metrics(r *attack.Report) []result.Metric {
	return slices.DeleteFunc(slices.Clone(r.Metrics), func(m result.Metric) bool {
		return m.Unit == "peak-inflight" || strings.Contains(m.Unit, "connect")
	})
}

// readings omits distributions that depend on connections.
func readings(r *attack.Report) []result.Reading {
	return slices.DeleteFunc(slices.Clone(r.Readings), func(of result.Reading) bool {
		return of.Of == "connect"
	})
}

// A missing or inconsistent share must make the report INVALID and name the agent.
func TestMergeNames(t *testing.T) {
	a := sharedAttack("poisson")
	good := shared(t, a, 3)
	a.Requests = []attack.Request{{Method: "GET", URL: "http://127.0.0.1/"}}
	a.Agents = 3
	for _, c := range []struct {
		what    string
		damage  func(g *attack.Agent)
		allow   bool
		verdict result.Verdict
		says    string
	}{
		{"counts more outcomes", func(g *attack.Agent) { g.Share.Outcomes[record.Completed]++ },
			false, result.Invalid, "agent 1: it counted"},
		{"turns failures into successes", func(g *attack.Agent) {
			g.Share.Outcomes[record.Completed] += g.Share.Outcomes[record.Throttled]
			g.Share.Outcomes[record.Throttled] = 0
		}, false, result.Invalid, "agent 1: it counted"},
		{"counts more statuses", func(g *attack.Agent) {
			g.Share.Statuses = append(g.Share.Statuses, attack.Count{What: "200", N: 9999})
		}, false, result.Invalid, "agent 1: it counted"},
		{"counts another time", func(g *attack.Agent) { g.Share.Busy++ }, false, result.Invalid,
			"agent 1: it counted"},
		{"sends another plan", func(g *attack.Agent) { g.Share = good[2].Share }, false,
			result.Invalid, "it sent another plan"},
		{"ended early", func(g *attack.Agent) {
			r := g.Share.Records[0]
			cut := record.New(10)
			g.Share.Busy, g.Share.Outcomes, g.Share.Requests = 0, [6]int{}, 10
			for i := range uint64(10) {
				*cut.Add(0) = *r.At(i)
				g.Share.Outcomes[r.At(i).Outcome]++
				g.Share.Busy += r.At(i).Busy
			}
			g.Share.Statuses, g.Share.Records = nil, []record.Log{cut}
			g.Share.Cut = "interrupted"
		}, false, result.Invalid, "agent 1: it ended before its plan: interrupted"},
		{"is lost", func(g *attack.Agent) { g.Share, g.Lost = nil, "silent for 5s" }, false,
			result.Invalid, "agent 1 was lost: silent for 5s"},
		{"may be lost", func(g *attack.Agent) { g.Share, g.Lost = nil, "silent for 5s" }, true,
			result.Suspect, "% of the plan"},
	} {
		agents := slices.Clone(good)
		s := *encodeDecode(t, good[1].Share)
		agents[1].Share = &s
		c.damage(&agents[1])
		r, err := a.Merge(agents, c.allow, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		said := fmt.Sprint(r.Reasons)
		if r.Verdict != c.verdict || !strings.Contains(said, c.says) {
			t.Errorf("%s: %v, %s; want %v and %q", c.what, r.Verdict, said, c.verdict, c.says)
		}
		if offered, _ := r.Metric("offered-ops/s"); c.allow {
			want := float64(good[0].Share.Requests+good[2].Share.Requests) / 20
			if offered < 0.99*want || offered > 1.01*want {
				t.Errorf("%v a second were offered, want %v", offered, want)
			}
		}
	}
	if _, err := a.Merge([]attack.Agent{{Name: "a", Lost: "x"}, {Name: "b"}, {Name: "c"}}, true,
		nil); err == nil || !strings.Contains(err.Error(), "no agent is left") {
		t.Errorf("all are lost: %v", err)
	}
}

func TestSharedClients(t *testing.T) {
	a := attack.Attack{Clients: 5, Tasks: 101, Seed: 1}
	shares := shared(t, a, 2)
	a.Requests = []attack.Request{{Method: "GET", URL: "http://127.0.0.1/"}}
	a.Agents = 2
	r, err := a.Merge(shares, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Tasks != 101 || shares[0].Share.Requests != 51 || len(shares[0].Share.Records) != 3 {
		t.Errorf("%d requests, %d of them by the first agent's %d clients; want 101, 51 and 3",
			r.Tasks, shares[0].Share.Requests, len(shares[0].Share.Records))
	}
}

func TestMergeSummed(t *testing.T) {
	a := sharedAttack("poisson")
	shares := shared(t, a, 2)
	a.Requests, a.Agents = []attack.Request{{Method: "GET", URL: "http://127.0.0.1/"}}, 2
	exact, err := a.Merge(shares, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.SumUp(shares[1].Share); err != nil { // another agent may still send records
		t.Fatal(err)
	}
	merged, err := a.Merge(shares, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	if merged.Tasks != exact.Tasks || !reflect.DeepEqual(merged.Readings, exact.Readings) ||
		len(exact.Windows) < 50 || !slices.Equal(merged.Windows, exact.Windows) {
		t.Errorf("%d requests, want %d; or their distributions differ", merged.Tasks, exact.Tasks)
	}
	for _, m := range merged.Metrics {
		want, ok := exact.Metric(m.Unit)
		if !ok {
			t.Errorf("%s is only in the sum", m.Unit)
		}
		off := 0.001 // summed values have three digits
		if m.Unit == "offered-ops/s" || m.Unit == "ops/s" || m.Unit == "ns/op" {
			off = 0.002 // a share ends with its last request, a little before the plan
		}
		if math.Abs(m.Value-want) > off*math.Abs(want) {
			t.Errorf("%s is %v, want %v", m.Unit, m.Value, want)
		}
	}
	for _, unit := range []string{"p99-response-sec", "max-service-sec", "mean-wait-sec",
		"throttled/op", "ops/s", "makespan-sec", "verdict"} {
		if _, ok := merged.Metric(unit); !ok {
			t.Errorf("%s is missing", unit)
		}
	}
}

// Doubts about many agents must be combined.
func TestDoubtsOfManyAgents(t *testing.T) {
	var agents []attack.Agent
	for k := range 200 {
		g := attack.Agent{Name: fmt.Sprintf("host-%d", k), Lost: "silent"}
		if k >= 50 {
			g.Share = &attack.Share{Reasons: []result.Reason{{Verdict: result.Invalid, Check: "lag",
				Text: fmt.Sprintf("late by %d ms", k)}}}
		}
		agents = append(agents, g)
	}
	got := fmt.Sprint(attack.DoubtsOf(agents))
	for _, want := range []string{"host-0 was lost: silent; its share is missing; and 49 more of 200 " +
		"agents", "host-50: late by 50 ms; and 149 more of 200 agents"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
	if n := len(attack.DoubtsOf(agents)); n != 2 {
		t.Errorf("%d doubts: %s", n, got)
	}
	if n := len(attack.DoubtsOf(agents[48:53])); n != 5 {
		t.Errorf("of five agents there are %d doubts", n)
	}
}
