package live

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

type dashboard struct {
	UID    string
	Panels []struct {
		Title   string
		Targets []struct{ Expr string }
	}
}

// inPrometheus returns the names of the metrics in Prometheus. By OpenTelemetry's rules, points
// become underscores, and units and kinds become suffixes.
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

func TestDashboards(t *testing.T) {
	served, err := os.ReadFile("metrics.go")
	if err != nil {
		t.Fatal(err)
	}
	var live []string
	for _, m := range regexp.MustCompile(`(?:head|one)\("([a-z0-9_]+)"`).FindAllStringSubmatch(
		string(served), -1) {
		live = append(live, "poolbench_"+m[1])
	}
	for file, names := range map[string][]string{"live.json": live, "otlp.json": inPrometheus()} {
		text, err := os.ReadFile("../../../examples/grafana/" + file)
		if err != nil {
			t.Fatal(err)
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
			if !slices.Contains(asked, name) && name != "poolbench_run_tasks_settled" {
				t.Errorf("%s does not show %s", file, name)
			}
		}
	}
}
