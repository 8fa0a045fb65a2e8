package durable_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hibiken/asynq"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/redis/go-redis/v9"

	"github.com/poolbench/poolbench/internal/fleet/hub"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/strategies"
)

// owners returns the marks of an ended process, this process, and a process on another host.
func owners(t *testing.T) map[string]string {
	t.Helper()
	ended := exec.Command(os.Args[0], "-test.run", "^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	marks := map[string]string{}
	for name, of := range map[string]map[string]any{
		"left_dead":  {"Host": host, "Process": ended.Process.Pid},
		"left_live":  {"Host": host, "Process": os.Getpid()},
		"left_away":  {"Host": "elsewhere", "Process": ended.Process.Pid},
		"left_space": {"Host": host, "Space": "another", "Process": ended.Process.Pid},
	} {
		text, err := json.Marshal(of)
		if err != nil {
			t.Fatal(err)
		}
		marks[name] = string(text)
	}
	return marks
}

func open(t *testing.T, v strategies.Variant) (end func()) {
	t.Helper()
	s, err := v.Spec.Start(t.Context(), strategies.Params{Limit: 1, Values: v.Values},
		strategies.SinkFunc(func(*strategies.Task, strategies.Result) {}))
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := s.Drain(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

func checkCleaned(t *testing.T, v strategies.Variant, what string) {
	t.Helper()
	lines, err := v.Spec.Clean(t.Context())
	if err != nil || len(lines) != 1 ||
		!strings.HasPrefix(lines[0], fmt.Sprintf("removed the %s %q", what, "left_dead")) {
		t.Errorf("%q, error %v", lines, err)
	}
	if lines, err := v.Spec.Clean(t.Context()); err != nil || len(lines) > 0 {
		t.Errorf("once more: %q, error %v", lines, err)
	}
}

// Only the stream of a killed process is removed.
func TestNATSLeft(t *testing.T) {
	server, err := hub.Embedded{Dir: t.TempDir(), Listen: "127.0.0.1:0"}.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer server.WaitForShutdown()
	defer server.Shutdown()
	t.Setenv(registry.NATS.Variable, server.ClientURL())
	conn, err := hub.Connect(server.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	v := strategies.MustParse("jetstream:server=outer")
	end := open(t, v)
	marks := owners(t)
	for name, mark := range marks {
		if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: name,
			Description: "poolbench: " + mark}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "left_mine",
		Description: "of somebody"}); err != nil {
		t.Fatal(err)
	}
	checkCleaned(t, v, "stream")
	marked := 0
	for info := range js.ListStreams(t.Context()).Info() {
		if strings.HasPrefix(info.Config.Name, "poolbench_") &&
			strings.Contains(info.Config.Description, fmt.Sprintf(`"Process":%d`, os.Getpid())) {
			marked++
		}
	}
	if marked != 2 {
		t.Errorf("%d streams of an instance have the mark of its process", marked)
	}
	end()
	left := map[string]bool{}
	for name := range js.StreamNames(t.Context()).Name() {
		left[name] = true
	}
	if len(left) != len(marks) || left["left_dead"] {
		t.Errorf("left are %v", left)
	}
}

func TestRedisLeft(t *testing.T) {
	for _, text := range []string{"redis_stream", "asynq"} {
		t.Run(text, func(t *testing.T) {
			v := strategies.MustParse(text)
			serve(t, v.Spec)
			o, err := redis.ParseURL(os.Getenv(registry.Redis.Variable))
			if err != nil {
				t.Fatal(err)
			}
			c := redis.NewClient(o)
			defer c.Close()
			before, err := c.DBSize(t.Context()).Result()
			if err != nil {
				t.Fatal(err)
			}
			end := open(t, v)
			if marks := c.HLen(t.Context(), "poolbench_owners").Val(); marks != 1 {
				t.Errorf("an instance has %d marks", marks)
			}
			marks := owners(t)
			for name, mark := range marks {
				for _, key := range []string{name, name + ":later", name + ":dead"} {
					if err := c.Set(t.Context(), key, "", 0).Err(); err != nil {
						t.Fatal(err)
					}
					defer c.Del(context.Background(), key)
				}
				if err := c.HSet(t.Context(), "poolbench_owners", name, mark).Err(); err != nil {
					t.Fatal(err)
				}
			}
			defer c.Del(context.Background(), "poolbench_owners")
			client := asynq.NewClientFromRedisClient(c)
			if _, err := client.Enqueue(asynq.NewTask("a", nil), asynq.Queue("left_dead")); err != nil {
				t.Fatal(err)
			}
			checkCleaned(t, v, "queue")
			end()
			after, err := c.DBSize(t.Context()).Result()
			if err != nil {
				t.Fatal(err)
			}
			if want := before + 3*3 + 1; after != want { // three of four queues, and the hash
				keys, _ := c.Keys(t.Context(), "*").Result()
				t.Errorf("%d keys, want %d: %q", after, want, keys)
			}
		})
	}
}
