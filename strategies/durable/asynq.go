package durable

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

var _ = register(strategies.Spec{
	Name:    "asynq",
	Summary: "asynq: tasks in lists and sorted sets of Redis, each moved by a script, polled for",
	UseIf: "you want its web page, schedules and unique tasks, and an interrupted task may wait " +
		"two minutes until it runs again",
	Source:     "github.com/hibiken/asynq",
	FIFO:       true,
	Durability: killSafe,
	Needs:      registry.Redis.Product,
	Ready:      registry.Redis.Ready,
	Clean:      cleanRedis,
	Adds:       asynqAdds,
	Keys: []param.Key{awayKey,
		{Name: "recovery", Kind: param.Choice, Default: byLibrary,
			Choices: []string{byLibrary, atStart},
			Doc: "library: asynq looks for interrupted tasks each minute, after their lease of " +
				"30s and another 30s, and waits 15s to 45s more; start: poolbench ends all " +
				"leases when a process starts or has lost a connection"},
		{Name: "poll", Kind: param.Duration, Default: "1s",
			Doc: "TaskCheckInterval: how often it looks for tasks when there were none"},
		{Name: "scheduled", Kind: param.Duration, Default: "5s",
			Doc: "DelayedTaskCheckInterval: how often it looks for retries that are due"}},
	Check: func(p strategies.Params) error {
		for _, name := range []string{"poll", "scheduled"} {
			if d := p.Values.Duration(name); d < time.Millisecond || d > time.Hour {
				return fmt.Errorf("%s %v: want 1ms to 1h", name, d)
			}
		}
		return checkAway(p)
	},
	Open: openAsynq,
})

const (
	byLibrary = "library"
	atStart   = "start"
)

// An asynqQueue has the client and the server of asynq on one pool of connections. A task of a
// killed process is retried after one to two minutes. With recovery=start, an instance that starts
// or has lost a connection ends all leases, by an undocumented key. The library does not report
// errors of replies. It keeps the last 10,000 dead letters, for 90 days.
type asynqQueue struct {
	*health
	redis     *redis.Client
	client    *asynq.Client
	inspector *asynq.Inspector
	name      string
	options   []asynq.Option
	poll      time.Duration
	scheduled time.Duration
	atStart   bool // the instance ends leases
	opened    time.Time
	remove    bool
	lost      chan struct{} // signals a lost connection, and possibly a lost reply
}

func openAsynq(
	ctx context.Context, p strategies.Params, sink strategies.Sink,
) (strategies.Strategy, error) {
	q := &asynqQueue{health: newHealth(p.Values.Duration(awayKey.Name)), name: queueName(p),
		poll: p.Values.Duration("poll"), scheduled: p.Values.Duration("scheduled"),
		atStart: p.Values.Choice("recovery") == atStart, opened: time.Now(),
		lost: make(chan struct{}, 1)}
	open := func(ctx context.Context) error {
		o, err := redisOptions()
		if err != nil {
			return registry.Redis.PublicError(err)
		}
		q.redis = redis.NewClient(o)
		q.redis.AddHook(q)
		q.client = asynq.NewClientFromRedisClient(q.redis)
		q.inspector = asynq.NewInspectorFromRedisClient(q.redis)
		if err = q.redis.Ping(ctx).Err(); err == nil {
			err = markRedis(ctx, q.redis, q.name, p)
		}
		q.remove = err == nil && isTemporary(p)
		return registry.Redis.PublicError(err)
	}
	// engine.Broker counts and limits the attempts.
	q.options = []asynq.Option{asynq.Queue(q.name), asynq.MaxRetry(math.MaxInt32),
		asynq.Timeout(10 * 365 * 24 * time.Hour)}
	return start(ctx, p, sink, q.health, open, engine.Broker{Put: q.put, Work: q.work,
		Close: q.close, Dead: q.dead, Stored: q.stored})
}

const asynqType = "poolbench"

var asynqExpire = redis.NewScript(`
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
	redis.call('ZADD', KEYS[1], 0, id)
end`)

// asynqInactive makes active tasks pending, because a queue with active tasks cannot be deleted.
var asynqInactive = redis.NewScript(`
while redis.call('RPOPLPUSH', KEYS[1], KEYS[2]) do end`)

func (q *asynqQueue) run(ctx context.Context, script *redis.Script, keys ...string) error {
	for i, key := range keys {
		keys[i] = q.key(key)
	}
	err := script.Run(ctx, q.redis, keys).Err()
	if errors.Is(err, redis.Nil) { // the script returns nothing
		return nil
	}
	return err
}

func (q *asynqQueue) key(name string) string { return "asynq:{" + q.name + "}:" + name }

func (q *asynqQueue) put(ctx context.Context, body []byte) error {
	_, err := q.client.EnqueueContext(ctx, asynq.NewTask(asynqType, body), q.options...)
	return registry.Redis.PublicError(err)
}

// With recovery=start, another server starts after a lost connection. Its first check finds the
// lost tasks.
func (q *asynqQueue) work(ctx context.Context, limit int, do func(engine.Message)) {
	if !q.atStart {
		q.serve(ctx, limit, do)
		return
	}
	for ctx.Err() == nil {
		if err := q.run(ctx, asynqExpire, "lease"); err != nil {
			sleep(ctx, errorPause)
			continue
		}
		select {
		case <-q.lost:
		default:
		}
		q.serve(ctx, limit, do)
	}
}

