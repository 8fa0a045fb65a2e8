//go:build unix

package stores

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/project/need"
	"github.com/poolbench/poolbench/internal/servers"
	"github.com/poolbench/poolbench/strategies"
)

// SIGKILL prevents a command from removing its temporary directory. The next start of any command
// must remove it after the processes have ended.
func TestLeavings(t *testing.T) {
	long := func(args ...string) []string {
		return append([]string{"run", "--quiet", "--out", "x", "--n", "60000", "--rate", "100"},
			args...)
	}
	for name, c := range map[string]struct {
		args []string
		left string // name of its directory
	}{
		"sqlite_queue": {long("--strategy", "sqlite_queue"), "poolbench-queue-*"},
		"jetstream":    {long("--strategy", "jetstream"), "poolbench-queue-*"},
		"file_read": {long("--strategy", "serial", "--workload", "file_read"),
			"poolbench-files-*"},
		"file_sync": {long("--strategy", "serial", "--workload", "file_sync"),
			"poolbench-files-*"},
		"sql":       {long("--strategy", "serial", "--workload", "sql_query"), "poolbench-sql-*"},
		"--workers": {long("--strategy", "serial", "--workers", "1"), "poolbench-nats-*"},
		"worker": {[]string{"worker", "--listen", "127.0.0.1:0", "--quiet"},
			"poolbench-nats-*"},
		"crash": {[]string{"crash", "sqlite_queue", "--tasks", "100000", "--quiet"},
			"poolbench-crash-*"},
		"crash in memory": {[]string{"crash", "jetstream:store=memory", "--tasks", "100000",
			"--quiet"}, "poolbench-queue-*"},
		"crash redis_stream": {[]string{"crash", "redis_stream", "--tasks", "100000", "--quiet"},
			"poolbench-redis-*"},
		"crash postgres_queue": {[]string{"crash", "postgres_queue", "--tasks", "100000",
			"--quiet"}, "poolbench-postgres-*"},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && slices.Contains([]string{"jetstream", "file_sync", "crash in memory",
				"crash postgres_queue"}, name) {
				t.Skip("long: skipped with -short")
			}
			if of, is := strings.CutPrefix(name, "crash "); is && of != "in memory" {
				needs(t, of)
			}
			dir := clitest.Room(t)
			for up := dir; up != "/"; up = filepath.Dir(up) {
				_ = os.Chmod(up, 0o755) // lets PostgreSQL's user reach the directory
			}
			cmd := clitest.Process(t, nil, c.args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// Wait longer, because a workload is also created briefly to check its parameters.
			var before []string
			for begun := time.Now(); time.Since(begun) < time.Minute; {
				found, _ := filepath.Glob(filepath.Join(dir, c.left, ".lock"))
				if found != nil && slices.Contains(before, found[0]) {
					break
				}
				before = found
				time.Sleep(300 * time.Millisecond)
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err == nil {
				t.Error("it has ended by itself")
			}
			made, _ := filepath.Glob(filepath.Join(dir, c.left))
			if made == nil {
				t.Errorf("it has made no %s", c.left)
			}
			for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
				clitest.Succeed(t, "version")
				left, _ := filepath.Glob(filepath.Join(dir, "poolbench*"))
				if left == nil {
					break
				}
				if time.Since(begun) > time.Minute {
					t.Fatalf("left are %q", left)
				}
			}
		})
	}
}

func needs(t *testing.T, strategy string) {
	t.Helper()
	for _, k := range servers.Kinds() {
		if k.Product == strategies.MustParse(strategy).Spec.Needs {
			if err := k.Missing(); err != nil {
				need.Skip(t, err)
			}
		}
	}
}
