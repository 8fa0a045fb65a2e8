package durable

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

var _ = register(strategies.Spec{
	Name: "redis_stream",
	Summary: "a stream of Redis and a consumer group: added by XADD, read by XREADGROUP, deleted " +
		"when done",
	UseIf: "accepted tasks must survive the process, and you already have Redis; its setting " +
		"appendfsync decides how much is lost if Redis fails: the last second or two (everysec), " +
		"or nothing (always)",
	Source:     "github.com/redis/go-redis/v9; Redis 6.2 and later",
	FIFO:       true,
	Adds:       streamAdds,
	Keys:       []param.Key{leaseKey, awayKey},
	Durability: killSafe,
	Needs:      registry.Redis.Product,
	Ready:      registry.Redis.Ready,
	Clean:      cleanRedis,
	Check:      checkServerParams,
	Open:       openRedisStream,
})

const (
	group = "workers"
	// Successive instances share one consumer name, so dead consumers do not accumulate. A message
	// of an ended process is detected only by its idle time.
	consumer        = "poolbench"
	readTimeout     = 5 * time.Second // of an empty stream
	requeueInterval = time.Second     // between two searches for messages of ended processes
)

// A message has two fields: b is its body, n counts the deliveries before this entry. Each move of
// a message is one script, which Redis persists atomically.
var (
	// redisLater puts a message back at the end of the stream, or into the sorted set of delayed
	// messages.
	redisLater = redis.NewScript(`
local stream, later, id, after, n = KEYS[1], KEYS[2], ARGV[1], tonumber(ARGV[2]), ARGV[3]
local body = ARGV[4]
if redis.call('XACK', stream, '` + group + `', id) == 0 then return end -- others have it again
redis.call('XDEL', stream, id)
if after <= 0 then redis.call('XADD', stream, '*', 'n', n, 'b', body) return end
local t = redis.call('TIME')
redis.call('ZADD', later, t[1] * 1e6 + t[2] + after, id .. ' ' .. n .. ' ' .. body)`)
	// redisTend puts back delayed messages that are due, and messages that have been idle for the
	// length of a lease. It returns the time until the next delayed message is due, in µs, or -1.
	redisTend = redis.NewScript(`
local stream, later, lease = KEYS[1], KEYS[2], ARGV[1]
local t = redis.call('TIME')
local now = t[1] * 1e6 + t[2]
for _, m in ipairs(redis.call('ZRANGE', later, '-inf', now, 'BYSCORE', 'LIMIT', 0, 100)) do
	local n, body = m:match('^%S+ (%d+) (.*)$')
	redis.call('XADD', stream, '*', 'n', n, 'b', body)
	redis.call('ZREM', later, m)
end
local idle = redis.call('XPENDING', stream, '` + group + `', 'IDLE', lease, '-', '+', 100)
for _, p in ipairs(idle) do
	for _, entry in ipairs(redis.call('XRANGE', stream, p[1], p[1])) do
		local f = entry[2]
		redis.call('XADD', stream, '*', 'n', (tonumber(f[2]) or 0) + p[4], 'b', f[4] or '')
	end
	redis.call('XDEL', stream, p[1])
	redis.call('XACK', stream, '` + group + `', p[1])
end
local first = redis.call('ZRANGE', later, 0, 0, 'WITHSCORES')
return first[2] and math.max(0, tonumber(first[2]) - now) or -1`)
)

type redisStream struct {
	*health
	client            *redis.Client
	reader            *redis.Client // has one connection, which blocks to wait for messages
	name, later, dead string
	lease             time.Duration
	remove            bool
	dueEarlier        chan struct{} // a message may be due before the next search
	readLock          chan struct{} // held by the consumer that reads for all
	fetched           chan *redisMessage
	wanted            atomic.Int64 // waiting consumers, minus the messages in read
}

func openRedisStream(
	ctx context.Context, p strategies.Params, sink strategies.Sink,
) (strategies.Strategy, error) {
	name := queueName(p)
	q := &redisStream{health: newHealth(p.Values.Duration(awayKey.Name)), name: name,
		later: name + ":later", dead: name + ":dead",
		lease:      p.Values.Duration("lease"),
		dueEarlier: make(chan struct{}, 1), readLock: make(chan struct{}, 1),
		fetched: make(chan *redisMessage, p.Limit)}
	open := func(ctx context.Context) error {
		o, err := redisOptions()
		if err != nil {
			return registry.Redis.PublicError(err)
		}
		one := *o
		one.PoolSize = 1
		q.client, q.reader = redis.NewClient(o), redis.NewClient(&one)
		if err = markRedis(ctx, q.client, name, p); err == nil {
			err = q.makeGroup(ctx)
		}
		q.remove = err == nil && isTemporary(p)
		return registry.Redis.PublicError(err)
	}
	return start(ctx, p, sink, q.health, open, engine.Broker{Put: q.put, Work: q.work,
		Close: q.close, Dead: q.deadLetters, Stored: q.stored})
}

