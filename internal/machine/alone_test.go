package machine

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestAloneIsTheMedian(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		// The first run is not counted. The median is between ten runs below and ten above 3 µs.
		got, err := TimeAlone(func() error {
			n++
			switch {
			case n == 1:
				time.Sleep(time.Second)
			case n == 12:
				time.Sleep(3 * time.Microsecond)
			case n%2 == n/12:
				time.Sleep(time.Microsecond)
			default:
				time.Sleep(50 * time.Microsecond)
			}
			return nil
		})
		if got != 3*time.Microsecond || n != 22 || err != nil {
			t.Errorf("%v after %d runs, %v", got, n, err)
		}
		began := time.Now()
		if got, err := TimeAlone(func() error {
			time.Sleep(8 * time.Millisecond)
			return nil
		}); got != 8*time.Millisecond || err != nil {
			t.Errorf("%v, %v", got, err)
		}
		if took := time.Since(began); took != 24*time.Millisecond {
			t.Errorf("it went on for %v, want one run and then those that begin within 10ms", took)
		}
	})
}

func TestAloneNeedsTheRealClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if got, err := TimeAlone(func() error { return nil }); err == nil ||
			!strings.Contains(err.Error(), "I/O has no duration: use the real clock") {
			t.Errorf("%v, %v", got, err)
		}
	})
}

func TestAlonePassesErrorsOn(t *testing.T) {
	failure := errors.New("failure")
	for _, last := range []int{1, 2, 5} {
		n := 0
		_, err := TimeAlone(func() error {
			if n++; n == last {
				return failure
			}
			return nil
		})
		if err != failure || n != last {
			t.Errorf("run %d failed: %v after %d runs", last, err, n)
		}
	}
}
