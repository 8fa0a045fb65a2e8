package studies

import (
	"runtime/debug"
	"testing"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // heaps are small, and a fifth of the CPU time would be collections
	m.Run()
}