func (q *redisStream) makeGroup(ctx context.Context) error {
	err := q.client.XGroupCreateMkStream(ctx, q.name, group, "0").Err()
	if err != nil && strings.HasPrefix(err.Error(), "BUSYGROUP") { // it exists already
		return nil
	}
	return err
}

func (q *redisStream) close() (err error) {
	if q.client == nil {
		return nil
	}
	if q.remove {
		err = withTimeout(q.delete)
	}
	_ = q.reader.Close() // work has closed it already
	return registry.Redis.PublicError(errors.Join(err, q.client.Close()))
}

func (q *redisStream) delete(ctx context.Context) error {
	return errors.Join(q.client.Del(ctx, q.name, q.later, q.dead).Err(),
		q.client.HDel(ctx, redisOwners, q.name).Err())
}

func (q *redisStream) put(ctx context.Context, body []byte) error {
	return registry.Redis.PublicError(q.client.XAdd(ctx, &redis.XAddArgs{Stream: q.name,
		Values: []any{"n", 0, "b", body}}).Err())
}

func (q *redisStream) work(ctx context.Context, limit int, do func(engine.Message)) {
	var others sync.WaitGroup
	others.Go(func() { q.requeueDue(ctx) })
	// Closing the reader ends its blocking read. A message in transit is delivered again after the
	// lease.
	unwatch := context.AfterFunc(ctx, func() { _ = q.reader.Close() })
	defer unwatch()
	q.consume(ctx, limit, q.receive, do)
	others.Wait()
	for len(q.fetched) > 0 {
		do(<-q.fetched) // the reply makes it available again
	}
}

func (q *redisStream) requeueDue(ctx context.Context) {
	for ctx.Err() == nil {
		begun := time.Now()
		next, err := redisTend.Run(ctx, q.client, []string{q.name, q.later},
			q.lease.Milliseconds()).Int64()
		_ = q.record(&q.take, begun, registry.Redis.PublicError(err))
		if err != nil && strings.HasPrefix(err.Error(), "NOGROUP") { // Redis lost its data
			_ = q.makeGroup(ctx)
		}
		pause := min(requeueInterval, q.lease/4)
		if err == nil && next >= 0 {
			pause = min(pause, time.Duration(next)*time.Microsecond)
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-q.dueEarlier:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// One consumer reads for all that wait. So a message costs less than a round trip, only one
// connection is blocked, and no message waits for its consumer while its lease expires.
func (q *redisStream) receive(ctx context.Context) (engine.Message, error) {
	q.wanted.Add(1)
	for {
		select {
		case m := <-q.fetched:
			return m, nil
		default:
		}
		select {
		case m := <-q.fetched:
			return m, nil
		case <-ctx.Done():
			q.wanted.Add(-1)
			return nil, ctx.Err()
		case q.readLock <- struct{}{}:
		}
		err := registry.Redis.PublicError(q.fetch(ctx))
		<-q.readLock
		if err != nil {
			q.wanted.Add(-1)
			return nil, err
		}
	}
}

func (q *redisStream) fetch(ctx context.Context) error {
	n := min(q.wanted.Load(), 256)
	if n <= 0 {
		return nil
	}
	streams, err := q.reader.XReadGroup(ctx, &redis.XReadGroupArgs{Group: group,
		Consumer: consumer, Streams: []string{q.name, ">"}, Count: n, Block: readTimeout}).Result()
	if err != nil && !errors.Is(err, redis.Nil) { // no message arrived
		return err
	}
	for _, s := range streams {
		for _, entry := range s.Messages {
			q.fetched <- q.message(entry)
			q.wanted.Add(-1)
		}
	}
	return nil
}

func (q *redisStream) stored(ctx context.Context) (int, error) {
	var now, later *redis.IntCmd
	_, err := q.client.TxPipelined(ctx, func(tx redis.Pipeliner) error {
		now, later = tx.XLen(ctx, q.name), tx.ZCard(ctx, q.later)
		return nil
	})
	if err != nil {
		return 0, registry.Redis.PublicError(err)
	}
	return int(now.Val() + later.Val()), nil
}

func (q *redisStream) deadLetters(ctx context.Context) (int, error) {
	n, err := q.client.XLen(ctx, q.dead).Result()
	return int(n), registry.Redis.PublicError(err)
}
