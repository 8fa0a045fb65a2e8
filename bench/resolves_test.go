package bench_test

import (
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
)

func TestResolves(t *testing.T) {
	for _, c := range []struct {
		unit   string
		tasks  int
		warmup float64
		want   string
	}{
		{"p99-response-sec", 368, 0, ""},
		{"p99-response-sec", 367, 0, "p99-response-sec needs 368 tasks after the warm-up, and n " +
			"367 has too few: give n 368"},
		{"p99-wait-sec", 400, 0.1, "and n 400 has too few: give n 408"},
		{"p99-wait-sec", 408, 0.1, ""},
		{"p99.9-service-sec", 3687, 0, "needs 3688 tasks"},
		{"p50-response-sec", 6, 0, ""},
		{"p50-response-sec", 5, 0, "needs 6 tasks"},
		{"p90-response-sec", 36, 0, ""},
		{"p90-response-sec", 35, 0, "needs 36 tasks"},
		{"p99-lag-sec", 100, 0, "needs 368 tasks"},
		{"mean-response-sec", 1, 0, ""},
		{"theory-p99-response-sec", 1, 0, ""},
	} {
		s := scenario(t, bench.Encoded{Workload: "constant:mean=1ms", Limit: 4, Load: 0.5,
			Tasks: c.tasks, Warmup: c.warmup})
		err := s.Resolves(c.unit)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, n %d, warmup %v: %v, want %q", c.unit, c.tasks, c.warmup, err, c.want)
		}
		if _, told := run(t, s).Metric(c.unit); told != (err == nil) && c.unit[0] == 'p' {
			t.Errorf("%s, n %d, warmup %v: told %v, and beforehand %v", c.unit, c.tasks,
				c.warmup, told, err)
		}
	}
	for tasks, refused := range map[time.Duration]bool{100: true, 400: false} {
		s := scenario(t, bench.Encoded{Limit: 4, Rate: 1, Duration: tasks * time.Second})
		if err := s.Resolves("p99-response-sec"); (err != nil) != refused {
			t.Errorf("some %d tasks: %v", tasks, err)
		}
	}
}
