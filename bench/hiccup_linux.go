package bench

import (
	"time"

	"golang.org/x/sys/unix"
)

// fineTimers asks the system to wake this thread when it wants to be woken, and not up to 50 µs later in company. The thread is the caller's own.
func fineTimers() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) }

// sleepThread sleeps by the system's own timer: package time's has a granularity of a millisecond here (golang/go#53824). A signal may end it early.
func sleepThread(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&t, nil)
}

// A runQueue tells how long the calling thread has been ready without a processor. It does not allocate: what a run allocates is counted.
type runQueue struct {
	file int // -1: the system does not tell
	text [128]byte
}

func openRunQueue() *runQueue {
	file, err := unix.Open("/proc/thread-self/schedstat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		file = -1
	}
	return &runQueue{file: file}
}

func (q *runQueue) close() {
	if q.file >= 0 {
		_ = unix.Close(q.file)
	}
}

// waited is the second number of "ran queued slices", in ns; 0 where the system does not tell.
func (q *runQueue) waited() (ns int64) {
	if q.file < 0 {
		return 0
	}
	n, err := unix.Pread(q.file, q.text[:], 0)
	if err != nil {
		return 0
	}
	field := 0
	for _, c := range q.text[:n] {
		switch {
		case c == ' ':
			field++
		case field == 1 && c >= '0' && c <= '9':
			ns = 10*ns + int64(c-'0')
		}
	}
	return ns
}

// threadCPUTime is the CPU time of the calling thread in nanoseconds.
func threadCPUTime() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_THREAD, &u) != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
