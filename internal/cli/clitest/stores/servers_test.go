//go:build unix

package stores

import (
	"context"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/project/need"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/internal/servers"
	"github.com/poolbench/poolbench/strategies"
)

func served(t *testing.T, strategy string, o servers.Options) (*servers.Server, servers.Kind) {
	t.Helper()
	spec := strategies.MustParse(strategy).Spec
	i := slices.IndexFunc(servers.Kinds(), func(k servers.Kind) bool {
		return k.Product == spec.Needs
	})
	kind := servers.Kinds()[i]
	if err := kind.Missing(); err != nil {
		need.Skip(t, err)
	}
	s, err := kind.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, kind
}

var servedStrategies = []string{"postgres_queue", "river", "redis_stream", "asynq", "rabbitmq"}

func TestServerRefuses(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for _, strategy := range servedStrategies {
		t.Run(strategy, func(t *testing.T) {
			var o servers.Options
			if strategies.MustParse(strategy).Spec.Needs == servers.RabbitMQ.Product {
				o.Settings = []string{"disk_free_limit.absolute=900000GB"}
			}
			s, kind := served(t, strategy, o)
			for name, args := range storeCommands(strategy) {
				t.Run(name, func(t *testing.T) {
					t.Chdir(t.TempDir())
					p := startProxy(t, s, kind)
					cmd := clitest.Process(t, nil, args...)
					switch kind.Product {
					case servers.Redis.Product:
						testBrokenStore(t, cmd, p.midway(func() error {
							return limitRedis(t, s.Address(), "1")
						}), "OOM command not allowed")
						if err := limitRedis(t, s.Address(), "0"); err != nil {
							t.Fatal(err)
						}
					case servers.Postgres.Product:
						testBrokenStore(t, cmd, p.midway(func() error {
							return lockPostgres(t, s.Address(), "on")
						}), "read-only transaction")
						if err := lockPostgres(t, s.Address(), "off"); err != nil {
							t.Fatal(err)
						}
					default:
						testBrokenStore(t, cmd, nil, "low on disk")
					}
				})
			}
		})
	}
}

// most is in bytes. 0 means no limit.
func limitRedis(t *testing.T, address, most string) error {
	o, err := redis.ParseURL(address)
	if err != nil {
		return err
	}
	c := redis.NewClient(o)
	defer c.Close()
	return c.ConfigSet(t.Context(), "maxmemory", most).Err()
}

func lockPostgres(t *testing.T, address, locked string) error {
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		return err
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(),
		"ALTER SYSTEM SET default_transaction_read_only = "+locked); err != nil {
		return err
	}
	_, err = conn.Exec(t.Context(), "SELECT pg_reload_conf()")
	return err
}

// The server first accepts connections without answering requests. Then it ends for good.
func TestServerAway(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for _, strategy := range servedStrategies {
		t.Run(strategy, func(t *testing.T) {
			s, kind := served(t, strategy, servers.Options{})
			t.Run("silent", func(t *testing.T) {
				t.Chdir(t.TempDir())
				p := startProxy(t, s, kind)
				testBrokenStore(t, clitest.Process(t, nil, storeCommands(strategy)["run"]...),
					p.midway(func() error { p.mute(); return nil }), "no request has succeeded")
			})
			t.Run("gone", func(t *testing.T) {
				t.Chdir(t.TempDir())
				p := startProxy(t, s, kind)
				testBrokenStore(t, clitest.Process(t, nil, storeCommands(strategy)["crash"]...),
					p.midway(s.Kill), "no request has succeeded")
			})
		})
	}
}

func TestServerFull(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for strategy, o := range map[string]servers.Options{
		"postgres_queue": {}, "river": {},
		"redis_stream": {Settings: []string{"appendfsync=always"}}, "asynq": {},
	} {
		for name, args := range storeCommands(strategy) {
			t.Run(strategy+"/"+name, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "disk")
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				smallDisk(t, dir, "200m")
				for up := dir; up != "/"; up = filepath.Dir(up) {
					_ = os.Chmod(up, 0o755) // lets PostgreSQL's user reach the directory
				}
				o.Dir = filepath.Join(dir, "server")
				t.Chdir(t.TempDir())
				s, kind := served(t, strategy, o)
				p := startProxy(t, s, kind)
				testBrokenStore(t, clitest.Process(t, nil, args...),
					p.midway(func() error { return fill(dir) }),
					"(?i)no space left|no request has succeeded")
			})
		}
	}
}

