package machine

import (
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// fineTimers makes wake-ups of the thread exact, which are otherwise up to 50 µs late. The
// goroutine must be locked to its thread.
func fineTimers() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) }

// Timers of package time have a granularity of a millisecond here (golang/go#53824). A signal may
// end the sleep early.
func sleepThread(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&t, nil)
}

// runQueue measures waits for a processor by the threads that existed when it was opened. Reading
// does not allocate, because allocations in a run are counted.
type runQueue struct {
	files []int
	last  []int64
	text  [128]byte
}

func openRunQueue() *runQueue {
	q := &runQueue{}
	for _, name := range threads() {
		if file, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil {
			q.files, q.last = append(q.files, file), append(q.last, 0)
		}
	}
	return q
}

// filepath.Glob would check that the files exist, which takes as long as reading them.
func threads() (files []string) {
	tasks, _ := os.ReadDir("/proc/self/task") // empty if the system does not report it
	for _, task := range tasks {
		files = append(files, "/proc/self/task/"+task.Name()+"/schedstat")
	}
	return files
}

func (q *runQueue) close() {
	for _, file := range q.files {
		_ = unix.Close(file)
	}
}

// ns bounds the longest wait of a thread since the last call.
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

func threadUsage() Usage { return usageOf(unix.RUSAGE_THREAD) }

// Values of files that are missing, as in many containers, are unknown.
func readCounters() counters {
	c := counters{at: time.Now(), stalled: -1, own: CPUTime()}
	c.stolen, c.ticks, c.busy = Ticks()
	if text, err := os.ReadFile("/proc/pressure/cpu"); err == nil {
		c.stalled = parsePressure(string(text))
	}
	for _, file := range threads() {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		if w, ok := parseSchedstat(string(text)); ok {
			if c.threads == nil {
				c.threads = map[string]threadTime{}
			}
			c.threads[file] = w
		}
	}
	return c
}

// BytesWritten counts whole pages, including pages that are not yet on the disk. 0: unknown.
func BytesWritten() int64 {
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0
	}
	return parseWritten(string(text))
}

func parseWritten(text string) int64 {
	_, after, _ := strings.Cut(text, "\nwrite_bytes: ")
	digits, _, _ := strings.Cut(after, "\n")
	n, _ := strconv.ParseInt(digits, 10, 64)
	return n
}

// The host gave the stolen ticks to other virtual machines. Unknown values are negative.
func Ticks() (stolen, all, busy int64) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return -1, -1, -1
	}
	return parseStat(string(text))
}

// parseStat parses the first line of /proc/stat: "cpu user nice system idle iowait irq softirq
// steal guest …", where user includes guest.
func parseStat(text string) (stolen, ticks, busy int64) {
	line, _, _ := strings.Cut(text, "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return -1, -1, -1
	}
	for i, field := range fields[1:9] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return -1, -1, -1
		}
		ticks += n
		switch i {
		case 3, 4: // idle
		case 7:
			stolen = n
		default:
			busy += n
		}
	}
	return stolen, ticks, busy
}

// parsePressure returns the total, in µs, of the line "some avg10=… avg60=… avg300=… total=…".
func parsePressure(text string) int64 {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "some ") {
			continue
		}
		_, total, _ := strings.Cut(line, "total=")
		if n, err := strconv.ParseInt(strings.TrimSpace(total), 10, 64); err == nil && n >= 0 {
			return n
		}
	}
	return -1
}

func parseSchedstat(text string) (w threadTime, ok bool) {
	fields := strings.Fields(text)
	if len(fields) < 2 {
		return threadTime{}, false
	}
	ran, err1 := strconv.ParseInt(fields[0], 10, 64)
	queued, err2 := strconv.ParseInt(fields[1], 10, 64)
	return threadTime{ran, queued}, err1 == nil && err2 == nil && ran >= 0 && queued >= 0
}
