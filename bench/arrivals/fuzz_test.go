package arrivals_test

import (
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/param"
)

func FuzzParseVariant(f *testing.F) {
	for _, spec := range arrivals.All() {
		f.Add(spec.Name, 100.0, 1000)
	}
	for _, s := range []string{"bulk:n=1,period=2562047h", "closed:clients=1000000,think=exp(1ns)",
		"sine:amp=0.999999,period=1ns", "stages:at=1e-06x1ns_0x1s_1000x1s,of=bulk(n=3)",
		"stages:at=1e+09x87600h,unit=rate,of=constant",
		"onoff:on=1us,off=24h", "onoff:phases=fixed,on=24h", "mmpp:ratio=1e6,high=1us,low=1us",
		"linear:slope=1e9", "closed:think=mixture(0.5,0s,0.5,1h)"} {
		f.Add(s, 1e-6, 100_000_000)
	}
	f.Fuzz(func(t *testing.T, text string, rate float64, tasks int) {
		call, err := param.Parse(text)
		if err != nil {
			return
		}
		v, err := arrivals.Resolve(call)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("%q", err)
			}
			return
		}
		if !v.TakesRate() {
			rate = 0
		} else if rate == 0 {
			return
		}
		if v.CheckPlan(rate, tasks, 0, arrivals.MaxTasks) != nil || v.IsClosed() {
			return
		}
		next, err := v.Spec.Open(rate, 1, v.Values)
		if err != nil {
			t.Fatalf("%s at %v: %v", text, rate, err)
		}
		before := time.Duration(0)
		for i := range min(tasks, 1000) {
			due := next()
			if due < before {
				t.Fatalf("%s at %v: task %d is due at %v, the one before at %v", text,
					rate, i, due, before)
			}
			before = due
		}
	})
}
