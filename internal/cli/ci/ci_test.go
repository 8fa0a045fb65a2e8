package ci_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/ci"
)

func results(t *testing.T, name, value string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	text := strings.Repeat("BenchmarkParse-2 1000 "+value+" ns/op\n", 12)
	if err := os.WriteFile(path, []byte("goos: linux\ngoarch: amd64\n"+text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestBenchgate(t *testing.T) {
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	t.Setenv("GITHUB_ACTIONS", "")
	slow, fast := results(t, "slow.txt", "200"), results(t, "fast.txt", "100")
	for _, c := range []struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		{[]string{"gate", fast, fast}, 0, "gate: pass", ""},
		{[]string{"gate", fast, slow}, 1, "worse", ""},
		{[]string{"gate", slow, fast}, 0, "better", ""},
		{[]string{"gate", fast}, 2, "", "benchgate: gate: NEW is missing (usage: benchgate gate"},
		{[]string{"compare", fast, slow}, 0, "100.00%", ""},
		{[]string{"trend", fast, slow}, 3, "", ""},
		{[]string{"gate", "--bisect", "v1"}, 2, "", "gate: BAD is missing (usage: benchgate gate"},
		{[]string{"gate", "--bisect", "v1", "main", "./..."}, 2, "",
			`--bisect accepts only GOOD and BAD, got "./...": give packages with --pkg`},
		{[]string{"gate", "--bisect", "v1", "main", "--base", "v1"}, 2, "",
			"--bisect and --base exclude each other"},
		{[]string{"gate", "--bisect", "v1", "main", "--junit", "x"}, 2, "",
			"--bisect and --junit exclude each other"},
		{[]string{"gate", "--bisect", "v1", "main", "--format", "markdown"}, 2, "",
			"--format: --bisect prints text or json, not markdown"},
		{[]string{"gate", "--bisect", "v1", "main", "--dir", os.TempDir()}, 2, "",
			"gate: --bisect: "},
		{[]string{"gate", "--bisect", "v1", "main", "--resume", "--force"}, 2, "",
			"--resume and --force exclude each other"},
		{[]string{"run"}, 2, "", `benchgate: unknown command "run"`},
		{[]string{"gate", "--help"}, 0, "benchgate gate --base main", ""},
		{[]string{"--help"}, 0, "benchgate gate OLD NEW", ""},
		{[]string{"version"}, 0, "benchgate ", ""},
	} {
		var stdout, stderr bytes.Buffer
		code := ci.Run(t.Context(), c.args, strings.NewReader(""), &stdout, &stderr)
		if code != c.code || !strings.Contains(stdout.String(), c.stdout) ||
			!strings.Contains(stderr.String(), c.stderr) ||
			strings.Contains(stdout.String()+stderr.String(), "poolbench gate") {
			t.Errorf("%q: exit code %d\n%s\n%s", c.args, code, &stdout, &stderr)
		}
	}
}
