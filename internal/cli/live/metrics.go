package live

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/internal/machine"
)

// metrics writes the last frame in the text format of Prometheus.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	var f Frame
	if frames, _, _ := s.course.since(-1); len(frames) > 0 {
		f = frames[len(frames)-1]
	}
	var b bytes.Buffer
	f.writeMetrics(&b)
	_, _ = b.WriteTo(w) // the viewer may have left
}

func (f *Frame) writeMetrics(b *bytes.Buffer) {
	head := func(name, kind, help string) {
		fmt.Fprintf(b, "# HELP poolbench_%[1]s %[2]s\n# TYPE poolbench_%[1]s %[3]s\n", name, help, kind)
	}
	one := func(name, help string, value *float64) {
		if value != nil {
			head(name, "gauge", help)
			fmt.Fprintf(b, "poolbench_%s %s\n", name,
				strconv.FormatFloat(*value, 'g', -1, 64))
		}
	}
	head("runs_finished", "gauge", "Runs of the command that are done.")
	fmt.Fprintf(b, "poolbench_runs_finished %d\n", f.Done)
	head("runs_planned", "gauge", "Total runs of the command; 0 if unknown.")
	fmt.Fprintf(b, "poolbench_runs_planned %d\n", f.Planned)
	one("left_seconds", "Estimated time until the end of the command.", f.Left)
	head("tasks_not_completed_total", "counter",
		"Tasks of the command's runs that were not completed, by outcome.")
	for i, n := range f.Others {
		if machine.Outcome(i) > machine.Completed {
			fmt.Fprintf(b, "poolbench_tasks_not_completed_total{outcome=%q} %d\n", machine.Names[i], n)
		}
	}
	if f.Run == "" {
		return
	}
	head("run_info", "gauge", "The current run.")
	fmt.Fprintf(b, "poolbench_run_info{run=\"%s\"} 1\n", escaped(f.Run))
	one("run_elapsed_seconds", "Time since the current run began.", &f.Elapsed)
	head("run_tasks_settled", "gauge", "Settled tasks of the current run.")
	fmt.Fprintf(b, "poolbench_run_tasks_settled %d\n", f.Settled)
	one("tasks_settled_per_second", "Tasks settled a second, over the last two.", f.Rate)
	const of = " of the responses, from due, of tasks completed within the last two seconds."
	one("recent_response_p50_seconds", "Median"+of, f.P50)
	one("recent_response_p99_seconds", "99th percentile"+of, f.P99)
	if f.InFlight != nil {
		one("tasks_in_flight", "Tasks that run.", new(float64(*f.InFlight)))
	}
	if f.Limit > 0 {
		one("tasks_in_flight_limit", "Most tasks that may run at once.", new(float64(f.Limit)))
	}
}

// escaped escapes the value of a label.
func escaped(value string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(
		strings.ToValidUTF8(value, "\uFFFD"))
}
