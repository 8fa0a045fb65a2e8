package pace

import (
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A futex sleeps in the kernel until an instant of the monotonic clock, by the same timer as
// clock_nanosleep with TIMER_ABSTIME, and another thread can end it. The goroutine keeps its thread
// only as long as it sleeps: one that kept it for good would pay with two switches of threads for
// every channel that it waits for, and strategies that block their producer would look the worse
// for it.
type futex struct {
	offset int64 // of the nap's base in the monotonic clock
}

// Of linux/futex.h, for a word that no other process knows.
const (
	futexPrivate = 128
	futexWake    = 1 | futexPrivate
	// with an absolute time, where plain futexWait has a relative one
	futexWaitBitset = 9 | futexPrivate
	anyBit          = 1<<32 - 1
)

// newTimer falls back to the runtime's where the kernel refuses (a sandbox): a wait for an instant
// in the past must say that it is over.
func newTimer(base time.Time) timer {
	f := &futex{monotonic(base)}
	var called atomic.Uint32
	if f.wait(0, &called) != unix.ETIMEDOUT {
		return newRuntimeTimer(base)
	}
	return f
}

// monotonic is the base as the kernel counts time: the closest of some readings between two others.
func monotonic(base time.Time) (offset int64) {
	closest := int64(1<<63 - 1)
	for range 20 {
		var t unix.Timespec
		before := time.Since(base)
		if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
			return 0 // no such Linux
		}
		between := int64(time.Since(base) - before)
		if between < closest {
			closest, offset = between, t.Nano()-int64(before)-between/2
		}
	}
	return offset
}

func (f *futex) sleep(at int64, called *atomic.Uint32) {
	runtime.LockOSThread()
	slack(1)
	_ = f.wait(at, called) // over, called, or cut short by a signal: the nap looks at the clock
	slack(0)
	runtime.UnlockOSThread()
}

func (f *futex) wait(at int64, called *atomic.Uint32) unix.Errno {
	t := unix.NsecToTimespec(at + f.offset)
	_, _, errno := unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(called)), futexWaitBitset,
		0, uintptr(unsafe.Pointer(&t)), 0, anyBit)
	return errno
}

func (f *futex) wake(called *atomic.Uint32) {
	unix.RawSyscall(unix.SYS_FUTEX, uintptr(unsafe.Pointer(called)), futexWake, 1)
}

func (f *futex) close() {}

// slack is how much later than asked for the kernel may wake this thread: 50 µs by default, which 0
// stands for.
func slack(ns uintptr) { unix.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_TIMERSLACK, ns, 0) }
