package manual

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/poolbench/poolbench/internal/project/need"
)

type actionFile struct {
	Inputs  map[string]struct{ Default string }
	Outputs map[string]struct{ Value string }
	Runs    struct {
		Steps []struct {
			Name, ID, Run, If string
			Env, With         map[string]string
		}
	}
}

func readAction(t *testing.T) (a actionFile) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, filepath.Join(checkout, "action.yml"))), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// foreign is another project's module, checked out like a pull request on GitHub. Programs in bin
// precede others in PATH.
type foreign struct {
	dir, bin, temp string
	env            []string
}

// newForeign creates the module. Its benchgate records its arguments and exits with $CODE.
func newForeign(t *testing.T) *foreign {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("its scripts are for bash")
	}
	for _, program := range []string{"bash", "git", "xargs"} {
		if _, err := exec.LookPath(program); err != nil {
			need.Skip(t, program+" is not installed")
		}
	}
	f := &foreign{t.TempDir(), t.TempDir(), t.TempDir(), nil}
	f.write(t, "go.mod", "module example.com/foreign\n\ngo 1.24\n")
	f.write(t, "parse.go", "package foreign\n\nfunc Parse(s string) (n int) {\n"+
		"\tfor _, r := range s {\n\t\tn += int(r)\n\t}\n\treturn n\n}\n")
	f.write(t, "parse_test.go", "package foreign\n\nimport (\n\t\"strings\"\n\t\"testing\"\n)\n\n"+
		"func BenchmarkParse(b *testing.B) {\n\ts := strings.Repeat(\"x\", 2000)\n"+
		"\tfor b.Loop() {\n\t\tParse(s)\n\t}\n}\n")
	f.program(t, "benchgate", `printf '%s\0' "$@" > "$RUNNER_TEMP/recorded"
while [ $# -gt 1 ]; do
  if [ "$1" = --out ]; then mkdir -p "$2"; echo page > "$2/report.html"; : > "$2/new.txt"; fi
  shift
done
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || echo "| the table |" >> "$GITHUB_STEP_SUMMARY"
exit "${CODE:-0}"
`)
	f.env = append(os.Environ(), "PATH="+f.bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		"RUNNER_TEMP="+f.temp, "GOWORK=off", "GOFLAGS=", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a",
		"GIT_COMMITTER_EMAIL=a@b", "GITHUB_OUTPUT="+filepath.Join(f.temp, "output"),
		"GITHUB_STEP_SUMMARY="+filepath.Join(f.temp, "summary"), "GITHUB_JOB=gate",
		"GITHUB_WORKFLOW=ci", "GITHUB_REPOSITORY=someone/foreign")
	if out, code := f.bash(t, `git init --quiet --initial-branch=main
git add .
git commit --quiet --message base
git switch --quiet --create change
echo change > change.txt
git add .
git commit --quiet --message change
git switch --quiet main
echo later > later.txt
git add .
git commit --quiet --message later
git merge --quiet --no-ff --message merge change
`); code != 0 {
		t.Fatal(out)
	}
	return f
}

func (f *foreign) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// program installs a shell script in PATH and in the action's build directory.
func (f *foreign) program(t *testing.T, name, text string) {
	t.Helper()
	for _, dir := range []string{f.bin, f.temp} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/bash\n"+text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
}

func (f *foreign) bash(t *testing.T, script string, env ...string) (out string, code int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "step.sh")
	if err := os.WriteFile(file, []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", file)
	cmd.Dir, cmd.Env = f.dir, append(slices.Clone(f.env), env...)
	all, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(all), cmd.ProcessState.ExitCode()
}

// recorded returns the last arguments of benchgate.
func (f *foreign) recorded(t *testing.T) []string {
	t.Helper()
	all := read(t, filepath.Join(f.temp, "recorded"))
	return strings.Split(strings.TrimSuffix(all, "\x00"), "\x00")
}

