package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
)

// attackFiles contains attacks on one server, at these rates and for these durations.
func attackFiles(t *testing.T, probes [][2]string) string {
	t.Helper()
	var lines strings.Builder
	fmt.Fprintln(&lines, "# poolbench results 1")
	for _, p := range probes {
		fmt.Fprintf(&lines, "BenchmarkAttack/target=a/arrival=constant/rate=%s/duration=%s/clock=real "+
			"3000 0.02 p99-response-sec 0.006 mean-response-sec 0.001 mean-wait-sec 0.005 "+
			"mean-service-sec 400 ops/s 0.9 tail-target/op 0.1 tail-service/op 0 tail-lag/op "+
			"0.005 mean-target-sec 0.018 tail-target-sec 0 verdict\n", p[0], p[1])
	}
	fmt.Fprintf(&lines, "# complete %d runs\n", len(probes))
	return resultstest.Files(t, map[string][]byte{rundir.ResultsFile: []byte(lines.String())})
}

func TestProbesOfServer(t *testing.T) {
	r, err := Load(attackFiles(t, [][2]string{{"125", "3s"}, {"250", "3s"}, {"500", "3s"},
		{"250", "6s"}}))
	if err != nil {
		t.Fatal(err)
	}
	menu := r.page.linkTitles()
	if want := []string{"Attack, duration 3s", "Attack, duration 6s"}; !slices.Equal(menu, want) {
		t.Errorf("menu %q, want %q", menu, want)
	}
	if len(r.page.Why) == 0 || len(r.page.Why[0].Shown) != 1 ||
		!strings.Contains(r.page.Why[0].Shown[0].Title(), "rates 125 to 500 /s") {
		t.Errorf("explained: %+v", r.page.Why)
	}
}
