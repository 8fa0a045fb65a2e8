package workloads

import (
	"testing"
	"testing/synctest"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/machine"
)

// Under the virtual clock, a calibration fails and so reveals itself.
func TestParsingDoesNotCalibrate(t *testing.T) {
	calibrated = new(machine.Calibration)
	synctest.Test(t, func(t *testing.T) {
		for _, s := range All() {
			if s.Kind != CPU {
				continue
			}
			if _, err := Resolve(param.Call{Name: s.Name}); err != nil {
				t.Errorf("parsing %s calibrated: %v", s.Name, err)
			}
		}
	})
}