// outputs returns and deletes the outputs of the last step.
func (f *foreign) outputs(t *testing.T) map[string]string {
	t.Helper()
	file, all := filepath.Join(f.temp, "output"), map[string]string{}
	for line := range strings.Lines(read(t, file)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		all[name] = value
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	return all
}

// step returns the script and the environment of a step, with defaults for missing inputs.
func (a actionFile) step(
	t *testing.T, name string, inputs map[string]string,
) (run string, env []string) {
	t.Helper()
	for _, s := range a.Runs.Steps {
		if s.Name != name {
			continue
		}
		for key, value := range s.Env {
			if input, ok := strings.CutPrefix(value, "${{ inputs."); ok {
				input = strings.TrimSuffix(input, " }}")
				declared, known := a.Inputs[input]
				if !known {
					t.Errorf("%s uses input %s, which is none", name, input)
				}
				if value = declared.Default; inputs[input] != "" {
					value = inputs[input]
				}
			} else if strings.HasPrefix(value, "${{") {
				value = ""
			}
			env = append(env, key+"="+value)
		}
		return s.Run, env
	}
	t.Fatalf("no step %q", name)
	return "", nil
}

// Quotes, globs and spaces in inputs must reach benchgate unchanged.
func TestActionArguments(t *testing.T) {
	f, action := newForeign(t), readAction(t)
	base, _ := f.bash(t, "git rev-parse HEAD^1")
	base = strings.TrimSpace(base)
	for _, c := range []struct {
		inputs map[string]string
		want   []string // after --junit and its file
		base   string
	}{
		{nil, nil, base},
		{map[string]string{"args": "  \n "}, nil, base},
		{map[string]string{"base": "main~1"}, nil, "main~1"},
		{map[string]string{"bench": "Parse|Format .*", "package": "./a b/...", "benchtime": "10x"},
			[]string{"--bench", "Parse|Format .*", "--pkg", "./a b/...", "--benchtime", "10x"}, base},
		{map[string]string{"args": `--skip 'Slow|.*' --bench * --metric "a b" --better x\ y=lower`},
			[]string{"--skip", "Slow|.*", "--bench", "*", "--metric", "a b", "--better", "x y=lower"}, base},
		{map[string]string{"args": "--skip $(touch injected)`touch injected`;touch injected\n--quiet"},
			[]string{"--skip", "$(touch", "injected)`touch", "injected`;touch", "injected", "--quiet"}, base},
		{map[string]string{"args": `--metric ''`}, []string{"--metric", ""}, base},
	} {
		run, env := action.step(t, "gate", c.inputs)
		if out, code := f.bash(t, run, env...); code != 0 {
			t.Errorf("%v: exit code %d\n%s", c.inputs, code, out)
			continue
		}
		got := f.recorded(t)
		if len(got) < 9 || got[0] != "gate" || got[2] != c.base || !slices.Equal(got[9:], c.want) {
			t.Errorf("%v: %q", c.inputs, got)
		}
	}
	if _, err := os.Stat(filepath.Join(f.dir, "injected")); err == nil {
		t.Error("args are run as a command")
	}
}

func TestActionVerdict(t *testing.T) {
	f, action := newForeign(t), readAction(t)
	artifacts := map[string]bool{}
	for _, c := range []struct {
		gate         int
		inconclusive string
		code         int
		verdict      string
	}{
		{0, "", 0, "pass"}, {1, "", 1, "worse"}, {2, "", 2, "error"}, {130, "", 130, "error"},
		{3, "", 0, "inconclusive"}, {3, "warn", 0, "inconclusive"}, {3, "fail", 3, "inconclusive"},
	} {
		run, env := action.step(t, "gate", map[string]string{"on-inconclusive": c.inconclusive})
		out, code := f.bash(t, run, append(env, fmt.Sprint("CODE=", c.gate))...)
		got := f.outputs(t)
		if code != c.code || got["verdict"] != c.verdict ||
			strings.Contains(out, "::warning::") != (c.gate == 3 && code == 0) {
			t.Errorf("%+v: exit code %d, %v\n%s", c, code, got, out)
		}
		if read(t, got["report"]) != "page\n" || artifacts[got["artifact"]] ||
			!regexp.MustCompile(`^benchgate-gate-0-\w+$`).MatchString(got["artifact"]) {
			t.Errorf("%+v: %v", c, got)
		}
		artifacts[got["artifact"]] = true
	}
	if summary := read(t, filepath.Join(f.temp, "summary")); strings.Count(summary, "the table") != 7 {
		t.Errorf("summary: %q", summary)
	}
	for _, inputs := range []map[string]string{{"on-inconclusive": "ignore"},
		{"args": "--bench 'Parse"}, {"directory": f.temp}} { // the last has no commits
		run, env := action.step(t, "gate", inputs)
		out, code := f.bash(t, run, append(env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(f.temp))...)
		if got := f.outputs(t); code != 2 || got["verdict"] != "error" || got["report"] != "" ||
			!strings.Contains(out, "::error::") {
			t.Errorf("%v: exit code %d, %v\n%s", inputs, code, got, out)
		}
	}
	for name, output := range action.Outputs {
		if output.Value != "${{ steps.gate.outputs."+name+" }}" {
			t.Errorf("output %s is %s", name, output.Value)
		}
	}
}

// A token without permission must cause a warning.
func TestActionComment(t *testing.T) {
	f, action := newForeign(t), readAction(t)
	f.program(t, "gh", `printf '%s ' "$@" >> "$RUNNER_TEMP/gh"; echo >> "$RUNNER_TEMP/gh"
case "$*" in
*--jq*) [ -z "${DENIED:-}" ] || exit 1; printf '%s' "${FOUND:-}" ;;
esac
`)
	f.write(t, "summary.md", "| the table |\n")
	run, env := action.step(t, "comment", nil)
	env = append(env, "PULL=7", "SUMMARY="+filepath.Join(f.dir, "summary.md"))
	for _, c := range []struct{ env, call string }{
		{"FOUND=", "api --method POST repos/someone/foreign/issues/7/comments "},
		{"FOUND=12\n13\n", "api --method PATCH repos/someone/foreign/issues/comments/12 "},
		{"DENIED=1", ""},
	} {
		_ = os.Remove(filepath.Join(f.temp, "gh"))
		out, code := f.bash(t, run, append(env, c.env)...)
		calls := strings.Split(strings.TrimSpace(read(t, filepath.Join(f.temp, "gh"))), "\n")
		last := calls[len(calls)-1]
		if code != 0 || !strings.Contains(last, c.call) || (c.call == "") != (len(calls) == 1) ||
			strings.Contains(out, "::warning::") != (c.call == "") {
			t.Errorf("%q: exit code %d, %q\n%s", c.env, code, calls, out)
		}
	}
	if body := read(t, filepath.Join(f.dir, "summary.md.comment")); body !=
		"<!-- benchgate: ci, gate, 0, . -->\n| the table |\n" {
		t.Errorf("body: %q", body)
	}
	for _, s := range action.Runs.Steps {
		if s.Name == "comment" && !strings.Contains(s.If, "inputs.comment == 'true'") ||
			s.Name == "comment" && !strings.Contains(s.If, "head.repo.full_name == github.repository") {
			t.Errorf("it comments if %s", s.If)
		}
	}
}

func TestAction(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program and measures")
	}
	f, action := newForeign(t), readAction(t)
	source, err := filepath.Abs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(f.temp, "benchgate")); err != nil {
		t.Fatal(err)
	}
	run, env := action.step(t, "build benchgate", nil)
	if out, code := f.bash(t, run, append(env, "SOURCE="+source)...); code != 0 {
		t.Fatal(out)
	}
	run, env = action.step(t, "gate", map[string]string{"bench": "Pars[e]|No such .*",
		"benchtime": "1ms", "args": `--layouts 1 --skip 'a "b" *' --pairs 6`})
	out, code := f.bash(t, run, env...)
	got := f.outputs(t)
	// on a busy machine, equal code may be inconclusive, or a control may fail
	judged := code == 0 && (got["verdict"] == "pass" || got["verdict"] == "inconclusive")
	refused := code == 2 && got["verdict"] == "error" && strings.Contains(out, "gate: cannot decide")
	if !judged && !refused {
		t.Errorf("exit code %d, %v\n%s", code, got, out)
	}
	if !strings.Contains(out, "Parse") ||
		!strings.Contains(read(t, filepath.Join(f.temp, "summary")), "Parse") {
		t.Errorf("no Parse in\n%s", out)
	}
}

