//go:build unix

package stores

import (
	"bytes"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

// maxAfterFault is the time limit of a command after its store has failed. The documented limit is
// ten seconds, but a locked database took 12 s on a busy machine.
const maxAfterFault = 30 * time.Second

// testBrokenStore runs the command and breaks its store with strike, which is called until it
// returns true. If strike is nil, the store is broken from the start. The command must end soon,
// print the words, and account for all accepted tasks.
func testBrokenStore(t *testing.T, cmd *exec.Cmd, strike func() bool, words string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the test checks the exit code
	}()
	for begun := time.Now(); strike != nil && !strike(); {
		if time.Since(begun) > time.Minute {
			_ = cmd.Process.Kill()
			<-ended
			t.Fatal("its store was not found")
		}
		select {
		case <-ended:
			t.Fatalf("it has ended before: %s", stderr.String())
		case <-time.After(10 * time.Millisecond):
		}
	}
	struck := time.Now()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		_ = exec.Command("pkill", "-QUIT", "-P", strconv.Itoa(cmd.Process.Pid)).Run()
		_ = cmd.Process.Signal(syscall.SIGQUIT)
		time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
		<-ended
		t.Fatalf("it goes on: %s %s", stdout.String(), stderr.String())
	}
	if took := time.Since(struck); strike != nil && took > maxAfterFault {
		t.Errorf("it ended %v after the fault", took)
	}
	if code := cmd.ProcessState.ExitCode(); code != clitest.Unusable {
		t.Errorf("exit code %d", code)
	}
	if !regexp.MustCompile("the store failed: .*(" + words + ")").MatchString(stderr.String()) {
		t.Errorf("want %q in %s", words, stderr.String())
	}
	if strings.Contains(stderr.String(), "deadlock") {
		t.Errorf("it speaks of a deadlock: %s", stderr.String())
	}
	accountedFor(t, stdout.String(), stderr.String())
}

func accountedFor(t *testing.T, stdout, stderr string) {
	t.Helper()
	var doc crashed
	if json.Unmarshal([]byte(stdout), &doc) == nil && doc.Format == "poolbench crash" {
		if doc.Accepted == 0 ||
			doc.Once+doc.Twice+doc.Dead+doc.Lost+doc.Stored != doc.Accepted || doc.Fault == "" {
			t.Errorf("%+v", doc)
		}
		t.Logf("%d accepted, %d in the store, %d lost: %s", doc.Accepted, doc.Stored, doc.Lost,
			doc.Fault)
		return
	}
	m := regexp.MustCompile(`of (\d+) accepted tasks? (\d+) were done, (\d+) are in the store ` +
		`and (\d+) are lost`).FindStringSubmatch(stderr)
	if m == nil {
		if !strings.Contains(stderr, "contains 0 of 1 runs") && !strings.Contains(stderr, "crash: ") {
			t.Errorf("no account of the tasks: %s", stderr)
		}
		return
	}
	var n [4]int
	for i, text := range m[1:] {
		n[i], _ = strconv.Atoi(text)
	}
	if n[0] != n[1]+n[2]+n[3] {
		t.Error(m[0])
	}
	t.Log(stderr)
}

func storeCommands(strategy string) map[string][]string {
	return map[string][]string{
		"run": {"run", "--strategy", strategy, "--workload", "constant:mean=5ms", "--rate", "1000",
			"--n", "60000", "--limit", "2", "--quiet", "--out", "x"},
		"crash": {"crash", strategy, "--workload", "constant:mean=5ms", "--tasks", "60000",
			"--rate", "1000", "--limit", "2", "--kills", "1", "--quiet", "--format", "json"},
	}
}

// A limit on file sizes acts as a full disk for an embedded store.
func TestStoreFull(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for strategy, words := range map[string]string{
		"sqlite_queue": "disk is full|disk I/O error", "sqlite_queue:sync=normal": "disk",
		"jetstream": "file too large", "jetstream:sync=always": "file too large",
	} {
		for name, args := range storeCommands(strategy) {
			t.Run(strategy+"/"+name, func(t *testing.T) {
				t.Parallel()
				cmd, _ := clitest.IsolatedProcess(t, nil, args...)
				cmd.Args = append([]string{"sh", "-c", `ulimit -f 512 && exec "$0" "$@"`,
					cmd.Path}, args...)
				cmd.Path = "/bin/sh"
				testBrokenStore(t, cmd, nil, words)
			})
		}
	}
}

// TestStoreNoSpace is TestStoreFull on a small file system. JetStream reserves three quarters of
// the free space at the start, so a slow machine reaches that limit before the disk is full.
func TestStoreNoSpace(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for strategy, words := range map[string]string{
		"sqlite_queue": "disk is full",
		"jetstream":    "no space left on device|file resource limits exceeded",
	} {
		for name, args := range storeCommands(strategy) {
			t.Run(strategy+"/"+name, func(t *testing.T) {
				smallDisk(t, clitest.Room(t), "3m")
				testBrokenStore(t, clitest.Process(t, nil, args...), nil, words)
			})
		}
	}
}

