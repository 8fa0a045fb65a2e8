package pace

import (
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// descriptor is a timerfd. The goroutine parks like a reader of a connection, and the kernel's
// high-resolution timer wakes the polling thread.
type descriptor struct {
	file   *os.File
	conn   syscall.RawConn
	offset int64 // offset of the nap's base in the monotonic clock

	// Only the sleeping goroutine uses the fields below. arm is created once, because a closure for
	// each sleep would allocate.
	at     int64
	called *atomic.Uint32
	armed  bool
	arm    func(fd uintptr) (over bool)
}

func Method() string {
	t := newTimer(time.Now())
	defer t.close()
	if _, ok := t.(*descriptor); ok {
		return "timerfd"
	}
	return runtimeMethod
}

// The kernel may refuse a timerfd, for example in a sandbox.
func newTimer(base time.Time) timer {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return newRuntimeTimer(base)
	}
	d := &descriptor{file: os.NewFile(uintptr(fd), "timerfd"), offset: monotonic(base)}
	d.arm = d.tryArm
	if d.conn, err = d.file.SyscallConn(); err != nil || !d.ends() {
		d.close()
		return newRuntimeTimer(base)
	}
	return d
}

// ends tests whether a sleep until a past instant ends, which requires that the poller supports
// timers.
func (d *descriptor) ends() bool {
	if d.file.SetReadDeadline(time.Now().Add(time.Second)) != nil {
		return false
	}
	d.at, d.called, d.armed = 1-d.offset, new(atomic.Uint32), false
	return d.conn.Read(d.arm) == nil && d.file.SetReadDeadline(time.Time{}) == nil
}

func (d *descriptor) sleep(at int64, called *atomic.Uint32) {
	d.at, d.called, d.armed = at, called, false
	_ = d.conn.Read(d.arm) // over, called or spurious; the nap reads the clock
}

// tryArm runs before the goroutine parks, and again when the poller has woken it. A caller of wake
// first sets called and then the timer. If called is set before arming, tryArm sees it. Otherwise
// the timer ends the sleep.
func (d *descriptor) tryArm(fd uintptr) (over bool) {
	if d.armed {
		return true
	}
	d.armed = true
	return set(fd, d.at+d.offset) != nil || d.called.Load() != 0
}

// 0 would stop the timer.
const past = 1

func (d *descriptor) wake(*atomic.Uint32) {
	_ = d.conn.Control(func(fd uintptr) { _ = set(fd, past) }) // the only error is a closed descriptor
}

func set(fd uintptr, at int64) error {
	return unix.TimerfdSettime(int(fd), unix.TFD_TIMER_ABSTIME,
		&unix.ItimerSpec{Value: unix.NsecToTimespec(max(at, past))}, nil)
}

func (d *descriptor) close() { _ = d.file.Close() } // a failed close loses nothing

// monotonic uses the closest of several pairs of readings.
func monotonic(base time.Time) (offset int64) {
	closest := int64(1<<63 - 1)
	for range 20 {
		var t unix.Timespec
		before := time.Since(base)
		if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
			return 0 // does not happen on Linux
		}
		between := int64(time.Since(base) - before)
		if between < closest {
			closest, offset = between, t.Nano()-int64(before)-between/2
		}
	}
	return offset
}
