package measure

import (
	"encoding/binary"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/unix"
)

// counter counts an event in the processes that this thread starts.
type counter struct{ fd int }

// openInstructions counts the user-mode instructions of the next process that this thread starts.
// The goroutine must be locked to the thread. It fails if the kernel does not permit it
// (perf_event_paranoid above 2, a seccomp profile), or without a hardware counter, as in many
// virtual machines.
//
// A second run with a tenth of the iterations includes the same start of the process and
// preparation, so the difference of the two runs does not.
func openInstructions() (*counter, error) {
	return openCounter(unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_INSTRUCTIONS)
}

// The event is disabled in this thread. It starts in a child when the child executes its program.
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

// read returns 0 if the count is unknown, for example because other counters used the hardware.
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

// dieWithUs kills the child when this thread ends. The goroutine must have called ownGroup, and
// must be locked to its thread until the child has ended.
func dieWithUs(child *exec.Cmd) { child.SysProcAttr.Pdeathsig = unix.SIGKILL }
