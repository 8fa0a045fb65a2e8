package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
)

// quick is a Timing for tests. Lost is long, because busy machines delay heartbeats.
var quick = Timing{Wait: 20 * time.Second, Call: 20 * time.Millisecond,
	Ahead: 300 * time.Millisecond, Beat: 50 * time.Millisecond, Silent: 2 * time.Second,
	Lost: 3 * time.Second}

func planned(agents int) attack.Attack {
	return attack.Attack{Requests: []attack.Request{{Method: "GET", URL: "http://127.0.0.1/"}},
		Arrival: arrivals.MustParse("poisson"), Rate: 5000, Tasks: 2000, Seed: 1, Agents: agents}
}

// pretend simulates an attack in which each request is answered after a millisecond.
func pretend(ctx context.Context, a attack.Attack) (*attack.Share, error) {
	s := &attack.Share{Began: a.Start, Peak: 1}
	var l record.Log
	last := int64(0)
	err := a.EachDue(func(due int64) {
		const took = int64(time.Millisecond)
		r := l.Add(due)
		r.Issue = due
		r.Attempt(due, took)
		last = due + took
		r.Settle(record.Completed, last)
		s.Busy += took
		s.Requests++
	})
	if err != nil {
		return nil, err
	}
	s.Outcomes[record.Completed] = s.Requests
	s.Statuses = []attack.Count{{What: "200", N: s.Requests}}
	if s.Requests > 0 {
		s.Records = []record.Log{l}
	}
	select {
	case <-time.After(time.Until(a.Start.Add(time.Duration(last)))):
		return s, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// serve runs an agent until end is called.
func (s *stage) serve(id string, change func(*Agent)) (end func()) {
	s.Helper()
	a := Agent{Conn: s.connect(), Self: testMember("host-"+id, id), Attack: pretend, Say: s.say,
		Timing: quick}
	if change != nil {
		change(&a)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.Serve(ctx) }()
	end = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			s.Error(err)
		}
	})
	s.Cleanup(end)
	return end
}

func (s *stage) load(agents int) Load {
	s.Helper()
	return Load{Conn: s.connect(), Self: testMember("here", "load"), Attack: planned(agents),
		Say: s.say, Timing: quick}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, id := range []string{"a", "b", "c", "idle"} {
		s.serve(id, nil)
	}
	l := s.load(3)
	for range 2 { // an agent is free for the next load
		r, err := l.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r.Tasks != 2000 || len(r.Agents) != 3 || len(r.Broken) > 0 || r.Statuses[0].N != 2000 {
			t.Errorf("%d requests by %d agents, broken laws %q", r.Tasks, len(r.Agents), r.Broken)
		}
		for _, g := range r.Agents {
			if g.Share.Requests < 500 || g.OffsetError <= 0 || len(g.Doubts) > 0 {
				t.Errorf("%s: %v", g, g.Doubts)
			}
		}
		if len(r.Result.Agents) != 3 || !strings.Contains(r.Result.Agents[0], "host-") {
			t.Errorf("lines about agents: %q", r.Result.Agents)
		}
	}
}

// An agent without requests ends before the plan starts, which is valid.
func TestIdleAgents(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, id := range []string{"a", "b"} {
		s.serve(id, func(a *Agent) {
			a.Attack = func(ctx context.Context, k attack.Attack) (*attack.Share, error) {
				n := 0
				if err := k.EachDue(func(int64) { n++ }); n > 0 || err != nil {
					return pretend(ctx, k)
				}
				return &attack.Share{Began: k.Start}, nil
			}
		})
	}
	l := s.load(2)
	l.Attack.Tasks = 1
	r, err := l.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range r.Agents {
		if len(g.Doubts) > 0 {
			t.Errorf("%s, %d requests: %v", g, g.Share.Requests, g.Doubts)
		}
	}
}

