package pace

import (
	"fmt"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// BenchmarkBare is a lower limit for BenchmarkPacer: a thread that only sleeps in the kernel, with
// a timer slack of 1 ns.
func BenchmarkBare(b *testing.B) {
	for _, rate := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("rate=%d", rate), func(b *testing.B) {
			runtime.LockOSThread()
			slack := func(ns int) { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(ns), 0, 0, 0) }
			slack(1)
			defer func() { slack(0); runtime.UnlockOSThread() }() // 0 restores the default
			base := time.Now()
			offset, late := monotonic(base), newRecord()
			computed := cpu()
			for i := int64(1); b.Loop(); i++ {
				due := i * int64(time.Second) / int64(rate)
				until := unix.NsecToTimespec(due + offset)
				unix.RawSyscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME,
					uintptr(unsafe.Pointer(&until)), 0, 0, 0)
				late.add(int64(time.Since(base)) - due)
			}
			share := 100 * float64(cpu()-computed) / float64(time.Since(base))
			report(b, "lag", late.all)
			b.ReportMetric(share, "cpu-%")
		})
	}
}
