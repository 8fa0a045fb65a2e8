package why

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
)

// A Tool is a command that opens files of runs, such as a profile.
type Tool struct {
	Of      string // "slow, seed 1", or "slow against fast, seed 1"
	Command []string
}

// String returns the command as typed in a shell.
func (t Tool) String() string {
	return strings.Join(text.Texts(t.Command, shell.Quote), " ")
}

// Traces returns the commands that open the traces of slow tasks in a directory.
func Traces(dir string, runs []results.Run) (all []Tool) {
	for i := range runs {
		r := &runs[i]
		if results.Lookup(r.Keys, rundir.FlightKind) == "" {
			continue
		}
		if path := profile(dir, r, rundir.FlightKind); path != "" {
			all = append(all, Tool{r.Series() + ", seed " + r.Seed,
				[]string{"go", "tool", "trace", path}})
		}
	}
	return all
}

// Profiles returns the commands that open the profiles in a directory: for each scenario, the
// strategy with the slowest p99, compared with the fastest.
func Profiles(dir string, runs []results.Run) (all []Tool) {
	var profiled results.Cell
	for i := range runs {
		if len(rundir.ProfilesOf(runs[i].Name)) > 0 && profiledFirst(runs[:i], &runs[i]) {
			profiled = append(profiled, &runs[i])
		}
	}
	for _, same := range results.Gather(profiled, place) {
		slowest := slices.MaxFunc(same, bySlowness)
		fastest := slices.MinFunc(same, bySlowness)
		for _, kind := range rundir.ProfilesOf(slowest.Name) {
			file, base := profile(dir, slowest, kind), profile(dir, fastest, kind)
			if file == "" {
				continue
			}
			t := Tool{slowest.Series(), []string{"go", "tool", "pprof", "-http=localhost:", file}}
			if base != "" && base != file {
				t.Of += " against " + fastest.Series()
				t.Command = slices.Insert(t.Command, 4, "-diff_base", base)
			}
			t.Of += ", " + kind
			all = append(all, t)
		}
	}
	return all
}

// One repetition suffices.
func profiledFirst(before []results.Run, r *results.Run) bool {
	return !slices.ContainsFunc(before, func(o results.Run) bool { return o.Name == r.Name })
}

func place(r *results.Run) string {
	var keys []string
	for _, p := range results.Without(r.Keys, "strategy") {
		keys = append(keys, p.Key+"="+p.Value)
	}
	return r.Base() + "/" + strings.Join(keys, "/")
}

func bySlowness(a, b *results.Run) int {
	return cmp.Compare(slowness(a), slowness(b))
}

func slowness(r *results.Run) float64 {
	return cmp.Or(r.Values[metric.P99Response], r.Values[metric.MeanResponse])
}

func profile(dir string, r *results.Run, kind string) string {
	seed, err := strconv.ParseUint(r.Seed, 10, 64)
	if err != nil {
		return ""
	}
	path := filepath.Join(dir, filepath.FromSlash(rundir.ProfileFile(r.Name, seed, kind)))
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}
