package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/hibiken/asynq"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/redis/go-redis/v9"

	"github.com/poolbench/poolbench/internal/fleet/hub"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/strategies"
)

// An owner is the process that removes a queue from a server at its end. Its mark is the comment of
// a schema in PostgreSQL, the description of a stream in NATS, and a field of a hash in Redis.
type owner struct {
	Host    string
	Space   string `json:",omitempty"` // namespace of the process ID
	Process int
}

const ownerMark = "poolbench: "

// The owner of a queue is this process, or its parent if it passes the queue to the next process.
func ownerOf(p strategies.Params) owner {
	host, _ := os.Hostname() // "" matches no host
	o := owner{host, namespace(), os.Getpid()}
	if p.Resume != nil {
		o.Process = os.Getppid()
	}
	return o
}

func (o owner) mark() string {
	text, _ := json.Marshal(o) // cannot fail for strings and a number
	return ownerMark + string(text)
}

func parseOwner(text string) (o owner, is bool) {
	text, is = strings.CutPrefix(text, ownerMark)
	return o, is && json.Unmarshal([]byte(text), &o) == nil
}

// namespace distinguishes containers and machines with the same host name: on Linux by the boot ID
// and the PID namespace.
func namespace() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	ids, _ := os.Readlink("/proc/self/ns/pid") // both are "" on other systems
	return strings.TrimSpace(string(boot)) + ids
}

func (o owner) isHere() bool {
	host, _ := os.Hostname()
	return host != "" && o.Host == host && (o.Space == "" || o.Space == namespace())
}

// If the process ID of the owner is in use again, the queue stays.
func (o owner) hasEnded() bool {
	if !o.isHere() {
		return false
	}
	p, err := os.FindProcess(o.Process)
	if err != nil {
		return true
	}
	defer func() { _ = p.Release() }()
	return errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) // signal 0 checks existence
}

func (o owner) removedLine(what, name, product string) string {
	return fmt.Sprintf("removed the %s %q from %s, which process %d left there", what, name,
		product, o.Process)
}

func cleanNATS(ctx context.Context) (lines []string, err error) {
	if registry.NATS.Ready() != nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	conn, err := hub.Connect(registry.NATS.Address())
	if err != nil {
		return nil, nil // the run will report the error
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, registry.NATS.PublicError(err)
	}
	streams := js.ListStreams(ctx)
	for info := range streams.Info() {
		o, is := parseOwner(info.Config.Description)
		if !is || !o.hasEnded() {
			continue
		}
		name := info.Config.Name
		if err := js.DeleteStream(ctx, name); err != nil {
			return lines, registry.NATS.PublicError(err)
		}
		lines = append(lines, o.removedLine("stream", name, registry.NATS.Product))
	}
	return lines, registry.NATS.PublicError(streams.Err())
}

const redisOwners = "poolbench_owners"

// Opened helps to find the daily counts, which asynq cannot list.
type redisOwner struct {
	owner
	Opened time.Time
}

func markRedis(ctx context.Context, c *redis.Client, name string, p strategies.Params) error {
	if !isTemporary(p) {
		return nil
	}
	text, err := json.Marshal(redisOwner{ownerOf(p), time.Now()})
	if err != nil {
		return err
	}
	return c.HSetNX(ctx, redisOwners, name, text).Err()
}

func cleanRedis(ctx context.Context) (lines []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	o, err := redisOptions()
	if err != nil {
		return nil, registry.Redis.PublicError(err)
	}
	c := redis.NewClient(o)
	defer c.Close()
	all, err := c.HGetAll(ctx, redisOwners).Result()
	if err != nil {
		return nil, nil // the run will report the error
	}
	for name, text := range all {
		var is redisOwner
		if json.Unmarshal([]byte(text), &is) != nil || !is.hasEnded() {
			continue
		}
		stream := &redisStream{client: c, name: name, later: name + ":later", dead: name + ":dead"}
		tasks := &asynqQueue{redis: c, inspector: asynq.NewInspectorFromRedisClient(c), name: name,
			opened: is.Opened}
		if err := errors.Join(stream.delete(ctx), tasks.delete(ctx)); err != nil {
			return lines, registry.Redis.PublicError(err)
		}
		lines = append(lines, is.removedLine("queue", name, registry.Redis.Product))
	}
	return lines, nil
}
