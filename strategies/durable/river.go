package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// River differs from the contract in properties that an adapter cannot change:
//
//   - It writes acknowledgements four times a second. After a kill, tasks completed since then run
//     again.
//   - It fetches jobs at most once per cooldown, so at most limit/cooldown tasks start per second.
//   - An attempt that is delayed by more than five seconds may be five seconds late.
//
// It has no lease. It considers a job lost that has run for an hour (RescueStuckJobsAfter). With a
// shorter lease, the adapter puts back jobs that have been running for longer than the lease but
// not in this process, and all running jobs when a queue is resumed.
var _ = register(strategies.Spec{
	Name: "river",
	Summary: "River, a job queue in PostgreSQL: fetches in batches, acknowledges in batches, " +
		"keeps completed tasks for a day",
	UseIf: "accepted tasks must survive the process, and you want schedules, unique jobs and a " +
		"user interface",
	Source: "github.com/riverqueue/river v0.51.1",
	FIFO:   true,
	Adds:   riverAdds,
	Keys: []param.Key{
		{Name: "lease", Kind: param.Duration, Default: "1h",
			Doc: "RescueStuckJobsAfter: time after which River runs a job of an ended process " +
				"again; below 1h, poolbench itself puts such jobs back, after this time and at " +
				"each start"},
		awayKey, syncCommitKey,
		{Name: "cooldown", Kind: param.Duration, Default: "100ms",
			Doc: "FetchCooldown: shortest time between two fetches"},
		{Name: "poll", Kind: param.Duration, Default: "1s",
			Doc: "FetchPollInterval: how often it looks for jobs that no notification announced"}},
	Durability: syncCommitDurability,
	Needs:      registry.Postgres.Product,
	Ready:      registry.Postgres.Ready,
	Clean:      cleanPostgres,
	Check:      checkRiver,
	Open:       openRiver,
})

const riverRescue = time.Hour

func checkRiver(p strategies.Params) error {
	cooldown, poll := p.Values.Duration("cooldown"), p.Values.Duration("poll")
	switch {
	case cooldown < river.FetchCooldownMin:
		return fmt.Errorf("cooldown %v: want at least %v", cooldown, river.FetchCooldownMin)
	case poll < cooldown:
		return fmt.Errorf("poll %v: want at least the cooldown, %v", poll, cooldown)
	case p.Limit > river.QueueNumWorkersMax:
		return fmt.Errorf("limit %d: want at most %d", p.Limit, river.QueueNumWorkersMax)
	case p.Resume != nil && strings.ContainsAny(p.Resume.Name[:1], "0123456789"):
		return errors.New("resume: the name of its queue must not begin with a digit")
	}
	return checkServerParams(p)
}

type riverQueue struct {
	postgresSchema
	client *river.Client[pgx.Tx]
	lease  time.Duration // 0: River's own rescue
	do     func(engine.Message)

	mu     sync.Mutex
	active map[int64]bool // jobs that run in this process
}

type riverTask struct {
	Body []byte `json:"body"`
}

func (riverTask) Kind() string { return "task" }

func openRiver(
	ctx context.Context, p strategies.Params, sink strategies.Sink,
) (strategies.Strategy, error) {
	q := &riverQueue{postgresSchema: newPostgresSchema(p), active: make(map[int64]bool)}
	if lease := p.Values.Duration("lease"); lease < riverRescue {
		q.lease = lease
	}
	open := func(ctx context.Context) error {
		return q.open(ctx, p, func(ctx context.Context) error { return q.migrate(ctx, p) })
	}
	return start(ctx, p, sink, q.health, open, engine.Broker{Put: q.add, Work: q.work,
		Close: q.close, Dead: q.dead, Stored: q.stored})
}

func (q *riverQueue) migrate(ctx context.Context, p strategies.Params) error {
	driver, log := riverpgxv5.New(q.pool), slog.New(healthLog{slog.DiscardHandler, q.health})
	migrations, err := rivermigrate.New(driver, &rivermigrate.Config{Schema: q.name, Logger: log})
	if err != nil {
		return err
	}
	if _, err := migrations.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	jobTimeout := p.Values.Duration("lease") // River needs one to rescue jobs
	if q.lease > 0 {
		jobTimeout = -1
		if err := q.putBack(ctx, 0); err != nil {
			return err
		}
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(q.run))
	q.client, err = river.NewClient(driver, &river.Config{
		Schema: q.name, Logger: log, Workers: workers,
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: p.Limit}},
		FetchCooldown:     p.Values.Duration("cooldown"),
		FetchPollInterval: p.Values.Duration("poll"),
		MaxAttempts:       math.MaxInt16, // engine.Broker counts the attempts
		JobTimeout:        jobTimeout,
		// at least JobTimeout
		RescueStuckJobsAfter: max(jobTimeout, 0),
		// dead letters stay
		CancelledJobRetentionPeriod: -1,
		DiscardedJobRetentionPeriod: -1,
	})
	return err
}

