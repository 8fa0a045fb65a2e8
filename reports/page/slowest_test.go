package page

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/rundir"
)

// The title states when the slowest tasks occurred, and the largest component of their time.
func TestPageShowsSlowest(t *testing.T) {
	for _, unit := range []string{"p99-response-sec", "mean-response-sec"} {
		t.Run(unit, func(t *testing.T) { showsSlowest(t, unit) })
	}
}

func showsSlowest(t *testing.T, unit string) {
	dir := t.TempDir()
	name := func(strategy string) string {
		return "Run/strategy=" + strategy + "/workload=exponential/limit=4/load=0.9/clock=virtual"
	}
	text := "# poolbench results 1\n"
	for strategy, mean := range map[string]float64{"worker_pool": 1, "semaphore": 3} {
		text += fmt.Sprintf("# seed 1\nBenchmark%s 1000 5 ns/op %v %s\n", name(strategy), mean, unit)
	}
	text += "# complete 2 runs\n"
	file := filepath.Join(dir, rundir.ResultsFile)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	write := func(at func(i int) time.Duration) string {
		t.Helper()
		f, err := os.Create(filepath.Join(dir, rundir.SlowestFile))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows := csv.NewWriter(f)
		_ = rows.Write(rundir.SlowestColumns) // WriteAll reports the error
		for _, strategy := range []string{"worker_pool", "semaphore"} {
			var tasks []rundir.SlowTask
			for i := range 40 {
				due := at(i)
				tasks = append(tasks, rundir.SlowTask{Task: i, Due: due, Issue: due, Attempts: 1,
					Start: due + 3*time.Second, End: due + 4*time.Second,
					Queued: 3 * time.Second, Service: time.Second, Target: time.Second / 4,
					Outcome: "completed", Class: strategy})
			}
			if err := rows.WriteAll(rundir.SlowestRows(name(strategy), 0, tasks)); err != nil {
				t.Fatal(err)
			}
		}
		return page(t, dir)
	}
	html := write(func(i int) time.Duration { // all tasks but ten occur in a burst
		return time.Duration(i)*10*time.Millisecond + time.Duration(max(i-29, 0))*time.Minute
	})
	for _, want := range []string{"30 of the 40 slowest tasks of semaphore are of one burst at 0 s; " +
		"75 % of their time is queued", "A bar for each of the 20 slowest tasks of semaphore",
		"slowest.csv has 40 tasks", "queued: 3 s", "in the target"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	html = write(func(i int) time.Duration { return time.Duration(i) * time.Minute })
	if want := "The 40 slowest tasks of semaphore come in 40 bursts"; !strings.Contains(html, want) {
		t.Errorf("the page does not say %q", want)
	}
	if err := os.WriteFile(filepath.Join(dir, rundir.SlowestFile), []byte("run,no\n1,2\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), rundir.SlowestFile+":") {
		t.Errorf("a damaged file: %v", err)
	}
}