// The report must name each faulty agent, and the fault must affect the verdict.
func TestBrokenAgents(t *testing.T) {
	t.Parallel()
	changed := func(change func(*attack.Share)) func(*Agent) {
		return func(a *Agent) {
			a.Attack = func(ctx context.Context, k attack.Attack) (*attack.Share, error) {
				share, err := pretend(ctx, k)
				if err == nil {
					change(share)
				}
				return share, err
			}
		}
	}
	for _, c := range []struct {
		name    string
		change  func(*Agent)
		allow   bool
		verdict result.Verdict
		says    string
	}{
		{"late", changed(func(s *attack.Share) { s.Late = 50 * time.Millisecond }), false,
			result.Suspect, "the start command reached the agent 50ms too late"},
		{"very late", changed(func(s *attack.Share) { s.Late = time.Second }), false,
			result.Invalid, "the start command reached the agent 1s too late"},
		{"slow", changed(func(s *attack.Share) {
			s.Verdict = result.Invalid
			s.Reasons = []result.Reason{{Verdict: result.Invalid, Check: "lag",
				Text: "the generator was late"}}
		}), false, result.Invalid, "the generator was late"},
		{"lying", changed(func(s *attack.Share) { s.Outcomes[record.Completed]++ }), false,
			result.Invalid, "it counted"},
		{"of another plan", func(a *Agent) {
			a.Attack = func(ctx context.Context, k attack.Attack) (*attack.Share, error) {
				k.Seed++
				return pretend(ctx, k)
			}
		}, false, result.Invalid, "it sent another plan"},
		{"ahead of time", changed(func(s *attack.Share) {
			last := s.Records[0].At(uint64(s.Requests - 1))
			last.Settle(record.Completed, int64(time.Hour))
		}), false, result.Invalid, "ahead of the elapsed time"},
		{"of a clock that is not steady", func(a *Agent) {
			var jumped atomic.Bool
			a.clock = func() time.Time {
				if jumped.Load() {
					return time.Now().Add(time.Minute)
				}
				return time.Now()
			}
			a.Attack = func(ctx context.Context, k attack.Attack) (*attack.Share, error) {
				share, err := pretend(ctx, k)
				jumped.Store(true)
				return share, err
			}
		}, false, result.Invalid, "its clock differed by"},
		{"failing", func(a *Agent) {
			a.Attack = func(context.Context, attack.Attack) (*attack.Share, error) {
				return nil, errors.New("nobody answers")
			}
		}, false, result.Invalid, "was lost: nobody answers; its share is missing"},
		{"failing, which is allowed", func(a *Agent) {
			a.Attack = func(context.Context, attack.Attack) (*attack.Share, error) {
				return nil, errors.New("nobody answers")
			}
		}, true, result.Suspect, "% of the plan"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.serve("good", nil)
			s.serve("bad", c.change)
			l := s.load(2)
			l.AllowLost = c.allow
			r, err := l.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			said := fmt.Sprint(r.Reasons)
			if r.Verdict < c.verdict || !strings.Contains(said, "host-bad") ||
				!strings.Contains(said, c.says) || strings.Contains(said, "host-good") {
				t.Errorf("%v %s; want %v of host-bad, and %q", r.Verdict, said, c.verdict, c.says)
			}
		})
	}
}

// A constant clock error must not matter, because the offset is measured.
func TestWrongClock(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.serve("a", nil)
	s.serve("b", func(a *Agent) {
		a.wall = func() time.Time { return time.Now().Add(-time.Hour) }
	})
	r, err := s.load(2).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range r.Agents {
		want := time.Duration(0)
		if strings.Contains(g.Name, "host-b") {
			want = -time.Hour
		}
		if off := (g.Offset - want).Abs(); off > g.OffsetError+clockSlack || len(g.Doubts) > 0 {
			t.Errorf("%s; want an offset of %v; %v", g, want, g.Doubts)
		}
	}
}

// The other agents must continue.
func TestLostAgent(t *testing.T) {
	for allow, want := range map[bool]result.Verdict{false: result.Invalid, true: result.Suspect} {
		t.Run(fmt.Sprint("allow=", allow), func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.serve("good", nil)
			started := make(chan struct{})
			end := s.serve("bad", func(a *Agent) {
				a.Attack = func(ctx context.Context, _ attack.Attack) (*attack.Share, error) {
					close(started)
					a.Conn.Close()
					<-ctx.Done()
					return nil, context.Cause(ctx)
				}
			})
			l := s.load(2)
			l.AllowLost = allow
			r, err := l.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			<-started
			end()
			if said := fmt.Sprint(r.Reasons); r.Verdict != want ||
				!strings.Contains(said, "host-bad (process 1) was lost: it sent no message for 3s") {
				t.Errorf("%v %s", r.Verdict, said)
			}
		})
	}
}