func (q *riverQueue) add(ctx context.Context, body []byte) error {
	return q.within(ctx, requestTimeout, func(ctx context.Context) error {
		_, err := q.client.Insert(ctx, riverTask{body}, nil)
		return registry.Postgres.PublicError(err)
	})
}

func (q *riverQueue) work(ctx context.Context, limit int, do func(engine.Message)) {
	q.do = do
	for {
		// Stop ends the client, not the end of ctx.
		err := q.client.Start(context.WithoutCancel(ctx))
		if err == nil {
			break
		}
		_ = q.record(&q.take, time.Now(), registry.Postgres.PublicError(err))
		if sleep(ctx, 100*time.Millisecond); ctx.Err() != nil {
			return
		}
	}
	if q.lease == 0 {
		<-ctx.Done()
	}
	for sleep(ctx, q.lease/3); ctx.Err() == nil; sleep(ctx, q.lease/3) {
		begun := time.Now()
		_ = q.record(&q.take, begun, registry.Postgres.PublicError(q.within(ctx, requestTimeout,
			func(ctx context.Context) error { return q.putBack(ctx, q.lease) })))
	}
	_ = q.client.Stop(q.failed) // fails only if that context ends
}

// putBack excludes the jobs of this process.
func (q *riverQueue) putBack(ctx context.Context, after time.Duration) error {
	q.mu.Lock()
	here := make([]int64, 0, len(q.active))
	for id := range q.active {
		here = append(here, id)
	}
	q.mu.Unlock()
	_, err := q.pool.Exec(ctx, q.inSchema("UPDATE {schema}.river_job SET state = 'available' "+
		"WHERE state = 'running' AND attempted_at <= now() - $1::interval "+
		"AND id <> ALL($2)"), after, here)
	return err
}

// run starts a goroutine for the task, because River loses the slot of a task that calls Goexit.
func (q *riverQueue) run(_ context.Context, job *river.Job[riverTask]) error {
	q.mu.Lock()
	q.active[job.ID] = true
	q.mu.Unlock()
	m := &riverMessage{queue: q, job: job}
	var own sync.WaitGroup
	own.Go(func() { q.do(m) })
	own.Wait()
	q.mu.Lock()
	delete(q.active, job.ID)
	q.mu.Unlock()
	return m.reply
}

func (q *riverQueue) dead(ctx context.Context) (int, error) {
	return q.count(ctx, q.inSchema("SELECT count(*) FROM {schema}.river_job "+
		"WHERE state IN ('cancelled', 'discarded')"))
}

func (q *riverQueue) stored(ctx context.Context) (int, error) {
	return q.count(ctx, q.inSchema("SELECT count(*) FROM {schema}.river_job "+
		"WHERE state NOT IN ('cancelled', 'completed', 'discarded')"))
}

type riverMessage struct {
	queue *riverQueue
	job   *river.Job[riverTask]
	reply error // result that River receives when the task has returned
}

func (m *riverMessage) Body() []byte { return m.job.Args.Body }

// River subtracts delayed attempts from its own count.
func (m *riverMessage) Attempt() int {
	var metadata struct{ Snoozes int }
	_ = json.Unmarshal(m.job.Metadata, &metadata) // written by River
	return m.job.Attempt + metadata.Snoozes
}

// Reply writes a dead letter at once, because River's own delayed write might come after the job is
// put back.
func (m *riverMessage) Reply(r engine.Reply) error {
	switch {
	case r.Dead != nil:
		why := rivertype.AttemptError{At: time.Now(), Attempt: m.job.Attempt,
			Error: oneLine(r.Dead)}
		m.reply = river.JobCancel(errors.New(why.Error))
		return m.queue.untilDone(func() error {
			return m.queue.exec(m.queue.inSchema("UPDATE {schema}.river_job SET "+
				"state = 'cancelled', finalized_at = now(), errors = array_append(errors, $1) "+
				"WHERE id = $2 AND state = 'running'"), why, m.job.ID)
		})
	case r.Again:
		m.reply = river.JobSnooze(max(r.After, 0))
	}
	return nil
}
