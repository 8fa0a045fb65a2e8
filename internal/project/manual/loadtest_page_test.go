package manual

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// TestLoadTestPage runs the script of docs/load-testing-in-ci.md like jobs of GitHub, GitLab and
// make. Jobs must exit with the code of attack, stop the service, and report a service that does
// not start.
func TestLoadTestPage(t *testing.T) {
	f := newForeign(t)
	var script, github, gitlab, makefile string
	for _, b := range blocks(read(t, filepath.Join(checkout, "docs", "load-testing-in-ci.md"))) {
		switch _, path, _ := strings.Cut(b.mark, "file: "); path {
		case "load-test.sh":
			script = b.text
		case ".github/workflows/load-test.yml":
			github = b.text
		case "load-test.gitlab-ci.yml":
			gitlab = b.text
		case "Makefile":
			makefile = b.text
		}
	}
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct {
				Run  string
				With struct{ Path string }
			}
		}
	}
	var pipeline struct {
		Job struct {
			Script    []string
			Artifacts struct {
				Paths   []string
				Reports struct{ Junit string }
			}
		} `yaml:"load-test"`
	}
	if err := yaml.Unmarshal([]byte(github), &workflow); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(gitlab), &pipeline); err != nil {
		t.Fatal(err)
	}
	f.write(t, "load-test.sh", script)
	f.write(t, "Makefile", makefile)
	f.program(t, "go", `echo "go $*"`)
	f.program(t, "curl", `[ -e "$STATE/serves" ]`)
	f.program(t, "poolbench", `case $1 in
serve)
  [ -z "${BROKEN:-}" ] || { echo "address already in use"; exit 1; }
  : > "$STATE/serves"
  trap 'rm "$STATE/serves"; exit 0' TERM
  while :; do sleep 0.01; done ;;
attack)
  [ -e "$STATE/serves" ] || exit 9
  mkdir -p load
  echo page > load/report.html
  echo "<testsuite/>" > load.xml
  exit "${CODE:-0}" ;;
esac
`)
	var steps, kept []string
	for _, s := range workflow.Jobs["load-test"].Steps {
		if s.Run != "" {
			steps = append(steps, s.Run)
		}
		kept = append(kept, strings.Fields(s.With.Path)...)
	}
	job := pipeline.Job
	kept = append(append(kept, job.Artifacts.Paths...), job.Artifacts.Reports.Junit)
	if len(steps) != 2 || len(job.Script) != 2 || len(kept) != 6 {
		t.Fatalf("%q %q %q", steps, job.Script, kept)
	}
	state := "STATE=" + f.temp
	for name, script := range map[string]string{"GitHub": strings.Join(steps, "\n"),
		"GitLab": strings.Join(job.Script, "\n"), "make": "make --silent load-test"} {
		for attack, code := range map[string]int{"0": 0, "1": 1, "2": 2, "3": 3} {
			if name == "make" && code > 0 {
				code = 2 // exit code of make
			}
			out, got := f.bash(t, script, state, "CODE="+attack, "MAKEFLAGS=")
			if got != code {
				t.Errorf("%s: exit code %d, want %d\n%s", name, got, code, out)
			}
			if _, err := os.Stat(filepath.Join(f.temp, "serves")); err == nil {
				t.Errorf("%s: the service lives on", name)
			}
			for _, file := range kept {
				if _, err := os.Stat(filepath.Join(f.dir, file)); err != nil {
					t.Errorf("%s: what is kept: %v", name, err)
				}
			}
			for _, file := range kept {
				if err := os.RemoveAll(filepath.Join(f.dir, file)); err != nil {
					t.Fatal(err)
				}
			}
		}
		out, got := f.bash(t, script, state, "BROKEN=1", "MAKEFLAGS=")
		if got != 2 || !strings.Contains(out, "the service has ended:\naddress already in use") {
			t.Errorf("%s: exit code %d of a service that does not start\n%s", name, got, out)
		}
	}
}
