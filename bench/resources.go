package bench

import "runtime"

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