func smallDisk(t *testing.T, at, size string) {
	t.Helper()
	if said, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "none",
		at).CombinedOutput(); err != nil {
		t.Skipf("needs the right to mount a file system: %v %s", err, said)
	}
	t.Cleanup(func() {
		if err := exec.Command("umount", "-l", at).Run(); err != nil {
			t.Error(err)
		}
	})
}

func TestStoreLocked(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for the lock")
	}
	for name, args := range storeCommands("sqlite_queue") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd, dir := clitest.IsolatedProcess(t, nil, args...)
			testBrokenStore(t, cmd, func() bool {
				found := stores(dir)
				if found == nil {
					return false
				}
				db, err := sql.Open("sqlite", filepath.Join(found[0], "queue.db"))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = db.Close() })
				accepted := 0 // before that, the strategy may not start on a locked database
				if err := db.QueryRow("SELECT seq FROM sqlite_sequence").Scan(
					&accepted); err != nil {
					return false
				}
				_, err = db.Exec("PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE")
				return err == nil
			}, "no request has succeeded for .*database is locked")
		})
	}
}

func stores(dir string) (found []string) {
	for _, pattern := range []string{"poolbench-queue-*", "poolbench-crash-*/crash_*"} {
		more, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, path := range more {
			for _, file := range []string{"queue.db-wal", "jetstream/$G/streams/*/obs/*/o.dat",
				// JetStream writes this file when it has created its consumer.
				"jetstream/$G/streams/*/obs/*/meta.inf"} {
				if has, _ := filepath.Glob(filepath.Join(path, file)); has != nil {
					found = append(found, path)
				}
			}
		}
	}
	return found
}

func TestStoreDeleted(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for _, strategy := range []string{"sqlite_queue", "sqlite_queue:sync=normal", "jetstream"} {
		for name, args := range storeCommands(strategy) {
			t.Run(strategy+"/"+name, func(t *testing.T) {
				t.Parallel()
				cmd, dir := clitest.IsolatedProcess(t, nil, args...)
				testBrokenStore(t, cmd, func() bool {
					time.Sleep(200 * time.Millisecond) // until some tasks are accepted
					found := stores(dir)
					if len(found) == 0 {
						return false
					}
					time.Sleep(200 * time.Millisecond) // until the store has started
					// RemoveAll fails if a file is created meanwhile.
					for tries := 0; tries < 1000 && os.RemoveAll(found[0]) != nil; tries++ {
					}
					return true
				}, "files are gone|no such file|lmb missing")
			})
		}
	}
}

func TestStoreDamaged(t *testing.T) {
	// nats-server 2.15 panics if a request is pending while it closes an unreadable store
	const nats = `NATS: |server\.\(\*Server\)\.processJSAPIRoutedRequests`
	for strategy, words := range map[string]string{
		"sqlite_queue": "not a database|malformed|damaged", "jetstream": nats,
		"sqlite_queue:sync=normal": "not a database|malformed|damaged",
		"jetstream:sync=always":    nats,
	} {
		t.Run(strategy, func(t *testing.T) {
			if testing.Short() && strategy != "sqlite_queue" {
				t.Skip("long: skipped with -short")
			}
			t.Parallel()
			cmd, dir := clitest.IsolatedProcess(t, nil,
				append(storeCommands(strategy)["crash"], "--tasks", "3000")...)
			cmd.Env = append(cmd.Env, clitest.Flipped+"="+dir)
			testBrokenStore(t, cmd, nil, words)
		})
	}
}

func TestStoreMeddled(t *testing.T) {
	if testing.Short() {
		t.Skip("strategies/durable checks its files in short tests too")
	}
	for name, meddle := range map[string]func(path string) error{
		"deleted":   os.Remove,
		"truncated": func(path string) error { return os.Truncate(path, 0) },
		"overwritten": func(path string) error {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			_, _ = rand.Read(data) // never fails
			file, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = file.Write(data)
			return errors.Join(err, file.Close())
		},
	} {
		for command, args := range storeCommands("jetstream") {
			t.Run(name+"/"+command, func(t *testing.T) {
				t.Parallel()
				cmd, dir := clitest.IsolatedProcess(t, nil, args...)
				var seen time.Time
				testBrokenStore(t, cmd, func() bool {
					var files []string
					_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
						if err == nil && filepath.Ext(path) == ".blk" {
							files = append(files, path)
						}
						return nil
					})
					if len(files) > 0 && seen.IsZero() {
						seen = time.Now()
					}
					// The command checks the files once a second, so it has noticed their loss by
					// then.
					if seen.IsZero() || time.Since(seen) < 6*time.Second {
						return false
					}
					found := 0
					for _, path := range files {
						if meddle(path) == nil {
							found++
						}
					}
					return found > 0
				}, "files are gone|made shorter|were changed|NATS: ")
			})
		}
	}
}
