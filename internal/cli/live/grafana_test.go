package live

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/poolbench/poolbench/internal/machine"
)

type dashboard struct {
	UID    string
	Panels []struct {
		Title   string
		Targets []struct{ Expr string }
	}
}

// inPrometheus returns the names that Prometheus gives to OpenTelemetry metrics: points become
// underscores, and units and kinds become suffixes.
func inPrometheus() (names []string) {
	for _, name := range []string{Tasks, Sent, InFlight, Response} {
		name = strings.ReplaceAll(name, ".", "_")
		switch name {
		case "poolbench_response_duration":
			for _, of := range []string{"bucket", "sum", "count"} {
				names = append(names, name+"_seconds_"+of)
			}
		case "poolbench_tasks_in_flight":
			names = append(names, name)
		default:
			names = append(names, name+"_total")
		}
	}
	return names
}

var family = regexp.MustCompile(`poolbench_[a-z0-9_]+`)

// scraped returns the metric names in /metrics during a run, and names that a dashboard may omit.
func scraped(t *testing.T) (names, others []string) {
	t.Helper()
	s, c, m := serve(t)
	defer s.Close(nil)
	m.Begin(machine.Run{Name: "a", Limit: 4, Settled: func() uint64 { return 1000 },
		InFlight: func() int64 { return 3 }})
	now := time.Now()
	c.Step(now)
	for i := range uint64(minP99) {
		m.Settle(i, machine.Completed, 200, time.Millisecond)
	}
	c.Step(now.Add(time.Second))
	for name, family := range scrape(t, s) {
		names = append(names, name)
		if family.GetType() == dto.MetricType_HISTOGRAM {
			names = append(names, name+"_bucket", name+"_sum", name+"_count")
		}
	}
	return names, []string{"poolbench_run_tasks_settled"}
}

// Dashboards must use only existing metrics, and all of them. The server of /metrics also serves
// its dashboard.
func TestDashboards(t *testing.T) {
	s, _, _ := serve(t)
	defer s.Close(nil)
	status, header, served := get(t, s, "grafana.json")
	if status != 200 || header.Get("Content-Type") != "application/json" {
		t.Errorf("%d %v", status, header)
	}
	live, others := scraped(t)
	for file, names := range map[string][]string{"live.json": live, "otlp.json": inPrometheus()} {
		text, err := os.ReadFile("../../../examples/grafana/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if file == "live.json" && string(text) != served {
			t.Errorf("%s is not the one that is served", file)
		}
		var d dashboard
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if len(d.Panels) < 6 || d.UID == "" {
			t.Errorf("%s: %d panels", file, len(d.Panels))
		}
		var asked []string
		for _, p := range d.Panels {
			for _, target := range p.Targets {
				found := family.FindAllString(target.Expr, -1)
				if len(found) == 0 {
					t.Errorf("%s: %s asks for none of our metrics: %s", file, p.Title, target.Expr)
				}
				asked = append(asked, found...)
			}
		}
		for _, name := range asked {
			if !slices.Contains(names, name) {
				t.Errorf("%s asks for %s, which there is not; there are %v", file, name, names)
			}
		}
		for _, name := range names {
			if !slices.Contains(asked, name) && !slices.Contains(others, name) {
				t.Errorf("%s does not show %s", file, name)
			}
		}
	}
}