// An agent of a different build must be rejected.
func TestOtherAgents(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.serve("good", nil)
	s.serve("old", func(a *Agent) { a.Self.Program.Version = "0" })
	l := s.load(2)
	l.Timing.Wait = 500 * time.Millisecond
	_, err := l.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "1 of 2 agents connected within 500ms") {
		t.Errorf("%v", err)
	}
	s.waitForLine("the agent on host-old (process 1) is refused: it is 0 and not 1")
}

// Agents must stop and become free if the load dies. The report of an interrupted load must contain
// their partial results.
func TestLoadIsGone(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	began := make(chan struct{}, 8)
	endless := func(a *Agent) {
		a.Attack = func(ctx context.Context, k attack.Attack) (*attack.Share, error) {
			began <- struct{}{}
			<-ctx.Done()
			share, err := pretend(context.WithoutCancel(ctx), k)
			if err == nil {
				share.Cut = context.Cause(ctx).Error()
			}
			return share, err
		}
	}
	s.serve("a", endless)
	s.serve("b", endless)
	dying := s.load(2)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = dying.Run(t.Context()) // its connection is closed, so it must fail
	}()
	<-began
	<-began
	dying.Conn.Close()
	<-gone
	s.waitForLine(errSilent.Error())
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	interrupted := errors.New("interrupted")
	go func() {
		<-began
		<-began
		cancel(interrupted)
	}()
	r, err := s.load(2).Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if !errors.Is(r.Cut, interrupted) || r.Tasks != 2000 {
		t.Errorf("%d requests; cut short: %v", r.Tasks, r.Cut)
	}
}

// The rule applies to the sum over all agents.
func TestStopIf(t *testing.T) {
	s := newStage(t)
	for i, failed := range []int{0, 90} { // percent of an agent's requests, so 45 % in total
		s.serve(fmt.Sprint("agent-", i), func(a *Agent) {
			a.Attack = func(ctx context.Context, a attack.Attack) (*attack.Share, error) {
				if len(a.StopIf) != 1 {
					t.Errorf("the agent has the rules %v", a.StopIf)
				}
				tick := time.NewTicker(10 * time.Millisecond)
				defer tick.Stop()
				now := attack.Progress{}
				for ctx.Err() == nil {
					now.Counts = now.Counts.Plus(checks.Counts{Settled: 100, Failed: failed})
					a.Watch(now)
					<-tick.C
				}
				return nil, context.Cause(ctx)
			}
		})
	}
	l := s.load(2)
	// both agents together fail at most 90 %
	for text, wait := range map[string]time.Duration{"failed > 95% for 300ms": time.Second,
		"failed > 20% for 300ms": 20 * time.Second} {
		rule, err := checks.ParseStop(text)
		if err != nil {
			t.Fatal(err)
		}
		l.Attack.StopIf = []checks.Stop{rule}
		ctx, cancel := context.WithTimeoutCause(t.Context(), wait, errors.New("its time"))
		_, err = l.Run(ctx)
		cancel()
		stops := strings.Contains(text, "20%")
		if err == nil || strings.Contains(err.Error(), "stopped early") != stops {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A change of the system clock must be reported, but the agent must continue.
func TestClockStep(t *testing.T) {
	t.Parallel()
	for _, step := range []time.Duration{time.Hour, -time.Hour} {
		s := newStage(t)
		var began atomic.Bool
		stepping := func() time.Time {
			if began.Load() {
				return time.Now().Add(step)
			}
			return time.Now()
		}
		s.serve("steady", nil)
		s.serve("stepping", func(a *Agent) {
			a.wall = stepping
			a.Attack = func(ctx context.Context, k attack.Attack) (*attack.Share, error) {
				began.Store(true)
				return pretend(ctx, k)
			}
		})
		l := s.load(2)
		l.wall = stepping
		r, err := l.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range r.Agents {
			if len(g.Doubts) > 0 || g.Lost != "" {
				t.Errorf("%v: %s: %v", step, g, g.Doubts)
			}
		}
		sign := map[bool]string{true: "+1h", false: "-1h"}[step > 0]
		s.waitForLine("the clock of this machine was moved by " + sign)
		s.waitForLine("the clock of the agent on host-stepping (process 1) was moved by " + sign)
		if also := s.heard("host-steady"); len(also) > 0 {
			t.Error(also)
		}
	}
}
