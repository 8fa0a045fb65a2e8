package builtin_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// flakyName names a flaky task by its first successful attempt.
func flakyName(t *strategies.Task) any { return t.Arg.(*flaky).ok }

func TestPoison(t *testing.T) {
	retrying(t, func(t *testing.T, strategy string) {
		synctest.Test(t, func(t *testing.T) {
			spec, p := variant(t, strategy+":attempts=4", 3, 100)
			log, letters := newLog(100), new(strategies.DeadLetterList)
			s := spec.New(t.Context(), p, &strategies.DeadLetterSink{Next: log, Letters: letters,
				Describe: flakyName})
			for i := range 100 { // 3, 4: succeed in time; 0: never succeed; 5 and up: too late
				accept(t, s, &newFlaky(i, 0).Task)
			}
			drainAll(t, s)
			at := make(map[any]time.Time)
			for range 100 {
				e := <-log.done
				ok := e.task.Arg.(*flaky).ok
				if dead := ok == 0 || ok > 4; dead != errors.Is(e.err, strategies.ErrExhausted) ||
					!dead && e.err != nil {
					t.Errorf("task %d was done with %v", ok, e.err)
				} else if dead {
					at[ok] = log.start.Add(e.at)
				}
			}
			got := letters.All()
			for _, l := range got {
				if want := (strategies.DeadLetter{Time: at[l.Task], Task: l.Task, Attempts: 4,
					Error: "not yet"}); l != want {
					t.Errorf("letter %+v, want %+v", l, want)
				}
				delete(at, l.Task)
			}
			if len(got) != 96 || len(at) != 0 {
				t.Errorf("%d letters, want 96; without one: %v", len(got), at)
			}
		})
	})
}

type refusal struct{ error }

func (r refusal) Add(strategies.DeadLetter) error { return r.error }

func TestDeadLetterIsNotKept(t *testing.T) {
	full := errors.New("disk full")
	var told []error
	sink := &strategies.DeadLetterSink{Letters: refusal{full},
		Next: strategies.SinkFunc(func(_ *strategies.Task,
			r strategies.Result) {
			told = append(told, r.Err)
		})}
	sink.Done(&strategies.Task{},
		strategies.Result{Err: &strategies.ExhaustedError{Attempts: 3, Last: errFlaky}})
	sink.Done(&strategies.Task{}, strategies.Result{Err: errFlaky})
	var e *strategies.ExhaustedError
	if err := told[0]; !errors.Is(err, full) || !errors.Is(err, errFlaky) || !errors.As(err, &e) ||
		!errors.Is(err, strategies.ErrExhausted) {
		t.Errorf("exhausted: %v", err)
	}
	if want := "exhausted: attempt 3 was the last: not yet, and its dead letter was not kept: disk full"; told[0].Error() != want {
		t.Errorf("%q, want %q", told[0], want)
	}
	if told[1] != errFlaky {
		t.Errorf("not exhausted: %v", told[1])
	}
}

func openLetters(t *testing.T, name string) *strategies.DeadLetterFile {
	t.Helper()
	f, err := strategies.OpenDeadLetterFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func linesOf(t *testing.T, name string) (all []string) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for s := bufio.NewScanner(file); s.Scan(); {
		all = append(all, s.Text())
	}
	return all
}

func TestDeadLetterFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dead.jsonl")
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	for part := range 2 {
		f := openLetters(t, path)
		var writers sync.WaitGroup
		for i := range 50 {
			writers.Go(func() {
				task := map[string]any{"id": 50*part + i, "text": "two\nlines"}
				if err := f.Add(strategies.DeadLetter{Time: at, Task: task, Attempts: 3,
					Error: "status \"429\""}); err != nil {
					t.Error(err)
				}
			})
		}
		writers.Wait()
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	var got, want []string
	got = linesOf(t, path)
	for i := range 100 {
		want = append(want,
			fmt.Sprintf(`{"time":"2026-01-02T03:04:05.000000006Z","task":{"id":%d,"text":"two\nlines"},"attempts":3,"error":"status \"429\""}`, i))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%d lines, the first of them %s", len(got), got[0])
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions: %v, %v", info.Mode(), err)
	}
}

func TestDeadLetterFileTorn(t *testing.T) {
	for before, want := range map[string]int{"": 1, "{}\n": 2, `{"time":"20`: 2, "{}\n{": 3} {
		path := filepath.Join(t.TempDir(), "dead.jsonl")
		if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		f := openLetters(t, path)
		if err := f.Add(strategies.DeadLetter{Attempts: 7}); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		all := linesOf(t, path)
		var last strategies.DeadLetter
		if err := json.Unmarshal([]byte(all[len(all)-1]), &last); err != nil ||
			last.Attempts != 7 || len(all) != want {
			t.Errorf("after %q: %q, error %v", before, all, err)
		}
	}
}

func TestDeadLetterFileErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := strategies.OpenDeadLetterFile(filepath.Join(dir, "none",
		"dead.jsonl")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
	path := filepath.Join(dir, "dead.jsonl")
	f := openLetters(t, path)
	var unsupported *json.UnsupportedTypeError
	if err := f.Add(strategies.DeadLetter{Task: make(chan int)}); !errors.As(err, &unsupported) {
		t.Errorf("a channel: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	for what, err := range map[string]error{"Add": f.Add(strategies.DeadLetter{}),
		"Close": f.Close()} {
		if !errors.Is(err, os.ErrClosed) || !strings.HasPrefix(err.Error(), "dead letters: ") {
			t.Errorf("%s after Close: %v", what, err)
		}
	}
	if all := linesOf(t, path); len(all) != 0 {
		t.Errorf("the file has %q", all)
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		full := openLetters(t, "/dev/full")
		if err := full.Add(strategies.DeadLetter{}); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("a full disk: %v", err)
		}
		if err := full.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The child process reports each stored letter until it is killed.
func TestDeadLetterFileIsReadableAfterAKill(t *testing.T) {
	const variable = "POOLBENCH_TEST_DEAD_LETTERS"
	if path := os.Getenv(variable); path != "" {
		f := openLetters(t, path)
		for i := 0; ; i++ {
			if err := f.Add(strategies.DeadLetter{Task: i, Attempts: 3,
				Error: "not yet"}); err != nil {
				t.Fatal(err)
			}
			fmt.Println(i)
		}
	}
	path := filepath.Join(t.TempDir(), "dead.jsonl")
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), variable+"="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	said := 0
	for s := bufio.NewScanner(out); said < 100 && s.Scan(); {
		said++
	}
	if err := child.Process.Kill(); err != nil {
		t.Error(err)
	}
	if err := child.Wait(); err == nil {
		t.Error("the child ended by itself")
	}
	all := linesOf(t, path)
	if said < 100 || len(all) < said {
		t.Fatalf("%d letters were said to be written, and %d are", said, len(all))
	}
	for i, line := range all[:max(said, len(all)-1)] { // the last line may be incomplete
		var got strategies.DeadLetter
		want := strategies.DeadLetter{Task: float64(i), Attempts: 3, Error: "not yet"}
		if err := json.Unmarshal([]byte(line), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("line %d is %q: %v", i+1, line, err)
		}
	}
}
