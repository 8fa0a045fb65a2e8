package bench

import (
	"context"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/workloads"
)

func TestMeter(t *testing.T) {
	for o, name := range map[record.Outcome]string{record.Completed: "completed",
		record.Failed: "failed", record.Throttled: "throttled", record.Shed: "shed",
		record.Abandoned: "abandoned", record.GaveUp: "gave up"} {
		if got := machine.Names[o]; got != name {
			t.Errorf("%s is shown as %s", name, got)
		}
	}
	var m machine.Meter
	before := m.Snapshot(time.Now())
	s := Scenario{Strategy: strategies.MustParse("bounded_queue_shed"), Queue: 1, Limit: 1,
		Workload: workloads.MustParse("constant:mean=1ms"), Load: Load{Relative: 3},
		Stop: Stop{Tasks: 200}, Clock: Real}
	if _, err := Run(machine.WithMeter(context.Background(), &m), s); err != nil {
		t.Fatal(err)
	}
	after := m.Snapshot(time.Now())
	responses := after.Since(&before)
	refused := after.Others[machine.Shed]
	if responses.Total+refused != 200 || refused == 0 || after.Run != nil {
		t.Errorf("%d completed and %d shed of 200, run %v", responses.Total, refused, after.Run)
	}
}
