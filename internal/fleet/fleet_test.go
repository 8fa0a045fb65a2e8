package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/fleet/hub"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/workloads"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stage is a NATS server with its clients.
type stage struct {
	testing.TB
	at *hub.Local

	mu    sync.Mutex
	lines []string // reported lines
}

func newStage(t testing.TB) *stage {
	at, err := hub.StartLocal()
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{TB: t, at: at}
	t.Cleanup(func() {
		if err := at.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *stage) connect() *hub.Conn {
	s.Helper()
	conn, err := hub.Connect(s.at.Address)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(conn.Close)
	return conn
}

func (s *stage) say(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, line)
}

// waitForLine waits up to a minute for a reported line that contains the words.
func (s *stage) waitForLine(words string) {
	s.Helper()
	deadline := time.After(time.Minute)
	for {
		s.mu.Lock()
		found := slices.ContainsFunc(s.lines, func(l string) bool {
			return strings.Contains(l, words)
		})
		s.mu.Unlock()
		if found {
			return
		}
		select {
		case <-s.Context().Done():
			s.Fatalf("nobody has said %q", words)
		case <-deadline:
			s.Fatalf("nobody has said %q, but %q", words, s.lines)
		case <-time.After(time.Millisecond):
		}
	}
}

func testMember(host, id string) Member {
	return Member{ID: id, Host: host, Process: 1, Program: Program{Version: "1", Parts: "all"}}
}

func (s *stage) sweep() *Sweep {
	s.Helper()
	sweep, err := OpenSweep(s.Context(), s.connect(), testMember("here", "sweep"), 0, s.say)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		if err := sweep.Close(); err != nil {
			s.Error(err)
		}
	})
	return sweep
}

// work runs a worker until end is called.
func (s *stage) work(w Worker) (end func() error) {
	s.Helper()
	cancel, wait := s.start(w)
	return func() error { cancel(); return wait() }
}

// start runs a worker until it ends or cancel is called.
func (s *stage) start(w Worker) (cancel func(), wait func() error) {
	s.Helper()
	if w.Say = s.say; w.Conn == nil {
		w.Conn = s.connect()
	}
	if w.Slots == 0 {
		w.Slots = 2
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Work(ctx) }()
	wait = sync.OnceValue(func() error { return <-ended })
	s.Cleanup(func() { cancel(); _ = wait() }) // the error is for tests that call wait
	return cancel, wait
}

func echo(_ context.Context, sc bench.Scenario, _ time.Duration, _ func(*bench.Result)) (
	*bench.Result, error) {
	return &bench.Result{Name: sc.Name(), Seed: sc.Seed}, nil
}

func scenario(seed uint64) bench.Scenario {
	return bench.Scenario{Strategy: strategies.MustParse("worker_pool"),
		Workload: workloads.MustParse("constant"), Limit: 2, Load: bench.Load{Relative: 0.5},
		Stop: bench.Stop{Tasks: 10}, Seed: seed, Clock: bench.Virtual}
}

// runAll runs n scenarios concurrently and returns the seeds of the results.
func (s *stage) runAll(sweep *Sweep, n int) (seeds []uint64) {
	s.Helper()
	seeds = make([]uint64, n)
	var runs sync.WaitGroup
	for i := range n {
		runs.Go(func() {
			r, err := sweep.Run(s.Context(), scenario(uint64(i+1)))
			if err != nil {
				s.Errorf("run %d: %v", i, err)
				return
			}
			seeds[i] = r.Seed
		})
	}
	runs.Wait()
	return seeds
}

func upTo(n int) (seeds []uint64) {
	for i := range n {
		seeds = append(seeds, uint64(i+1))
	}
	return seeds
}

func TestSweep(t *testing.T) {
	s := newStage(t)
	sweep := s.sweep()
	var by [3]atomic.Int64
	counting := func(i int) Worker {
		return Worker{Self: testMember(fmt.Sprint("host", i), fmt.Sprint(i)),
			Run: func(ctx context.Context, sc bench.Scenario, p time.Duration,
				tell func(*bench.Result)) (*bench.Result, error) {
				by[i].Add(1)
				if i == 0 && sc.Seed == 20 {
					s.work(Worker{Self: testMember("late", "late"), Run: echo})
				}
				return echo(ctx, sc, p, tell)
			}}
	}
	s.work(counting(0))
	s.work(counting(1))
	if diff := cmp.Diff(upTo(200), s.runAll(sweep, 200)); diff != "" {
		t.Error(diff)
	}
	if n := by[0].Load() + by[1].Load(); n > 200 {
		t.Errorf("%d runs of 200 scenarios", n)
	}
}

