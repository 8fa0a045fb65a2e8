package machine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestCalibrationRefusesTheVirtualClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Calibration
		const want = "computing has no duration: use the real clock"
		if l, err := c.Line(spinning{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("calibrated to %+v, %v", l, err)
		}
		if d, err := c.Task(spinning{}, 7); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a task takes %v, %v", d, err)
		}
		if len(c.lines)+len(c.tasks) != 0 {
			t.Error("the failure is kept")
		}
	})
}

// spinning takes no time under the virtual clock.
type spinning struct{}

func (spinning) Sized(int) Doer { return spinning{} }

func (spinning) Do(context.Context, uint64) error { return nil }

// asleep takes 100 ns plus 10 ns per unit under the virtual clock.
type asleep struct{ units int }

func (asleep) Sized(units int) Doer { return asleep{units} }

func (a asleep) Do(context.Context, uint64) error {
	time.Sleep(time.Duration(100 + 10*a.units))
	return nil
}

func TestCalibrationFindsTheLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Calibration
		l, err := c.Line(asleep{})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := l.Time(12_345), time.Duration(100+123_450); got != want {
			t.Errorf("%+v: 12345 units take %v, want %v", l, got, want)
		}
		began := time.Now()
		if again, err := c.Line(asleep{}); again != l || err != nil || time.Since(began) != 0 {
			t.Errorf("again: %v, %v after %v", again, err, time.Since(began))
		}
	})
}

// heldUp is work on a machine that delays some of the tasks with at most this many units.
type heldUp struct {
	asleep
	most int
	left *int
	by   time.Duration
}

func (h heldUp) Sized(units int) Doer { return heldUp{asleep{units}, h.most, h.left, h.by} }

func (h heldUp) Do(ctx context.Context, seq uint64) error {
	if h.units <= h.most && *h.left > 0 {
		*h.left--
		time.Sleep(h.by)
	}
	return h.asleep.Do(ctx, seq)
}

func TestCalibrationOnABusyMachine(t *testing.T) {
	for i, c := range []struct {
		most, tasks int
		by          time.Duration
	}{{1, 10, 7 * time.Millisecond}, {1, 5, 7 * time.Millisecond}, {8, 13, 7 * time.Millisecond},
		{8, 11, 7 * time.Millisecond}, {1, 23, time.Millisecond}, {1, 40, 900 * time.Microsecond},
		{8, 23, time.Millisecond}, {8, 23, 7 * time.Millisecond}} {
		if testing.Short() && i%7 != 0 {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			var all Calibration
			const want = 10_000_100 * time.Nanosecond
			l, err := all.Line(heldUp{most: c.most, left: &c.tasks, by: c.by})
			if got := l.Time(1_000_000); got != want || err != nil {
				t.Errorf("%+v: %v, %v, want %v", c, got, err, want)
			}
		})
	}
}

func TestCalibrationOfATask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Calibration
		for units, want := range map[int]struct{ task, spent time.Duration }{
			1e8: {time.Second + 100, 2 * (time.Second + 100)},
			3e5: {3*time.Millisecond + 100, 10 * (3*time.Millisecond + 100)},
			0:   {100, 10*(1<<15)*100 + 3*((1<<15)-1)*100},
		} {
			began := time.Now()
			d, err := c.Task(asleep{}, units)
			if d != want.task || err != nil || time.Since(began) != want.spent {
				t.Errorf("%d units take %v, %v, found out in %v; want %+v", units, d, err,
					time.Since(began), want)
			}
			began = time.Now()
			if again, err := c.Task(asleep{}, units); again != d || err != nil ||
				time.Since(began) != 0 {
				t.Errorf("again: %v, %v after %v", again, err, time.Since(began))
			}
		}
	})
}

type failing struct{}

var errFailing = errors.New("out of order")

func (f failing) Sized(int) Doer { return f }

func (failing) Do(context.Context, uint64) error { return errFailing }

func TestCalibrationPassesErrorsOn(t *testing.T) {
	var c Calibration
	if _, err := c.Line(failing{}); !errors.Is(err, errFailing) {
		t.Errorf("line: %v", err)
	}
	if _, err := c.Task(failing{}, 1); !errors.Is(err, errFailing) {
		t.Errorf("task: %v", err)
	}
}
