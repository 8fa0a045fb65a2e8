package flight

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/machine/flight"
)

// record has a slow task end in a goroutine of its own, after what do does, and returns the trace.
func record(t *testing.T, do func()) []byte {
	t.Helper()
	r, err := flight.Begin(10*time.Second, time.Nanosecond)
	if err != nil {
		t.Fatal(err)
	}
	var ending sync.WaitGroup
	ending.Go(func() {
		begun := time.Now()
		do()
		took := int64(time.Since(begun))
		r.Done(17, took+1_000_000, took)
	})
	ending.Wait()
	data, err := r.End()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var lock sync.Mutex

func holdsTheLock(took chan<- struct{}) {
	lock.Lock()
	close(took)
	time.Sleep(30 * time.Millisecond)
	lock.Unlock()
}

func waitsForTheLock() {
	lock.Lock()
	defer lock.Unlock()
}

// TestLock: a task that waits for a lock is said to, with who held it.
func TestLock(t *testing.T) {
	data := record(t, func() {
		took := make(chan struct{})
		go holdsTheLock(took)
		<-took
		waitsForTheLock()
	})
	a, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if a.Task != 17 || a.Waited != time.Millisecond || a.Response <= a.Waited ||
		a.Seen > a.Response || len(a.Blocked) == 0 {
		t.Fatalf("%+v", a)
	}
	b := a.Blocked[0]
	if b.Why != "sync" || b.At != "flight.waitsForTheLock" || b.Waking != "flight.holdsTheLock" {
		t.Errorf("%+v", b)
	}
	sum := a.Running + a.Runnable + a.Syscall
	for _, b := range a.Blocked {
		sum += b.For
	}
	if sum > a.Seen || sum < a.Seen*9/10 {
		t.Errorf("%v of %v is accounted for: %+v", sum, a.Seen, a)
	}
	for _, want := range []string{"task 17 took ", "1.00 ms of it before its start",
		"blocked in flight.waitsForTheLock (sync), until flight.holdsTheLock let it go on"} {
		if !strings.Contains(a.String(), want) {
			t.Errorf("%q does not say %q", a, want)
		}
	}
	if a.Processors != runtime.GOMAXPROCS(0) || a.Busy < 0 || a.Busy > 1 {
		t.Errorf("%d processors, busy %v", a.Processors, a.Busy)
	}
}

var sink [][]byte

// TestCollector: marking is seen.
func TestCollector(t *testing.T) {
	data := record(t, func() {
		for range 200_000 {
			sink = append(sink, make([]byte, 64))
		}
		runtime.GC()
		sink = nil
	})
	a, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if a.Marking == 0 || a.Stopped == 0 || a.Running == 0 {
		t.Errorf("%+v", a)
	}
}

// TestTool: the trace opens in go tool trace.
func TestTool(t *testing.T) {
	if testing.Short() {
		t.Skip("Go builds its tool first")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not installed")
	}
	file := filepath.Join(t.TempDir(), "flight.trace")
	if err := os.WriteFile(file, record(t, func() { time.Sleep(time.Millisecond) }),
		0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "tool", "trace", "-d=parsed", file).CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte(flight.Category)) {
		t.Errorf("%v: %.300s", err, out)
	}
}

// TestDamaged: what is no trace, or none of a slow task, is an error.
func TestDamaged(t *testing.T) {
	whole := record(t, func() {})
	for name, data := range map[string][]byte{"nothing": nil, "text": []byte("no trace at all"),
		"half": whole[:len(whole)/2], "changed": bytes.Replace(whole,
			[]byte(flight.Category), []byte("another of the kind"), 1)} {
		if a, err := Read(data); err == nil {
			t.Errorf("%s: %v", name, a)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("go 1.26 trace\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if a, err := Read(data); err == nil {
			_ = a.String()
		}
	})
}
