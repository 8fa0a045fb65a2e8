package observe

import (
	"runtime"
	"time"

	"github.com/poolbench/poolbench/internal/machine"
)

type resources struct {
	bytes, mallocs uint64
	cpu            int64 // user and system time in ns; 0 if unknown
	written        int64 // bytes written to the disk; 0 if unknown
}

func readResources() resources {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return resources{m.TotalAlloc, m.Mallocs, machine.CPUTime(), machine.BytesWritten()}
}

func (r resources) since(before resources) resources {
	return resources{r.bytes - before.bytes, r.mallocs - before.mallocs, r.cpu - before.cpu,
		r.written - before.written}
}

// stop stores the observations since base, the start of the run.
func (o *Run) Watch() (stop func(base time.Time)) {
	w := machine.StartWitness()
	before := readResources()
	return func(base time.Time) {
		o.Seen = w.End(base)
		o.used = readResources().since(before)
		o.used.cpu = max(o.used.cpu-o.Seen.CPU, 0)
	}
}
