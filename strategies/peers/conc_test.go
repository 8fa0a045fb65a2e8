package peers_test

import (
	"testing"

	"github.com/sourcegraph/conc/pool"
)

var concFaults = []fault{{
	name: "conc_after_wait", upstream: "issues/107", module: concModule, version: "v0.3.0",
	finding: "Go after Wait, or during it, panics",
	show: func(*testing.T) {
		batch := pool.New().WithMaxGoroutines(1)
		batch.Go(func() {})
		batch.Wait()
		batch.Go(func() {})
	},
	want: "panic: send on closed channel",
}}
