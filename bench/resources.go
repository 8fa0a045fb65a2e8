package bench

import (
	"runtime"
	"time"
)

// resources is what the process has used so far.
type resources struct {
	bytes, mallocs uint64
	cpu            int64 // ns of user and system time; 0 where the system does not tell
}

func readResources() resources {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return resources{m.TotalAlloc, m.Mallocs, cpuTime()}
}

func (r resources) since(before resources) resources {
	return resources{r.bytes - before.bytes, r.mallocs - before.mallocs, r.cpu - before.cpu}
}

// watch begins to watch a run under the real clock; stop ends that, and notes what was seen since base, when the run began.
func (o *observation) watch() (stop func(base time.Time)) {
	w := StartWitness()
	before := readResources()
	return func(base time.Time) {
		w.End(base)
		o.used = readResources().since(before)
		o.used.cpu = max(o.used.cpu-w.meter.cpu, 0)
		o.witness = w
	}
}