func fill(dir string) error {
	f, err := os.Create(filepath.Join(dir, "full"))
	if err != nil {
		return err
	}
	defer f.Close()
	for block := make([]byte, 4096); ; {
		if _, err := f.Write(block); err != nil {
			return nil
		}
	}
}

func TestServerDirectoryGone(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for _, strategy := range []string{"postgres_queue", "redis_stream", "rabbitmq"} {
		t.Run(strategy, func(t *testing.T) {
			for _, k := range servers.Kinds() {
				if err := k.Missing(); err != nil && k.Product ==
					strategies.MustParse(strategy).Spec.Needs {
					need.Skip(t, err)
				}
			}
			dir := clitest.Room(t)
			for up := dir; up != "/"; up = filepath.Dir(up) {
				_ = os.Chmod(up, 0o755)
			}
			testBrokenStore(t, clitest.Process(t, nil, storeCommands(strategy)["crash"]...), func() bool {
				found, _ := filepath.Glob(filepath.Join(dir, "poolbench-*", "password"))
				if found == nil || !listens(filepath.Dir(found[0])) {
					return false
				}
				time.Sleep(2 * time.Second) // until some tasks are stored
				_ = os.RemoveAll(filepath.Dir(found[0]))
				return true
			}, "files are gone")
		})
	}
}

// PostgreSQL writes the file when it is ready.
var ports = map[string]*regexp.Regexp{
	"data/postmaster.pid": regexp.MustCompile(`(?m)\A(?:.*\n){3}(\d+)\n(?:.*\n){3}ready`),
	"redis.conf":          regexp.MustCompile(`(?m)^port (\d+)$`),
	"rabbitmq.conf":       regexp.MustCompile(`(?m)^listeners\.tcp\.1 = .*:(\d+)$`),
}

func listens(dir string) bool {
	for name, port := range ports {
		text, _ := os.ReadFile(filepath.Join(dir, name)) // only one of the files exists
		if found := port.FindSubmatch(text); found != nil {
			c, err := net.Dial("tcp", "127.0.0.1:"+string(found[1]))
			if err == nil {
				_ = c.Close()
			}
			return err == nil
		}
	}
	return false
}

type proxy struct {
	address string
	silent  chan struct{}
	passed  atomic.Int64 // chunks forwarded in both directions
}

// midway returns a fault that strikes after some tasks have been accepted. The start of a command
// needs fewer chunks.
func (p *proxy) midway(strike func() error) func() bool {
	return func() bool { return p.passed.Load() > 2000 && strike() == nil }
}

// startProxy starts a proxy that commands use in place of the server.
func startProxy(t *testing.T, s *servers.Server, kind servers.Kind) *proxy {
	t.Helper()
	u, err := url.Parse(s.Address())
	if err != nil {
		t.Fatal(err)
	}
	server := u.Host
	in, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u.Host = in.Addr().String()
	p := &proxy{address: u.String(), silent: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	t.Cleanup(func() { cancel(); _ = in.Close(); all.Wait() })
	all.Go(func() {
		for {
			c, err := in.Accept()
			if err != nil {
				return
			}
			all.Go(func() { p.pass(ctx, c, server, &all) })
		}
	})
	t.Setenv(serverVariable(t, kind), p.address)
	return p
}

func (p *proxy) mute() { close(p.silent) }

// pass keeps the connection open while the proxy is silent.
func (p *proxy) pass(ctx context.Context, c net.Conn, server string, all *sync.WaitGroup) {
	defer c.Close()
	s, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer s.Close()
	ended := make(chan struct{}, 2)
	for _, pair := range [][2]net.Conn{{c, s}, {s, c}} {
		all.Go(func() {
			_, _ = io.Copy(heldBack{pair[0], p}, pair[1])
			ended <- struct{}{}
		})
	}
	select {
	case <-ended:
		select {
		case <-p.silent:
			<-ctx.Done()
		default:
		}
	case <-ctx.Done():
	}
}

type heldBack struct {
	net.Conn
	by *proxy
}

func (h heldBack) Write(b []byte) (int, error) {
	h.by.passed.Add(1)
	select {
	case <-h.by.silent:
		return len(b), nil
	default:
		return h.Conn.Write(b)
	}
}

// ReadFrom prevents io.Copy from bypassing Write.
func (h heldBack) ReadFrom(r io.Reader) (n int64, err error) {
	return io.Copy(struct{ io.Writer }{h}, r)
}

func serverVariable(t *testing.T, k servers.Kind) string {
	t.Helper()
	for _, s := range registry.Servers() {
		if s.Product == k.Product {
			return s.Variable
		}
	}
	t.Fatal("no variable for ", k.Product)
	return ""
}
