package witness

import (
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// fineTimers asks the system to wake this thread when it wants to be woken, and not up to 50 µs
// later in company. The thread is the caller's own.
func fineTimers() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) }

// sleepThread sleeps by the system's own timer: package time's has a granularity of a millisecond
// here (golang/go#53824). A signal may end it early.
func sleepThread(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&t, nil)
}

// A runQueue tells how long threads of this process have been ready without a processor: of those
// that there were when it was opened. Reading does not allocate, since what a run allocates is
// counted.
type runQueue struct {
	files []int
	last  []int64
	text  [128]byte
}

func openRunQueue() *runQueue {
	q := &runQueue{}
	names, _ := filepath.Glob("/proc/self/task/*/schedstat") // none where the system does not tell
	for _, name := range names {
		if file, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil {
			q.files, q.last = append(q.files, file), append(q.last, 0)
		}
	}
	return q
}

func (q *runQueue) close() {
	for _, file := range q.files {
		_ = unix.Close(file)
	}
}

// longest is how long one of the threads has waited since the last call, at most, in ns.
func (q *runQueue) longest() (ns int64) {
	for i, file := range q.files {
		n, err := unix.Pread(file, q.text[:], 0)
		if err != nil {
			continue // the thread has ended
		}
		now := queuedTime(q.text[:n])
		ns = max(ns, now-q.last[i])
		q.last[i] = now
	}
	return ns
}

// queuedTime is the second number of "ran queued slices".
func queuedTime(text []byte) (ns int64) {
	field := 0
	for _, c := range text {
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