// Another worker must repeat the run of a lost worker. A late result must not count twice.
func TestLost(t *testing.T) {
	s := newStage(t)
	sweep := s.sweep()
	begun := make(chan struct{}, 10)
	end := s.work(Worker{Self: testMember("a", "lost"),
		Run: func(ctx context.Context, _ bench.Scenario, _ time.Duration, _ func(*bench.Result)) (
			*bench.Result, error) {
			begun <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		}})
	go func() {
		<-begun
		<-begun
		s.work(Worker{Self: testMember("b", "other"), Run: echo})
		if err := end(); err != nil {
			t.Error(err)
		}
	}()
	if diff := cmp.Diff(upTo(10), s.runAll(sweep, 10)); diff != "" {
		t.Error(diff)
	}
	if got := sweep.Shares(); got != "10 runs by 1 worker: 10 on b" {
		t.Error(got)
	}
}

func TestErrors(t *testing.T) {
	s := newStage(t)
	sweep := s.sweep()
	wrong := errors.New("it hangs")
	_, wait := s.start(Worker{Self: testMember("a", "a"), Slots: 1,
		Run: func(context.Context, bench.Scenario, time.Duration, func(*bench.Result)) (
			*bench.Result, error) {
			return nil, FatalError{wrong}
		}})
	if _, err := sweep.Run(t.Context(), scenario(1)); err == nil || err.Error() != "it hangs" {
		t.Errorf("got %v", err)
	}
	s.work(Worker{Self: testMember("b", "b"), Run: echo})
	if diff := cmp.Diff(upTo(5), s.runAll(sweep, 5)); diff != "" {
		t.Error(diff)
	}
	if err := wait(); !errors.Is(err, wrong) {
		t.Errorf("the worker ended with %v", err)
	}
}

