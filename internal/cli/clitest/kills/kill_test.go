//go:build unix

package kills

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/reports/results"
)

const killings = "POOLBENCH_TEST_KILLINGS"

func rounds(t *testing.T, usual int) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv(killings))
	if err != nil {
		return usual
	}
	return n
}

func killedAfter(t *testing.T, d time.Duration, args ...string) {
	t.Helper()
	cmd := clitest.Process(t, nil, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(d, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	_ = cmd.Wait() // a killed command returns an error
}

// readable returns the number of runs in the directory.
func readable(t *testing.T, dir string) (runs int) {
	t.Helper()
	r, err := results.ReadDir(dir)
	switch {
	case err == nil:
		return len(r.Runs)
	case os.IsNotExist(err), strings.Contains(err.Error(), "no such file"),
		strings.Contains(err.Error(), "no runs in it"),
		strings.Contains(err.Error(), "the file is empty"),
		strings.Contains(err.Error(), "not the directory of a run"):
		return 0
	}
	t.Errorf("it cannot be read: %v", err)
	return 0
}

// resumable lists small commands that can be resumed. No two tasks may be due at the same instant,
// because then the bytes would depend on the scheduler.
var resumable = map[string]string{
	"run": "run --quiet --clock virtual --strategy serial,worker_pool --n 500 --count 3 --out ",
	"capacity": "capacity --quiet --clock virtual --strategy worker_pool --n 500 --warmup 0 " +
		"--resolution 50% --load-range 0.5,1 --count 6 --objective p99-response<80ms --out ",
	"study": "study spread --quick --quiet --out ",
}

func sameFiles(t *testing.T, want, got string) {
	t.Helper()
	for _, file := range []string{"results.txt", "distributions.hlog", "timeline.csv",
		"slowest.csv"} {
		if diff := cmp.Diff(clitest.Read(t, want+"/"+file),
			clitest.Read(t, got+"/"+file)); diff != "" {
			t.Errorf("%s: %s differs from that of a run that was left alone:\n%.2000s", got, file,
				diff)
		}
	}
}

// After a truncation at any byte, a resumed run must equal an uninterrupted run byte for byte.
func TestResume(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for kind, line := range resumable {
		t.Run(kind, func(t *testing.T) {
			if testing.Short() && kind == "study" {
				t.Skip("which takes some seconds")
			}
			t.Chdir(t.TempDir())
			whole := clitest.Command(t, strings.Fields(line+"whole")...)
			if whole.Code == clitest.Unusable {
				t.Fatal(whole.Stderr)
			}
			if err := os.CopyFS("x", os.DirFS("whole")); err != nil {
				t.Fatal(err)
			}
			head := strings.Index(clitest.Read(t, "x/results.txt"), "\nBenchmark")
			if err := os.Truncate("x/results.txt",
				int64(head+random.IntN(len(clitest.Read(t, "x/results.txt"))-head))); err != nil {
				t.Fatal(err)
			}
			o := clitest.Command(t, strings.Fields(line+"x --resume")...)
			if o.Code != whole.Code {
				t.Errorf("exit code %d, want %d\n%s", o.Code, whole.Code, o.Stderr)
			}
			sameFiles(t, "whole", "x")
			if diff := cmp.Diff(strings.ReplaceAll(whole.Stdout, "whole", "x"),
				o.Stdout); diff != "" {
				t.Error(diff)
			}
			other := strings.Replace(strings.Replace(line, "worker_pool", "semaphore", 1),
				"--quick", "", 1)
			if o := clitest.Command(t,
				strings.Fields(other+"x --resume")...); o.Code != clitest.Unusable ||
				!strings.Contains(o.Stderr, "x was begun with another plan: ") {
				t.Errorf("another plan: exit code %d\n%s", o.Code, o.Stderr)
			}
		})
	}
}

// A killed run must leave a readable directory. After repeated kills, the bytes must equal those of
// an uninterrupted run. More rounds also test a search and a study.
func TestKill(t *testing.T) {
	kinds := []string{"run"}
	if os.Getenv(killings) != "" {
		kinds = append(kinds, "capacity", "study")
	}
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			line := resumable[kind]
			t.Chdir(t.TempDir())
			begun := time.Now()
			want := clitest.Command(t, strings.Fields(line+"whole")...).Code
			took := time.Since(begun)
			random := rand.New(rand.NewPCG(3, uint64(len(kind))))
			for n := range rounds(t, 1) {
				out := fmt.Sprint("x", n)
				runs := 0
				for range 3 {
					killedAfter(t, time.Duration(random.Int64N(int64(took))),
						strings.Fields(line+out+" --resume")...)
					if now := readable(t, out); now < runs {
						t.Errorf("%d runs were there, and %d are left", runs, now)
					} else {
						runs = now
					}
				}
				if o := clitest.Command(t,
					strings.Fields(line+out+" --resume")...); o.Code != want ||
					want == clitest.Unusable {
					t.Errorf("exit code %d, want %d\n%s", o.Code, want, o.Stderr)
				}
				sameFiles(t, "whole", out)
			}
		})
	}
}

