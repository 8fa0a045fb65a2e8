package peers_test

import (
	"runtime"
	"testing"

	"github.com/Jeffail/tunny"
)

var tunnyFaults = []fault{
	{
		name: "tunny_panic", upstream: "issues/33", module: tunnyModule, version: "v0.1.4",
		finding: "a panic in a task crashes the process",
		show: func(*testing.T) {
			defer func() {
				if recover() != nil {
					// the worker's panic makes Process panic here as well; wait until the worker's
					// own panic ends the process
					select {}
				}
			}()
			tunny.NewCallback(1).Process(func() { panic("of a task") })
		},
		want: "panic: of a task",
	},
	{
		name: "tunny_after_close", module: tunnyModule, version: "v0.1.4",
		finding: "Process after Close panics",
		show: func(*testing.T) {
			pool := tunny.NewCallback(1)
			pool.Close()
			pool.Process(func() {})
		},
		want: "panic: the pool is not running",
	},
	{
		name: "tunny_goexit", module: tunnyModule, version: "v0.1.4",
		finding: "Goexit in a task costs a worker for good, and makes the caller of Process panic",
		show:    func(*testing.T) { tunny.NewCallback(1).Process(runtime.Goexit) },
		want:    "panic: worker was closed",
	},
}