func (q *asynqQueue) serve(ctx context.Context, limit int, do func(engine.Message)) {
	var all sync.WaitGroup
	server := asynq.NewServerFromRedisClient(q.redis, asynq.Config{
		Concurrency: limit, Queues: map[string]int{q.name: 1},
		TaskCheckInterval: q.poll, DelayedTaskCheckInterval: q.scheduled,
		RetryDelayFunc: q.delay, ShutdownTimeout: time.Minute,
		Logger: silent{}, LogLevel: asynq.FatalLevel})
	err := server.Start(asynq.HandlerFunc(func(ctx context.Context, t *asynq.Task) error {
		m := &asynqMessage{delivery: delivery{t.Payload(), 1}}
		if n, known := asynq.GetRetryCount(ctx); known {
			m.attempt += n
		}
		ran := make(chan struct{})
		all.Go(func() { // the task may end this goroutine; the library waits for a result
			defer close(ran)
			do(m)
		})
		<-ran
		return m.outcome
	}))
	if err != nil {
		panic(err) // only for a server that was started before
	}
	select {
	case <-ctx.Done():
	case <-q.lost:
	}
	server.Shutdown()
	all.Wait()
}

// The library would retry at once after an error.
const errorPause = 100 * time.Millisecond

// ProcessHook detects lost connections and errors that the library does not report.
func (q *asynqQueue) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, c redis.Cmder) error {
		begun := time.Now()
		err := next(ctx, c)
		var reply redis.Error // an error reply means that Redis is reachable
		switch {
		case err == nil, errors.Is(err, redis.Nil), redis.HasErrorPrefix(err, "NOSCRIPT"):
			_ = q.record(&q.take, begun, nil)
		case ctx.Err() == nil:
			_ = q.record(&q.take, begun, registry.Redis.PublicError(err))
		}
		if err == nil || errors.As(err, &reply) || ctx.Err() != nil {
			return err
		}
		if q.atStart {
			select {
			case q.lost <- struct{}{}:
			default:
			}
		}
		sleep(ctx, errorPause)
		return err
	}
}

func (q *asynqQueue) DialHook(next redis.DialHook) redis.DialHook { return next }

func (q *asynqQueue) ProcessPipelineHook(
	next redis.ProcessPipelineHook,
) redis.ProcessPipelineHook {
	return next
}

type asynqAgain struct{ after time.Duration }

func (asynqAgain) Error() string { return "again" }

// After an expired lease, the delay is asynq's default, or 0 with recovery=start.
func (q *asynqQueue) delay(n int, err error, t *asynq.Task) time.Duration {
	again, asked := errors.AsType[asynqAgain](err)
	if !asked && !q.atStart {
		return asynq.DefaultRetryDelayFunc(n, err, t)
	}
	return again.after
}

func (q *asynqQueue) dead(context.Context) (int, error) {
	info, err := q.info()
	return info.Archived, err
}

func (q *asynqQueue) stored(context.Context) (int, error) {
	info, err := q.info()
	return info.Size - info.Archived - info.Completed, err
}

func (q *asynqQueue) info() (*asynq.QueueInfo, error) {
	info, err := q.inspector.GetQueueInfo(q.name)
	switch {
	case errors.Is(err, asynq.ErrQueueNotFound): // no task was put
		return new(asynq.QueueInfo), nil
	case err != nil:
		return new(asynq.QueueInfo), registry.Redis.PublicError(err)
	}
	return info, nil
}

func (q *asynqQueue) close() (err error) {
	if q.redis == nil {
		return nil
	}
	if q.remove {
		err = withTimeout(q.delete)
	}
	return registry.Redis.PublicError(errors.Join(err, q.redis.Close()))
}

func (q *asynqQueue) delete(ctx context.Context) error {
	err := q.run(ctx, asynqInactive, "active", "pending")
	if e := q.inspector.DeleteQueue(q.name, true); !errors.Is(e, asynq.ErrQueueNotFound) {
		err = errors.Join(err, e)
	}
	return errors.Join(err, q.redis.Del(ctx, q.counts(time.Now())...).Err(),
		q.redis.HDel(ctx, redisOwners, q.name).Err())
}

// counts returns the keys of the queue's daily counts. The server removes them after 90 days.
func (q *asynqQueue) counts(now time.Time) (keys []string) {
	const day = 24 * time.Hour
	first := q.opened
	if oldest := now.Add(-91 * day); first.Before(oldest) {
		first = oldest
	}
	for _, kind := range []string{"processed", "failed"} {
		key := q.key(kind)
		keys = append(keys, key)
		for t := first; !t.After(now.Add(day)); t = t.Add(day) {
			keys = append(keys, key+":"+t.UTC().Format(time.DateOnly))
		}
	}
	return keys
}

type asynqMessage struct {
	delivery
	outcome error // return value of the handler
}

func (m *asynqMessage) Reply(r engine.Reply) error {
	switch {
	case r.Dead != nil:
		m.outcome = fmt.Errorf("%w: %s", asynq.SkipRetry, oneLine(r.Dead))
	case r.Again:
		m.outcome = asynqAgain{r.After}
	}
	return nil
}

// silent discards the log, whose messages might contain the server's address.
type silent struct{}

func (silent) Debug(...any) {}
func (silent) Info(...any)  {}
func (silent) Warn(...any)  {}
func (silent) Error(...any) {}
func (silent) Fatal(...any) {}