// A worker whose run cannot be stopped must end, even if its last report is lost.
func TestLastIsNotHeard(t *testing.T) {
	s := newStage(t)
	sweep, wrong, conn := s.sweep(), errors.New("it hangs"), s.connect()
	ctx, cancel := context.WithCancel(t.Context())
	_, wait := s.start(Worker{Self: testMember("a", "a"), Conn: conn,
		Run: func(context.Context, bench.Scenario, time.Duration, func(*bench.Result)) (
			*bench.Result, error) {
			conn.Close()
			cancel()
			return nil, FatalError{wrong}
		}})
	if _, err := sweep.Run(ctx, scenario(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := wait(); !errors.Is(err, wrong) {
		t.Errorf("the worker ended with %v", err)
	}
}

// Interim results must arrive in order, before the result, and only for the current run.
func TestSoFar(t *testing.T) {
	s := newStage(t)
	sweep := s.sweep()
	var heard []int
	sweep.SoFar = func(r *bench.Result) { heard = append(heard, r.Tasks) }
	s.work(Worker{Self: testMember("there", "a"), Run: func(_ context.Context, sc bench.Scenario,
		_ time.Duration, soFar func(*bench.Result)) (*bench.Result, error) {
		for n := range 3 {
			soFar(&bench.Result{Name: sc.Name(), Seed: sc.Seed, Tasks: n})
		}
		return &bench.Result{Tasks: 3}, nil
	}})
	r, err := sweep.Run(s.Context(), scenario(1))
	if err != nil || r.Tasks != 3 || !slices.Equal(heard, []int{0, 1, 2}) {
		t.Errorf("%+v, error %v, heard %v", r, err, heard)
	}
	text := `{"Unfinished":true,"Result":{}}`
	if err := send(s.Context(), s.connect(), sweepSubject+"."+sweep.id, "1.a",
		[]byte(text)); err != nil || len(heard) != 3 {
		t.Errorf("error %v, heard %v", err, heard)
	}
}

func TestPoison(t *testing.T) {
	r := &workerState{Worker: Worker{Run: echo}}
	c := cell{Scenario: scenario(1).Encode()}
	if o, err := r.run(t.Context(), c, maxDeliveries+1, 0); err == nil || o.Result != nil ||
		!strings.Contains(o.Error, "10 workers were lost") {
		t.Errorf("%+v, error %v", o, err)
	}
}

// A worker of a different build must get no work. Both sides must report the difference.
func TestOtherProgram(t *testing.T) {
	s := newStage(t)
	other := testMember("a", "a")
	other.Program.Parts = "others"
	never := func(context.Context, bench.Scenario, time.Duration, func(*bench.Result)) (
		*bench.Result, error) {
		t.Error("the other program runs something")
		return nil, nil
	}
	s.work(Worker{Self: other, Run: never}) // the worker starts before the sweep
	sweep := s.sweep()
	s.waitForLine("the worker on a (process 1) is refused: it has other strategies")
	s.waitForLine("the sweep of here (process 1) refuses this worker: it has other strategies")
	later := testMember("b", "b")
	later.Program.Version = "2"
	s.work(Worker{Self: later, Run: never})
	s.waitForLine("the worker on b (process 1) is refused: it is 2 and not 1")
	s.work(Worker{Self: testMember("c", "c"), Run: echo})
	if diff := cmp.Diff(upTo(10), s.runAll(sweep, 10)); diff != "" {
		t.Error(diff)
	}
}

// Real-clock runs must all use the same host, if possible the host of the sweep.
func TestRealHost(t *testing.T) {
	for _, hosts := range [][]string{{"a", "b", "c"}, {"a", "here", "b"}} {
		s := newStage(t)
		sweep := s.sweep()
		var alone, most atomic.Int64
		for _, host := range hosts {
			s.work(Worker{Self: testMember(host, host), Slots: 3,
				Run: func(context.Context, bench.Scenario, time.Duration, func(*bench.Result)) (
					*bench.Result, error) {
					most.Store(max(most.Load(), alone.Add(1)))
					defer alone.Add(-1)
					return &bench.Result{Name: host}, nil
				}})
			for sweep.Workers() == 0 { // the first worker of the list joins first
				time.Sleep(time.Millisecond)
			}
		}
		for sweep.Workers() < len(hosts) {
			time.Sleep(time.Millisecond)
		}
		want := hosts[0]
		if slices.Contains(hosts, "here") {
			want = "here"
		}
		var runs sync.WaitGroup
		for i := range 20 {
			runs.Go(func() {
				sc := scenario(uint64(i))
				sc.Clock = bench.Real
				r, err := sweep.Run(s.Context(), sc)
				if err != nil || r.Name != want {
					t.Errorf("%+v, error %v, want a run on %s", r, err, want)
				} else if n := len(r.Machine); n > 0 && (want == "here" ||
					string(r.Machine[n-1].Value) != want) || n == 0 && want != "here" {
					t.Errorf("a run on %s is said to be of %v", want, r.Machine)
				}
			})
		}
		runs.Wait()
		if most.Load() != 1 {
			t.Errorf("%d real-clock runs at once", most.Load())
		}
	}
}

// The queue must drop the runs of an ended sweep at once, and those of a killed sweep later.
func TestOrphans(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ctx, cancel := context.WithCancel(t.Context())
	left := func() (n uint64) {
		_, stream, err := openQueue(t.Context(), s.connect())
		if err != nil {
			t.Fatal(err)
		}
		info, err := stream.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return info.State.Msgs
	}
	var sweeps [2]*Sweep
	for i := range sweeps {
		sweeps[i] = s.sweep()
		go func() { _, _ = sweeps[i].Run(ctx, scenario(1)) }()
	}
	for left() < 2 {
		time.Sleep(20 * time.Millisecond)
	}
	cancel()
	if err := sweeps[0].Close(); err != nil || left() != 1 {
		t.Errorf("%d cells are left, error %v", left(), err)
	}
	sweeps[1].conn.Close() // like a kill
	s.work(Worker{Self: testMember("a", "a"), Run: func(context.Context, bench.Scenario,
		time.Duration, func(*bench.Result)) (*bench.Result, error) {
		t.Error("it runs what nobody wants")
		return nil, nil
	}})
	for left() > 0 {
		time.Sleep(20 * time.Millisecond)
	}
}

func TestIdle(t *testing.T) {
	s := newStage(t)
	w := Worker{Conn: s.connect(), Self: testMember("a", "a"), Slots: 1, Run: echo, Say: s.say,
		Idle: 20 * time.Millisecond}
	if err := w.Work(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestParts(t *testing.T) {
	s := newStage(t)
	conn := s.connect()
	size := int(conn.MaxPayload())
	c := collector{}
	whole := map[string]string{}
	sub, err := conn.Subscribe("here", func(m *nats.Msg) {
		of, data, done, err := c.add(m)
		if err != nil {
			t.Error(err)
		}
		if done {
			whole[of] = string(data)
		}
		_ = m.Respond(nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Unsubscribe()
	for i, n := range []int{0, 1, size - headRoom, size - headRoom + 1, 3*size + 7} {
		data := strings.Repeat(fmt.Sprint(i), n)
		if err := send(t.Context(), conn, "here", fmt.Sprint(i), []byte(data)); err != nil {
			t.Fatal(err)
		}
		if whole[fmt.Sprint(i)] != data {
			t.Errorf("%d bytes do not arrive as they were", n)
		}
	}
	for of, kept := range c {
		if len(kept.data) > 0 {
			t.Errorf("the collector keeps %d bytes of %s, which it has given out", len(kept.data), of)
		}
	}
}
