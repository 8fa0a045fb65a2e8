//go:build !js

package bench

import (
	"net/http"

	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

func serve(w workloads.Workload, t targets.Target) (served bool, err error) {
	of, ok := w.(workloads.Served)
	if !ok {
		return false, nil
	}
	return true, of.Serve(func(work workloads.Work) http.Handler { return targets.Handler(t, work) })
}
