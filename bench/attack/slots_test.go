package attack

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
)

// The generator is late from a wait for a slot until it has caught up.
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slots{taken: make(chan struct{}, 2), why: "as many as 300 file descriptors allow"}
		take := func(overdue, want bool) {
			t.Helper()
			if late, err := s.acquire(t.Context(), overdue); late != want || err != nil {
				t.Errorf("late %v, %v; want %v", late, err, want)
			}
		}
		rec := &bench.Recording{}
		take(false, false)
		take(true, false) // overdue, but no wait for a slot
		if s.note(rec); len(rec.Doubts) > 0 {
			t.Errorf("%v", rec.Doubts)
		}
		go func() {
			time.Sleep(time.Second)
			s.release()
			s.release()
		}()
		take(true, true)
		take(true, true) // no wait, but overdue since the previous wait
		s.release()
		take(false, false)
		s.note(rec)
		if len(rec.Doubts) != 1 || rec.Doubts[0].Verdict != result.Suspect || rec.Limit != 2 ||
			!strings.HasPrefix(rec.Doubts[0].Text,
				"2 requests were in flight, as many as 300 file descriptors allow: ") {
			t.Errorf("%+v", rec.Doubts)
		}
		why := errors.New("over")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		if late, err := s.acquire(ctx, false); !late || !errors.Is(err, why) {
			t.Errorf("late %v, %v", late, err)
		}
	})
}

func TestMostInFlight(t *testing.T) {
	one, why := Attack{}.withDefaults().maxInFlight()
	many, _ := Attack{H2C: true}.withDefaults().maxInFlight()
	few, _ := Attack{H2C: true, Streams: 2}.withDefaults().maxInFlight()
	if one < 1 || many < few || few < one || why == "" {
		t.Errorf("%d, of streams %d and %d: %s", one, few, many, why)
	}
}
