package live

import (
	"bufio"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/machine"
)

type file struct {
	strings.Builder
	fails error
}

func (f *file) Write(p []byte) (int, error) {
	if f.fails != nil {
		return 0, f.fails
	}
	return f.Builder.Write(p)
}

func (f *file) Close() error { return nil }

func TestStream(t *testing.T) {
	var m machine.Meter
	seconds := NewSeconds(&m)
	var to file
	s := NewStream(&to)
	at := time.Now()
	step := func() {
		for _, f := range seconds.Step(at) {
			s.Write(f)
		}
		at = at.Add(time.Second)
	}
	settled := new(uint64)
	begin := func(name string) {
		of := new(uint64)
		settled = of
		m.Begin(machine.Run{Name: name, Settled: func() uint64 { return *of },
			InFlight: func() int64 { return 3 }})
	}
	settle := func(o machine.Outcome, n int, response time.Duration) {
		for range n {
			*settled++
			m.Settle(*settled, o, 0, response)
		}
	}
	step()
	begin(`a"\n`)
	settle(machine.Completed, 400, time.Millisecond)
	settle(machine.Failed, 5, 0)
	step()
	settle(machine.Completed, 10, time.Second)
	step()
	settle(machine.Throttled, 7, 0)
	m.End()
	begin("b")
	settle(machine.Shed, 2, 0)
	settle(machine.Completed, 1, time.Second)
	step()
	step()
	m.End()
	step()
	if err := s.End(Totals{Runs: 2}); err != nil {
		t.Fatal(err)
	}
	type line struct {
		Second
		End bool
	}
	var lines []line
	for scan := bufio.NewScanner(strings.NewReader(to.String())); scan.Scan(); {
		var l line
		if err := json.Unmarshal(scan.Bytes(), &l); err != nil {
			t.Fatalf("%v: %s", err, scan.Text())
		}
		lines = append(lines, l)
	}
	if len(lines) != 7 || !lines[6].End {
		t.Fatalf("%d lines:\n%s", len(lines), to.String())
	}
	first, second, over, third := lines[0], lines[1], lines[2], lines[3]
	if first.Run != `a"\n` || first.Sent != 408 || first.Completed != 400 || first.Failed != 5 ||
		*first.InFlight != 3 || first.P99 == nil || *first.P99 > 0.0011 {
		t.Errorf("%+v", first)
	}
	if second.Completed != 410 || second.P50 == nil || *second.P50 < 0.9 || second.P99 != nil {
		t.Errorf("%+v", second)
	}
	if !over.Over || over.Run != first.Run || over.Throttled != 7 || over.Completed != 410 ||
		over.Shed != 0 || over.P50 != nil {
		t.Errorf("%+v", over)
	}
	if third.Run != "b" || third.Throttled != 0 || third.Shed != 2 || third.Completed != 1 ||
		third.P50 != nil {
		t.Errorf("%+v", third)
	}
}

func TestStreamFails(t *testing.T) {
	full := errors.New("full")
	s := NewStream(&file{fails: full})
	s.Write(Second{})
	if err := s.End(Totals{}); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
}

func TestEndingCounts(t *testing.T) {
	var e Totals
	shares := map[string]float64{"failed/op": 1. / 3, "shed/op": 0.1}
	e.Count(300, func(unit string) (float64, bool) { v, ok := shares[unit]; return v, ok })
	if e.Sent != 300 || e.Failed != 100 || e.Shed != 30 || e.Completed != 170 || e.Runs != 1 {
		t.Errorf("%+v", e)
	}
}
