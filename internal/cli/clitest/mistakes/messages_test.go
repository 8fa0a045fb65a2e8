package mistakes

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/rundir"
)

func TestServerAddress(t *testing.T) {
	t.Chdir(t.TempDir())
	for strategy, server := range map[string]string{"redis_stream": "redis=127.0.0.1:1",
		"rabbitmq": "rabbitmq=127.0.0.1:1", "postgres_queue": "postgres=127.0.0.1:1",
		"asynq":                  "redis=redis://user:s3cret@127.0.0.1:1/0",
		"river":                  "postgres=host=127.0.0.1 port=1 user=u password=s3cret",
		"jetstream:server=outer": "nats=nats://u:s3cret@127.0.0.1:1"} {
		for _, variable := range []string{"NATS", "POSTGRES", "REDIS", "RABBITMQ"} {
			t.Setenv("POOLBENCH_"+variable, "") // --server sets this variable
		}
		o := clitest.Command(t, "run", "--strategy", strategy, "--server", server, "--n", "5", "--rate",
			"100", "--clock", "real")
		if o.Code != clitest.Unusable || !strings.Contains(o.Stderr, "127.0.0.1:1") ||
			strings.Contains(o.Stderr, "s3cret") {
			t.Errorf("%s at %s: exit code %d: %s", strategy, server, o.Code, o.Stderr)
		}
		if testing.Short() || strategy != "asynq" {
			continue
		}
		o = clitest.Command(t, "crash", strategy, "--server", server, "--tasks", "5")
		if o.Code != clitest.Unusable || !strings.Contains(o.Stderr, "127.0.0.1:1") ||
			strings.Contains(o.Stderr, "s3cret") || strings.Contains(o.Stderr, "left behind") {
			t.Errorf("crash %s at %s: exit code %d: %s", strategy, server, o.Code, o.Stderr)
		}
	}
}

func TestNobodyLeavesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"attack", "http://127.0.0.1:1/", "--n", "3"},
		{"attack", "http://127.0.0.1:1/", "--n", "3", "--out", "d"},
		{"attack", "http://127.0.0.1:1/", "--n", "3", "--out", "d", "--count", "2"},
		{"capacity", "http://127.0.0.1:1/", "--objective", "p99-response<1s", "--out", "d"}} {
		o := clitest.Command(t, args...)
		if o.Code != clitest.Unusable || !strings.Contains(o.Stderr, "nobody answers") {
			t.Errorf("%q: exit code %d: %s", args, o.Code, o.Stderr)
		}
		if left := clitest.Tree(t); left != "" {
			t.Errorf("%q leaves %s", args, left)
		}
	}
	clitest.Succeed(t, "run", "--clock", "virtual", "--strategy", "semaphore", "--n", "500", "--out",
		"d")
	before := clitest.Read(t, filepath.Join("d", rundir.ResultsFile))
	clitest.Command(t, "attack", "http://127.0.0.1:1/", "--n", "3", "--out", "d", "--append")
	after := clitest.Read(t, filepath.Join("d", rundir.ResultsFile))
	if !strings.HasPrefix(after, strings.TrimSuffix(before, "\n")) {
		t.Error("what was there before is gone")
	}
}

func TestStaleSocket(t *testing.T) {
	t.Chdir(t.TempDir())
	listener, err := net.Listen("unix", "s.sock")
	if err != nil {
		t.Fatal(err)
	}
	listener.(*net.UnixListener).SetUnlinkOnClose(false)
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	o := clitest.Command(t, "attack", "http://h/", "--unix-socket", "s.sock", "--n", "3", "--junit",
		"j.xml")
	if want := "--unix-socket: no server listens: s.sock: connection refused"; o.Code !=
		clitest.Unusable || !strings.Contains(o.Stderr, want) || clitest.Tree(t) != "s.sock" {
		t.Errorf("exit code %d: %s; left is %s", o.Code, o.Stderr, clitest.Tree(t))
	}
}

func TestOneStream(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"run", "--clock", "virtual", "--strategy", "semaphore", "--n", "500", "--progress-json",
		"s.json"}
	first := clitest.Process(t, nil, "run", "--clock", "real", "--strategy", "semaphore", "--rate",
		"10", "--duration", "1h", "--progress-json", "s.json", "--out", "first")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = first.Process.Kill()
		_ = first.Wait()
	}()
	for { // until the file exists
		if text, err := os.ReadFile("s.json"); err == nil && len(text) > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	o := clitest.Command(t, args...)
	if want := "--progress-json: s.json: another command writes to it"; o.Code != clitest.Unusable ||
		!strings.Contains(o.Stderr, want) || clitest.Read(t, "s.json") == "" {
		t.Errorf("exit code %d: %s", o.Code, o.Stderr)
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	clitest.Succeed(t, args...)
}

func TestChangedResults(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Succeed(t, "run", "--clock", "virtual", "--strategy", "semaphore", "--n", "500", "--count",
		"6", "--out", "a")
	text := clitest.Read(t, filepath.Join("a", rundir.ResultsFile))
	at := strings.Index(text, "\nBenchmark") + 1
	line := text[at : at+strings.Index(text[at:], "\n")+1]
	clitest.Write(t, "b.txt", text[:at]+line+text[at:])
	const want = "b.txt is incomplete: contains 7 runs, but its last line counts 6"
	for _, command := range []string{"compare", "gate"} {
		o := clitest.Command(t, command, "a", "b.txt")
		if o.Code != clitest.Unusable || !strings.Contains(o.Stderr, want) {
			t.Errorf("%s: exit code %d: %s", command, o.Code, o.Stderr)
		}
	}
	o := clitest.Command(t, "gate", "a", "b.txt", "--allow-partial")
	if strings.Contains(o.Stderr, want) {
		t.Errorf("--allow-partial: %s", o.Stderr)
	}
	o = clitest.Command(t, "trend", "a", "a", "a")
	if want := "a trend needs two results or more; a repeats a, so it counts once"; o.Code !=
		clitest.Unusable || !strings.Contains(o.Stderr, want) {
		t.Errorf("exit code %d: %s", o.Code, o.Stderr)
	}
}

func TestUnwritableDirectoryNamesOut(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Write(t, "poolbench-out", "a file in the place of the directory\n")
	o := clitest.Command(t, "run", "--strategy", "semaphore", "--n", "200", "--clock", "virtual")
	if o.Code != clitest.Unusable || !strings.Contains(o.Stderr, "(--out names another directory)") {
		t.Errorf("exit code %d: %s", o.Code, o.Stderr)
	}
}
