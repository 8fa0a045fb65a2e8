package pace

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestThreadIsAsBefore: a sleep leaves the thread's slack as it was; other goroutines run on it
// next.
func TestThreadIsAsBefore(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	read := func() int {
		ns, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
		if err != nil {
			t.Skip("the system does not tell: ", err)
		}
		return ns
	}
	before, base := read(), time.Now()
	var called atomic.Uint32
	newTimer(base).sleep(int64(time.Millisecond), &called)
	if after := read(); after != before {
		t.Errorf("the slack was %d ns and is %d ns", before, after)
	}
}
