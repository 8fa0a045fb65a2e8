package servers

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/poolbench/poolbench/internal/project/need"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clients contains commands that store and read a word.
var clients = map[string]struct {
	keep, give func(t *testing.T, s *Server) string
}{
	"postgres": {
		func(t *testing.T, s *Server) string {
			return psql(t, s, "CREATE TABLE kept AS SELECT 'word' AS word")
		},
		func(t *testing.T, s *Server) string { return psql(t, s, "SELECT word FROM kept") },
	},
	"redis": {
		func(t *testing.T, s *Server) string { return ask(t, s, "SET kept word") },
		func(t *testing.T, s *Server) string { return ask(t, s, "GET kept") },
	},
	"rabbitmq": {
		func(t *testing.T, s *Server) string { return control(t, s, "add_vhost", "word") },
		func(t *testing.T, s *Server) string { return control(t, s, "--quiet", "list_vhosts") },
	},
}

func psql(t *testing.T, s *Server, statement string) string {
	t.Helper()
	return output(t, exec.Command(filepath.Join(filepath.Dir(s.programs[0]), "psql"),
		"--no-psqlrc", "--tuples-only", "--command", statement, s.Address()))
}

func ask(t *testing.T, s *Server, command string) string {
	t.Helper()
	c, err := net.Dial("tcp", s.host())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "AUTH %s\r\n%s\r\nQUIT\r\n", s.password, command)
	text, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func control(t *testing.T, s *Server, args ...string) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(filepath.Dir(s.programs[0]), "rabbitmqctl"), args...)
	cmd.Env = append(s.erlang(), "HOME="+s.dir, "PATH="+os.Getenv("PATH"), "LC_ALL=C.UTF-8")
	return output(t, cmd)
}

func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("%v: %v: %s%s", cmd.Args, err, out, exit.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// start starts a server, or skips the test if the server is not installed.
func start(t *testing.T, k Kind, o Options) *Server {
	t.Helper()
	if err := k.Missing(); err != nil {
		need.Skip(t, err)
	}
	s, err := k.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Data must survive a crash and a stop. No processes or files may remain.
func TestServers(t *testing.T) {
	for _, k := range Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			if testing.Short() && k.Name == RabbitMQ.Name {
				t.Skip("which takes half a minute")
			}
			t.Parallel()
			s := start(t, k, Options{})
			host, client := s.host(), clients[k.Name]
			client.keep(t, s)
			for _, end := range []func() error{s.Kill, s.Stop} {
				if err := end(); err != nil {
					t.Fatal(err)
				}
				if c, err := net.Dial("tcp", host); err == nil {
					c.Close()
					t.Fatal("it answers after its end")
				}
				if left := leftIn(t, s.dir); left != "" {
					t.Fatal("still there:", left)
				}
				if err := s.Start(t.Context()); err != nil {
					t.Fatal(err)
				}
				if s.host() != host {
					t.Errorf("first at %s, then at %s", host, s.host())
				}
				if got := client.give(t, s); !strings.Contains(got, "word") {
					t.Errorf("what was kept is now %q", got)
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if left := leftIn(t, s.dir); left != "" {
				t.Error("still there:", left)
			}
			if _, err := os.Stat(s.dir); !os.IsNotExist(err) {
				t.Errorf("the directory is still there: %v", err)
			}
		})
	}
}

// leftIn waits up to a minute for processes to end. A killed process may need seconds on a busy
// machine.
func leftIn(t *testing.T, dir string) (all string) {
	t.Helper()
	for range 600 {
		if all = processesIn(t, dir); all == "" {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return all
}

// processesIn returns the command lines of processes that use the directory.
func processesIn(t *testing.T, dir string) (all string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return ""
	}
	found, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, process := range found {
		cwd, _ := os.Readlink(filepath.Join(process, "cwd"))
		line, _ := os.ReadFile(filepath.Join(process, "cmdline"))
		if strings.HasPrefix(cwd, dir) || bytes.Contains(line, []byte(dir)) {
			all += fmt.Sprintf("%s %q; ", process, bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
		}
	}
	return all
}

// Settings must reach the server, and a given directory must be kept.
func TestSettings(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Parallel()
	dir, err := os.MkdirTemp("", "poolbench_test_") // other users cannot enter t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	o := Options{Dir: dir, Settings: []string{"synchronous_commit=off"}}
	s := start(t, Postgres, o)
	if got := psql(t, s, "SHOW synchronous_commit"); strings.TrimSpace(got) != "off" {
		t.Errorf("synchronous_commit is %q", got)
	}
	clients["postgres"].keep(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = start(t, Postgres, Options{Dir: dir})
	if got := psql(t, s, "SHOW synchronous_commit"); strings.TrimSpace(got) != "on" {
		t.Errorf("synchronous_commit is %q", got)
	}
	if got := clients["postgres"].give(t, s); strings.TrimSpace(got) != "word" {
		t.Errorf("what was kept is now %q", got)
	}
}

// The error must contain the server's message, without the password.
func TestWrongSettings(t *testing.T) {
	for _, c := range []struct {
		kind     Kind
		settings []string
		want     string
	}{
		{Redis, []string{"appendfsync"}, "want name=value"},
		{Redis, []string{"appendfsync=sometimes"}, "argument(s) must be one of"},
		{Postgres, []string{"fsync=sometimes"}, "requires a Boolean value"},
	} {
		t.Run(c.kind.Name, func(t *testing.T) {
			if testing.Short() && c.kind.Name == Postgres.Name {
				t.Skip("long: skipped with -short")
			}
			t.Parallel()
			if err := c.kind.Missing(); err != nil {
				need.Skip(t, err)
			}
			s, err := c.kind.Start(t.Context(), Options{Settings: c.settings})
			if err == nil {
				s.Close()
				t.Fatal("it has started")
			}
			text := err.Error()
			if !strings.Contains(text, c.want) || strings.Contains(text, "\n") {
				t.Errorf("%s\nwant: %s", text, c.want)
			}
		})
	}
}
