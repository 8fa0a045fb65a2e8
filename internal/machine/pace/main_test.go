package pace

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// timers are the portable timer and this machine's.
var timers = []struct {
	name string
	new  func(base time.Time) timer
}{
	{"best", newTimer},
	{"runtime", func(base time.Time) timer { return newRuntimeTimer(base) }},
}

func eachTimer(t *testing.T, test func(t *testing.T, timer func(base time.Time) timer)) {
	for _, way := range timers {
		t.Run(way.name, func(t *testing.T) { test(t, way.new) })
	}
}
