package machine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/pprof/profile"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"cpu": "cpu", "mutex,cpu": "cpu+mutex", "heap+cpu+heap": "cpu+heap",
		"cpu,mutex,block,heap,goroutine": "cpu+goroutine+mutex+block+heap",
	} {
		if got, err := ParseProfiles(text); got != want || err != nil || CheckProfiles(got) != nil {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"", ",", "cpu,gpu", "CPU", "cpu/heap"} {
		if got, err := ParseProfiles(text); err == nil {
			t.Errorf("%q is %q", text, got)
		}
	}
	if CheckProfiles("mutex+cpu") == nil || CheckProfiles("gpu") == nil || CheckProfiles("") != nil {
		t.Error("Check")
	}
}

var kept [][]byte

// Profiles must only contain events of the session.
func TestSession(t *testing.T) {
	hold(64 << 20) // before the session
	outside()
	s, err := StartProfiles("cpu+mutex+block+heap")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := StartProfiles("cpu"); err == nil {
		t.Error("two at once")
	}
	hold(8 << 20)
	wait(10)
	all, err := s.End()
	if err != nil {
		t.Fatal(err)
	}
	outside()
	if again, err := s.End(); again != nil || err != nil {
		t.Errorf("ended twice: %v %v", again, err)
	}
	by := map[ProfileKind]*profile.Profile{}
	for _, p := range all {
		if by[p.Kind], err = profile.ParseData(p.Data); err != nil {
			t.Fatalf("%s: %v", p.Kind, err)
		}
	}
	for _, k := range []ProfileKind{CPU, Mutex, Block, Heap} {
		if by[k] == nil || by[k].CheckValid() != nil {
			t.Errorf("%s: %v", k, by[k])
		}
	}
	// the runtime scales up its samples
	if n := sum(by[Heap], "alloc_space", ".hold"); n < 8<<20 || n > 8<<20+99 {
		t.Errorf("%d bytes allocated, want 8 MB", n)
	}
	if n := sum(by[Heap], "inuse_space", ".hold"); n < 72<<20 || n > 72<<20+99 {
		t.Errorf("%d bytes alive, want 72 MB", n)
	}
	// On a busy machine a wait may end before it blocks, and a short wait may count several times.
	within, before := sum(by[Block], "contentions", ".wait"),
		sum(by[Block], "contentions", ".outside")
	if within < 1 || before != 0 {
		t.Errorf("blocked %d times, and %d times before it began", within, before)
	}
	kept = nil
	again, err := StartProfiles("block")
	if err != nil {
		t.Fatalf("after its end: %v", err)
	}
	if all, err = again.End(); err != nil || len(all) != 1 {
		t.Fatalf("%d profiles, error %v", len(all), err)
	}
	p, err := profile.ParseData(all[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	if n := sum(p, "contentions", ".wait"); n != 0 {
		t.Errorf("the next one has %d times of the one before", n)
	}
}

//go:noinline
func hold(bytes int) { kept = append(kept, make([]byte, bytes)) }

// wait blocks several times, each time for longer than the sampling rate.
func wait(times int) {
	for range times {
		c := make(chan struct{})
		time.AfterFunc(blockRate*11/10, func() { close(c) })
		<-c
	}
}

//go:noinline
func outside() { wait(7) }

// sum adds up the samples whose stack contains the function.
func sum(p *profile.Profile, of, function string) (n int64) {
	for i, t := range p.SampleType {
		for _, s := range p.Sample {
			if t.Type == of && strings.Contains(stack(s), function) {
				n += s.Value[i]
			}
		}
	}
	return n
}

func stack(s *profile.Sample) string {
	var names []string
	for _, l := range s.Location {
		for _, line := range l.Line {
			names = append(names, line.Function.Name)
		}
	}
	return strings.Join(names, "\n")
}

// Waiting goroutines must have the labels of their part. The sampler must not appear.
func TestProfileStacks(t *testing.T) {
	labels := NewProfileLabels(context.Background(), "worker_pool", "any", "short")
	blocked, there := make(chan struct{}), make(chan struct{})
	var working sync.WaitGroup
	working.Go(func() {
		labels.Strategy()
		labels.Task(1)
		there <- struct{}{}
		<-blocked
	})
	<-there
	s := &sampler{began: time.Now()}
	for range 2*atOnce + 3 {
		s.sample()
	}
	close(blocked)
	working.Wait()
	p, err := s.sum()
	if err != nil {
		t.Fatal(err)
	}
	inTask := int64(0)
	for _, sample := range p.Sample {
		if slices.Contains(sample.Label["class"], "short") {
			inTask += sample.Value[0]
			if got := fmt.Sprint(sample.Label); got !=
				"map[class:[short] part:[task] strategy:[worker_pool]]" {
				t.Error(got)
			}
		}
		if strings.Contains(stack(sample), "sampler") {
			t.Errorf("who looks is seen: %s", stack(sample))
		}
	}
	if inTask != 2*atOnce+3 {
		t.Errorf("the task waits in %d of %d looks", inTask, 2*atOnce+3)
	}
	var none *ProfileLabels
	none.Task(7)
	none.Strategy()
	none.Harness()
}

// The shortest interval must be used at which sampling needs at most 1/40 of the process's CPU
// time.
func TestPause(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct{ interval, look, cpu, since, want time.Duration }{
		{5 * ms, 0, 900 * ms, 1000 * ms, 10 * ms},
		{50 * ms, ms / 2, 2000 * ms, 1000 * ms, 50 * ms},
		{50 * ms, 2 * ms, 1000 * ms, 1000 * ms, 80 * ms},
		{80 * ms, 2 * ms, 200 * ms, 1000 * ms, 400 * ms},
		{5 * ms, 1 * ms, 0, 1000 * ms, 40 * ms},   // CPU time unknown
		{5 * ms, 1 * ms, 1, 1000 * ms, 4000 * ms}, // process idle
	} {
		if got := pause(c.interval, c.look, c.cpu, c.since); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