func TestKillTwo(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	line := strings.Fields("run --quiet --clock virtual --strategy serial,worker_pool --n 500 " +
		"--count 3 --append --out x")
	random := rand.New(rand.NewPCG(5, 6))
	runs := 0
	for range rounds(t, 2) {
		done := make(chan struct{})
		after := []time.Duration{time.Duration(random.Int64N(int64(3 * time.Second))),
			time.Duration(random.Int64N(int64(3 * time.Second)))}
		go func() { defer close(done); killedAfter(t, after[0], line...) }()
		killedAfter(t, after[1], line...)
		<-done
		if now := readable(t, "x"); now < runs {
			t.Errorf("%d runs were there, and %d are left", runs, now)
		} else {
			runs = now
		}
	}
	clitest.Succeed(t, line...)
	r, err := results.ReadDir("x")
	if err != nil || len(r.Warnings) > 0 || r.Partial != "" {
		t.Fatalf("%v, %q, %q", err, r.Warnings, r.Partial)
	}
	seen := map[string]bool{}
	for _, run := range r.Runs {
		if id := run.Name + " " + run.Seed; seen[id] {
			t.Errorf("%s is there twice", id)
		} else {
			seen[id] = true
		}
	}
	if _, err := os.Stat("x/.lock"); err == nil {
		t.Error("the lock is left")
	}
}

func TestOneWriter(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Write(t, "s.yaml", strings.Replace(clitest.LongScenarios, "CLOCK", "real", 1))
	first, lines := clitest.StartAndAwait(t, nil, "1 of 2 runs", "run", "--file", "s.yaml", "--out", "x")
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("x is being written to by pid %d on %s: wait for its end\n",
		first.Process.Pid, host)
	short := "--clock virtual --strategy serial --n 500 --quiet --out x"
	all := []string{
		"run " + short, "run --append " + short, "run --force " + short, "run --resume " +
			short, "report x",
		"study load --quick --append --out x", "study load --quick --resume --out x",
		"capacity --append --objective shed<1% " + short, "capacity --resume --objective shed<1% " +
			short, "calibrate --append --out x",
		"attack http://127.0.0.1:9 --n 1 --append --out x", "gateway --n 1 --force --out x",
	}
	for _, line := range all {
		if o := clitest.Command(t, strings.Fields(line)...); o.Code != clitest.Unusable ||
			!strings.HasSuffix(o.Stderr, want) || strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d\n%s", line, o.Code, o.Stderr)
		}
	}
	if n := readable(t, "x"); n != 1 {
		t.Errorf("%d runs", n)
	}
	clitest.Succeed(t, "report", "x", "--html", "now.html")
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if s := clitest.Status(t, first, lines); s.Signal() != syscall.SIGKILL {
		t.Errorf("ended with %v", s)
	}
	clitest.Succeed(t, strings.Fields("run --append "+short)...)
	clitest.Succeed(t, "report", "x")
}

func TestLockStays(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(clitest.ChildFault, "hang")
	first, _ := clitest.StartAndAwait(t, nil, "1 of 2 runs", "run", "--clock", "virtual", "--strategy",
		"semaphore,serial", "--n", "500", "--out", "x")
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	clitest.Succeed(t, strings.Fields("run --append --quiet --clock virtual --strategy semaphore --n 500 "+
		"--out x")...)
}
