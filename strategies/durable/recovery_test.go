package durable_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/strategies"
)

var sweep = flag.Bool("sweep", false, "the cases of minutes in TestRecovery")

// recoveryVariable is the environment variable that makes this binary a child process of
// TestRecovery.
const recoveryVariable = "POOLBENCH_RECOVERING"

// interrupted is the number of running tasks at the kill. Several are needed, because asynq's delay
// is random.
const interrupted = 20

type recoveryCase struct {
	name, text string
	bare       func(ctx context.Context, n int, run func()) error
	long       bool // takes minutes
	// if not nil, called between the kill and the restart
	between func(t *testing.T)
}

var recoveryCases = []recoveryCase{
	{name: "asynq", text: "asynq", bare: bareAsynq, long: true},
	{name: "jetstream", text: "jetstream", bare: bareJetStream, long: true},
	// River's default rescue delay is an hour, so the test makes its jobs an hour older
	{name: "river", text: "river", bare: bareRiver, long: true, between: ageJobs},
	{name: "rabbitmq", text: "rabbitmq", bare: bareRabbitMQ},
	{name: "redis_stream", text: "redis_stream", bare: bareRedis},
	{name: "postgres_queue", text: "postgres_queue", bare: barePostgres},
}

// With default settings, a strategy must rerun interrupted tasks as soon as the bare library,
// within 20 % or a second. A poll each second and a busy machine cause such differences.
func TestRecovery(t *testing.T) {
	if name := os.Getenv(recoveryVariable); name != "" {
		recoverAs(t, name)
	}
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for _, c := range recoveryCases {
		t.Run(c.name, func(t *testing.T) {
			if c.long && !*sweep {
				t.Skip("minutes: only with -sweep")
			}
			spec := strategies.MustParse(c.text).Spec
			var ours, bare time.Duration
			for range 3 { // a busy machine delays some
				ours = recoveryTime(t, c, spec, "strategy")
				bare = recoveryTime(t, c, spec, "bare")
				t.Logf("median: strategy %v, bare library %v", ours, bare)
				if (ours - bare).Abs() <= max(bare/5, time.Second) {
					return
				}
			}
			t.Errorf("median: strategy %v, bare library %v", ours, bare)
		})
	}
}

// recoveryTime returns the median time from the restart until the killed process's tasks run again.
func recoveryTime(
	t *testing.T, c recoveryCase, spec strategies.Spec, kind string,
) (median time.Duration) {
	t.Run(kind, func(t *testing.T) {
		serve(t, spec)
		dir := t.TempDir()
		start := func(tasks int) (begun []time.Duration) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestRecovery$", "-test.timeout=10m")
			cmd.Env = append(os.Environ(), recoveryVariable+"="+kind+" "+c.name,
				fmt.Sprintf("POOLBENCH_RECOVERING_TASKS=%d", tasks), "TMPDIR="+dir)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			from := time.Now()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = cmd.Wait() }() // a killed process has an error
			defer func() { _ = cmd.Process.Kill() }()
			for in := bufio.NewScanner(out); len(begun) < interrupted; {
				if !in.Scan() {
					t.Fatalf("it has ended after %d tasks", len(begun))
				}
				if in.Text() != begunLine {
					t.Fatal(in.Text())
				}
				begun = append(begun, time.Since(from))
			}
			if tasks > 0 {
				time.Sleep(settling)
			}
			return begun
		}
		start(interrupted)
		if c.between != nil {
			c.between(t)
		}
		again := start(0)
		slices.Sort(again)
		median = again[len(again)/2]
	})
	if t.Failed() {
		t.FailNow()
	}
	return median
}

// settling is longer than JetStream needs to store deliveries. A delivery that
// is not stored is repeated at once.
const settling = time.Second

const begunLine = "begun"

// recoverAs is the child process. Its tasks report their start and never end.
func recoverAs(t *testing.T, as string) {
	var kind, name string
	var n int
	if _, err := fmt.Sscan(as+" "+os.Getenv("POOLBENCH_RECOVERING_TASKS"), &kind, &name,
		&n); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(recoveryCases, func(c recoveryCase) bool { return c.name == name })
	c := recoveryCases[i]
	run := func() {
		fmt.Println(begunLine)
		select {}
	}
	err := startStrategy
	if kind == "bare" {
		err = func(ctx context.Context, _ string, n int, run func()) error {
			return c.bare(ctx, n, run)
		}
	}
	if err := err(t.Context(), c.text, n, run); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	select {}
}

func startStrategy(ctx context.Context, text string, n int, run func()) error {
	v := strategies.MustParse(text)
	task := func(id uint64) *strategies.Task {
		return &strategies.Task{ID: id, Run: func(context.Context,
			*strategies.Task) strategies.Result {
			run()
			return strategies.Result{}
		}}
	}
	s, err := v.Spec.Start(ctx, strategies.Params{Limit: interrupted, Values: v.Values,
		Resume: &strategies.Resume{Name: "recovery", Task: task}},
		strategies.SinkFunc(func(*strategies.Task, strategies.Result) {}))
	for id := range n {
		if err == nil {
			err = s.Submit(ctx, task(uint64(id)))
		}
	}
	return err
}

func ageJobs(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), os.Getenv(registry.Postgres.Variable))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	tag, err := conn.Exec(t.Context(), "UPDATE recovery.river_job SET "+
		"attempted_at = attempted_at - interval '1 hour' WHERE state = 'running'")
	if err != nil || tag.RowsAffected() != interrupted {
		t.Fatal(tag, err)
	}
}
