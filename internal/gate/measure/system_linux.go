package measure

import (
	"encoding/binary"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A counter counts an event in the processes that this thread starts.
type counter struct{ fd int }

// openInstructions counts the instructions in user mode of the next process that this thread
// starts, all of its threads included. The goroutine must be locked to the thread. It fails where
// the kernel does not permit it (perf_event_paranoid above 2, a seccomp profile) or there is no
// hardware to count, as in many virtual machines.
//
// The count of a whole process includes its start, the benchmark's own preparation and its first
// single iteration. A second run with a tenth of the iterations has all that, too: the difference
// of the counts over the difference of the iterations is free of it.
func openInstructions() (*counter, error) {
	return openCounter(unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_INSTRUCTIONS)
}

// openCounter: the event is off in this thread, and comes on when a child that has inherited it
// executes its program.
func openCounter(kind uint32, event uint64) (*counter, error) {
	attr := unix.PerfEventAttr{
		Type: kind, Config: event,
		Bits: unix.PerfBitDisabled | unix.PerfBitInherit | unix.PerfBitEnableOnExec |
			unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
		Read_format: unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
	}
	attr.Size = uint32(unsafe.Sizeof(attr))
	fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return &counter{fd}, nil
}

// read gives the count of the children that have ended; 0 when it is not known, as when the
// hardware had to be shared with other counters.
func (c *counter) read() uint64 {
	var raw [24]byte
	if n, err := unix.Read(c.fd, raw[:]); err != nil || n != len(raw) {
		return 0
	}
	count, enabled, running := binary.NativeEndian.Uint64(raw[:]),
		binary.NativeEndian.Uint64(raw[8:]), binary.NativeEndian.Uint64(raw[16:])
	if enabled != running {
		return 0
	}
	return count
}

func (c *counter) close() { _ = unix.Close(c.fd) }

// dieWithUs ends the child when this thread does, so that a gate that is killed leaves no benchmark
// running. The caller's goroutine must be locked to its thread until the child has ended, and
// ownGroup come first.
func dieWithUs(child *exec.Cmd) { child.SysProcAttr.Pdeathsig = unix.SIGKILL }