// TestGatePage runs the blocks of docs/gate-your-ci.md for each verdict.
func TestGatePage(t *testing.T) {
	f := newForeign(t)
	page := read(t, filepath.Join(checkout, "docs", "gate-your-ci.md"))
	var shell, bisect, trend, makefile, pipeline, workflow string
	for _, b := range blocks(page) {
		switch {
		case strings.Contains(b.text, "refs/gate/passed"):
			shell = b.text
		case strings.Contains(b.text, "benchgate gate --bisect"):
			bisect = b.text
		case strings.HasPrefix(b.text, "benchgate trend"):
			trend = b.text
		case b.language == "make":
			makefile = b.text
		case b.language == "groovy":
			pipeline = b.text
		case strings.Contains(b.text, "uses: poolbench/poolbench"):
			workflow = b.text
		}
	}
	script := regexp.MustCompile(`(?s)script: '''\n(.*?)'''`).FindStringSubmatch(pipeline)
	var gitlab struct {
		Benchgate struct {
			Script    []string
			Variables map[string]string
			Allow     struct {
				Codes int `yaml:"exit_codes"`
			} `yaml:"allow_failure"`
		}
	}
	template := read(t, filepath.Join(checkout, "templates", "gitlab-ci.yml"))
	if err := yaml.Unmarshal([]byte(template), &gitlab); err != nil {
		t.Fatal(err)
	}
	if job := gitlab.Benchgate; shell == "" || makefile == "" || script == nil || workflow == "" ||
		len(job.Script) != 2 || job.Allow.Codes != 3 {
		t.Fatalf("%q, %q, %q, %q, %+v", shell, makefile, script, workflow, job)
	}
	f.write(t, "Makefile", makefile)
	f.bash(t, "git init --quiet --bare ../origin.git; git remote add origin ../origin.git")
	t.Cleanup(func() { _ = os.RemoveAll(filepath.Join(filepath.Dir(f.dir), "origin.git")) })
	if out, code := f.bash(t, "git push --quiet origin main change"); code != 0 {
		t.Fatal(out)
	}
	sha, _ := f.bash(t, "git rev-parse HEAD^1")
	sha = strings.TrimSpace(sha)
	for _, c := range []struct {
		name, script, base string
		inconclusive       int // exit code
		needs              string
	}{
		{"shell", shell, "", 0, "git"},
		{"make", "make --silent gate BASE=HEAD^1", "HEAD^1", 0, "make"},
		{"GitLab", gitlab.Benchgate.Script[1], sha, 3, "git"},
		{"Jenkins", "git fetch --quiet origin \"$CHANGE_TARGET\"\n" + script[1], "", 3, "git"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := exec.LookPath(c.needs); err != nil {
				need.Skip(t, c.needs+" is not installed")
			}
			for gate, want := range map[int]int{0: 0, 1: 1, 2: 2, 3: c.inconclusive} {
				out, code := f.bash(t, c.script, fmt.Sprint("CODE=", gate),
					"CI_MERGE_REQUEST_DIFF_BASE_SHA="+sha, "CHANGE_TARGET=change", "MAKEFLAGS=")
				if c.name == "make" && want > 0 {
					want = 2 // exit code of make
				}
				args := f.recorded(t)
				if code != want || args[0] != "gate" || args[1] != "--base" ||
					c.base != "" && args[2] != c.base || args[2] == "" {
					t.Errorf("gate %d: exit code %d, want %d, arguments %q\n%s", gate, code, want, args,
						out)
				}
			}
		})
	}
	if out, code := f.bash(t, shell+"\n[ $(git rev-parse refs/gate/passed) = $(git rev-parse HEAD) ]",
		"CODE=0"); code != 0 {
		t.Errorf("a pass does not become the base: %s", out)
	}
	if out, code := f.bash(t, trend); code != 0 || f.recorded(t)[0] != "trend" ||
		len(f.recorded(t)) != 2 {
		t.Errorf("exit code %d, %q\n%s", code, f.recorded(t), out)
	}
	for gate, want := range map[int]int{0: 0, 2: 2, 3: 0, 130: 130} {
		if out, code := f.bash(t, bisect, fmt.Sprint("CODE=", gate)); code != want ||
			!slices.Equal(f.recorded(t), []string{"gate", "--bisect", "v1.2.0", "main", "--bench",
				"Parse", "--out", "bisect"}) {
			t.Errorf("bisect %d: exit code %d, %q\n%s", gate, code, f.recorded(t), out)
		}
	}
	action := readAction(t)
	_, with, _ := strings.Cut(workflow, "with:\n          bench")
	for _, m := range regexp.MustCompile(`(?m)^ +([\w-]+):`).FindAllStringSubmatch("  bench"+with, -1) {
		if _, ok := action.Inputs[m[1]]; !ok {
			t.Errorf("the workflow uses input %s, which is none", m[1])
		}
	}
	for name := range action.Inputs {
		if !strings.Contains(page, "| `"+name+"` |") && name != "token" {
			t.Errorf("the page has no row for input %s", name)
		}
	}
}
