package crash

import (
	"testing"
	"time"
)

// A recovery lasts from the first restart until the interrupted task begins again. Tasks in the
// store are not lost.
func TestInterrupted(t *testing.T) {
	kill := time.Unix(1000, 0)
	restart, again := kill.Add(time.Second), kill.Add(10*time.Second)
	for _, c := range []struct {
		counted string // line of the last process
		want    Report
	}{
		{"s 2", Report{Stored: 2}},
		{"s 1", Report{Stored: 1, Lost: 1, LostBegun: 1}},
		{"s 9", Report{Stored: 2}}, // messages of tasks that were done
		{"s 0", Report{Lost: 2, LostBegun: 2}},
		{"r 9 \"no\"", Report{Lost: 2, LostBegun: 2}}, // unknown count
	} {
		l := ledger{tasks: map[uint64]*entry{}, stored: -1}
		hear := func(at time.Time, lines ...string) {
			for _, line := range lines {
				if err := l.record(line, at); err != nil {
					t.Fatal(err)
				}
			}
		}
		hear(kill, "a 1", "a 2", "a 3", "a 4", "a 5", "b 1", "b 2", "b 3", "b 4", "b 5", "e 5")
		l.interrupt() // tasks 1 to 4
		l.restarted(restart)
		hear(restart.Add(2*time.Second), "b 1", "e 1")
		l.interrupt() // no task
		l.restarted(again)
		hear(again.Add(time.Second), "b 2", "e 2", c.counted)
		l.stalled = true
		want := c.want
		want.Accepted, want.Once = 5, 3
		want.Interrupted, want.Recovered = 4, 2
		want.Recovery, want.LongestRecovery = 10, 10
		if got := l.report(true); got != want {
			t.Errorf("%s: %+v, want %+v", c.counted, got, want)
		}
	}
	if (&ledger{}).record("s -1", kill) == nil {
		t.Error("the store contains -1 messages")
	}
}
