package bench

import (
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// A browser has no sockets, so no workload has a server.
func serve(workloads.Workload, targets.Target) (served bool, err error) { return false, nil }
