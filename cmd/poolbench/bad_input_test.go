package main

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// TestBadInput: whatever is wrong, there are only lines that begin with "poolbench: " and name flag, file or word; exit code 2; nothing on stdout, and
// nothing in the directory.
func TestBadInput(t *testing.T) {
	known := strings.Join(commandNames((&app{stdout: &output{}}).root()), ", ")
	for _, c := range []struct {
		args string
		want []string // in stderr, one line each
	}{
		{"benchmark", []string{`unknown command "benchmark" (known: ` + known + `)`}},
		{"help benchmark", []string{`help: unknown command "benchmark" (known: ` + known + `)`}},
		{"version extra", []string{`version: unexpected argument "extra"`}},
		{"version --json", []string{"unknown flag --json (known: --format, --help)"}},
		{"version -x", []string{"unknown flag -x (known: --format, --help)"}},
		{"version --format xml", []string{`--format: unknown value "xml" (known: text, json)`}},
		{"version --format", []string{"flag needs an argument: --format"}},
		{"completion", []string{"completion: SHELL is missing (usage: poolbench completion SHELL)"}},
		{"completion tcsh", []string{`completion: unknown shell "tcsh" (known: bash, fish, powershell, zsh)`}},
		{"list cats", []string{`list: unknown kind "cats" (known: strategies, workloads, targets, arrivals, studies, metrics)`}},
		{"list targets cat", []string{`list: no "cat" among the targets (known: `}},
		{"list targets none too", []string{`list: unexpected argument "too"`}},

		{"run everything", []string{`run: unexpected argument "everything"`}},
		{"run --strategy pool", []string{`--strategy: unknown strategy "pool" (known: ` + strategyNames()[0] + `, `}},
		{"run --strategy semaphore,pool,", []string{`--strategy: want a name in lower_snake`}},
		{"run --strategy pool,pile", []string{`--strategy: unknown strategy "pool"`, `--strategy: unknown strategy "pile"`}},
		{"run --strategy semaphore,semaphore", []string{"Run/strategy=semaphore/"}},
		{"run --strategy semaphore:size=3", []string{`--strategy: strategy semaphore: unknown parameter "size"`}},
		{"run --workload nap --target wall --arrival never", []string{
			`--workload: unknown workload "nap" (known: `, `--target: unknown target "wall" (known: `, `--arrival: unknown arrival "never" (known: `}},
		{"run --workload hyperexp:c2=0.5", []string{"--workload: workload hyperexp: "}},
		{"run --workload exponential,hyperexp:c2=4", []string{`--workload: want name:key=value,key=value, got the list "exponential,hyperexp" before the colon`}},
		{"run --workload exponential:mean=ten", []string{`--workload: workload exponential: mean: want a duration such as 10ms, got "ten"`}},
		{"run --target token_bucket:rate=0 --rate 5", []string{"--target: target token_bucket: "}},
		{"run --limit 0", []string{"--limit: want more than 0, got 0"}},
		{"run --limit 4,-1", []string{"--limit: want more than 0, got -1"}},
		{"run --limit four", []string{`--limit: want a whole number such as 4, got "four"`}},
		{"run --load 0", []string{"--load: want more than 0, got 0"}},
		{"run --load NaN", []string{`--load: want a number such as 0.5, got "NaN"`}},
		{"run --load 5000", []string{"load 5000: want "}},
		{"run --rate 1e99", []string{"rate 1e+99: want "}},
		{"run --queue -1", []string{`--queue: want a whole number from 0 up, got "-1"`}},
		{"run --strategy semaphore --queue 3", []string{"queue: none of these strategies has a queue"}},
		{"run --deadline 5", []string{`--deadline: want a duration above 0, such as 50ms or 2s, got "5"`}},
		{"run --deadline -5s", []string{`--deadline: want a duration above 0, such as 50ms or 2s, got "-5s"`}},
		{"run --n 0", []string{`--n: want a whole number from 1 up, got "0"`}},
		{"run --n 1000000000", []string{"n 1000000000: want 1 to "}},
		{"run --n 5 --duration 1s", []string{"n and duration exclude each other"}},
		{"run --arrival batch --duration 1s", []string{"arrival batch: say how many tasks there are (n)"}},
		{"run --warmup 100%", []string{`--warmup: want a share such as 10% or 0.1, at least 0 and below 1, got "100%"`}},
		{"run --count 0", []string{`--count: want a whole number from 1 up, got "0"`}},
		{"run --seed -1", []string{`--seed: want a whole number from 0 to 2^64-1, got "-1"`}},
		{"run --clock sundial", []string{`--clock: unknown clock "sundial" (known: real, virtual)`}},
		{"run --clock virtual --workload cpu_sha256", []string{"workload cpu_sha256: computing takes no virtual time; use the real clock"}},
		{"run --target token_bucket --load 0.5", []string{"load: target token_bucket limits a rate, so a load relative to the limit has no meaning; give a rate"}},
		{"run --target token_bucket", []string{"arrival poisson: give a rate (target token_bucket limits a rate)"}},
		{"run --arrival closed --rate 5", []string{"arrival closed: its clients set the pace, so it takes neither load nor rate"}},
		{"run --run-limit -1s --n 5", []string{"--run-limit: want a duration above 0, got -1s"}},
		{"run --run-limit soon", []string{`--run-limit: time: invalid duration "soon"`}},
		{"run --force --append --out x", []string{"--force and --append exclude each other"}},
		{"run --force", []string{"--force and --append are about the directory of --out, which is missing"}},
		{"run --file nowhere.yaml", []string{"--file: open nowhere.yaml: no such file or directory"}},
		{"run --file .", []string{"--file: read .: is a directory"}},
		{"run --n 5 --out a-file", []string{"--out: open a-file: not a directory"}},
		{"run --n 5 --out a-file/below", []string{"--out: open a-file/below: not a directory"}},
		{"run --n 5 --out full", []string{"--out: full exists already: --force replaces its results, --append adds to them"}},
		{"run --n 5 --out full --force", []string{"--out: full exists and is not a run directory (it has no results.txt)"}},

		{"run --objective latency<5ms", []string{`--objective: unknown metric "latency" (known: throughput, goodput, `}},
		{"run --objective p99-response", []string{`--objective: want METRIC<VALUE, such as p99-response<50ms or shed<=1%, got "p99-response"`}},
		{"run --objective p99-response<50", []string{`--objective: p99-response: want a duration such as 50ms, got "50"`}},
		{"run --objective shed<1% --objective shed<2%", []string{"--objective: shed<1% and shed<2% bound the same metric in the same direction"}},
		{"capacity", []string{"capacity: --objective is missing, such as --objective 'p99-response<50ms'"}},
		{"capacity everything", []string{`capacity: unexpected argument "everything"`}},
		{"capacity --objective shed<5", []string{`--objective: shed: want a share of at most 100%, got "5"`}},
		{"capacity --load 0.5", []string{"unknown flag --load (known: "}},
		{"capacity --objective shed<1% --load-range 0.5", []string{`--load-range: want two numbers above 0 such as 0.1,1.2, the smaller first, got "0.5"`}},
		{"capacity --objective shed<1% --load-range 1,0.5", []string{"--load-range: want two numbers above 0"}},
		{"capacity --objective shed<1% --load-range 1,5000", []string{"load 5000: want a positive number"}},
		{"capacity --objective shed<1% --load-range 1,2 --rate-range 1,2", []string{"--load-range and --rate-range exclude each other"}},
		{"capacity --objective shed<1% --target token_bucket", []string{"limits a rate, so a load relative to the limit has no meaning; give a rate"}},
		{"capacity --objective shed<1% --arrival closed", []string{"arrival closed: its clients set the pace, so it takes neither load nor rate"}},
		{"capacity --objective shed<1% --confidence 30%", []string{"confidence 0.3: want a share from 0.5"}},
		{"capacity --objective shed<1% --resolution 0.0001", []string{"resolution 0.0001: want a share from 0.001"}},
		{"capacity --objective shed<1% --clock virtual --count 5", []string{"5 runs at a load cannot tell with this confidence; it takes 6"}},
		{"capacity --objective shed<1% --count 0", []string{`--count: want a whole number from 1 up, got "0"`}},
		{"capacity --objective shed<1% --strategy pool", []string{`--strategy: unknown strategy "pool" (known: `}},
		{"capacity --objective shed<1% --run-limit -1s", []string{"--run-limit: want a duration above 0, got -1s"}},
		{"capacity --objective shed<1% --force", []string{"--force and --append are about the directory of --out, which is missing"}},
		{"capacity --objective shed<1% --out full", []string{"--out: full exists already"}},

		{"study", []string{"study: NAME is missing (known: "}},
		{"study load scrapes", []string{`unknown study "scrapes" (known: `}},
		{"study load load", []string{"study load is named twice"}},
		{"study load --strategy serials", []string{`--strategy: unknown strategy "serials" (known: `}},
		{"study load --rate 5", []string{"unknown flag --rate (known: "}},
		{"study load --quick --full", []string{"--quick and --full exclude each other"}},
		{"study load --expect maybe", []string{`--expect: "maybe" is no verdict (holds, does-not-hold, depends)`}},
		{"study load --expect undecided", []string{`--expect: "undecided" is no verdict`}},
		{"study all load", []string{`unknown study "all" (known: `}},

		{"run --timeout 0s --n 5", []string{"--timeout: "}},
		{"run --workload evil --n 5", []string{"workload evil: some of its tasks end only when they are cancelled; give a timeout"}},
		{"run --workload sql_query --clock virtual", []string{"workload sql_query: files, sockets and databases keep no virtual time; use the real clock"}},
		{"run --workload sql_query --dsn postgres://u:secret@localhost/x --n 5", []string{"--dsn: no workload is sql_query:db=postgres"}},

		{"compare", []string{"compare: OLD is missing (usage: poolbench compare OLD [NEW...] [flags])"}},
		{"compare nowhere good.txt", []string{"nowhere"}},
		{"compare good.txt full", []string{"full: no results.txt in it"}},
		{"compare good.txt empty.txt", []string{"empty.txt"}},
		{"compare good.txt a-file", []string{"a-file"}},
		{"compare good.txt newer.txt", []string{"newer.txt"}},
		{"compare good.txt other.txt", []string{"have no benchmark in common"}},
		{"compare good.txt good.txt --metric ops", []string{"ops"}},
		{"compare good.txt good.txt --alpha 0", []string{`--alpha: want a share above 0, got "0"`}},
		{"compare good.txt good.txt --format html", []string{`--format: unknown value "html" (known: text, markdown, csv, json)`}},
		{"gate good.txt", []string{"gate: NEW is missing (usage: poolbench gate (OLD NEW | --base REV) [flags])"}},
		{"gate --base HEAD good.txt", []string{"gate: --base and results to compare (good.txt) exclude each other"}},
		{"gate --base HEAD --allow-partial", []string{"gate: --allow-partial is about results to compare"}},
		{"gate good.txt good.txt --bench .", []string{"gate: --bench is about revisions that gate measures; it takes --base"}},
		{"gate good.txt good.txt --quiet --seed 2", []string{"gate: --seed is about revisions that gate measures; it takes --base"}},
		{"gate --base HEAD --benchtime 0s", []string{`--benchtime: want a duration above 0 such as 250ms, or iterations such as 100x, got "0s"`}},
		{"gate --base HEAD --benchtime x", []string{`--benchtime: want a duration above 0`}},
		{"gate --base HEAD --layouts 0", []string{"gate: layouts 0: want 1 to 100"}},
		{"gate --base HEAD --pairs 101", []string{"gate: pairs 101: want 1 to 100"}},
		{"gate --base HEAD --bench (", []string{`gate: bench: "(" is no regular expression: `}},
		{"gate --base HEAD --margin 5% --promise 1%", []string{"gate: a promise of 0.01 is not between the margin of 0.05 and 1"}},
		{"gate --base HEAD --run-limit -1s", []string{"--run-limit: want a duration above 0, got -1s"}},
		{"gate --base HEAD --resume", []string{"--resume is about the directory of --out, which is missing"}},
		{"gate --base HEAD --out full", []string{"--out: full exists already: --resume goes on"}},
		{"gate --base= --out x", []string{"--base: want a revision"}},
		{"gate --base HEAD --quiet", []string{"is not in a git repository with a working tree"}},
		{"gate --base HEAD --quiet --dir a-file", []string{"a-file is no directory"}},
		{"gate --base HEAD --quiet --dir nowhere", []string{"nowhere"}},
		{"gate good.txt nowhere", []string{"nowhere"}},
		{"gate good.txt good.txt --margin 1", []string{`--margin: want a share such as 10% or 0.1, at least 0 and below 1, got "1"`}},
		{"gate good.txt good.txt --margin 5% --promise 1%", []string{"gate: a promise of 0.01 is not between the margin of 0.05 and 1"}},
		{"report", []string{"report: DIR is missing (usage: poolbench report DIR)"}},
		{"report nowhere", []string{"nowhere"}},
		{"report full", []string{"full: no results.txt in it"}},
		{"report cut", []string{"cut/results.txt"}},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Chdir(t.TempDir())
			write(t, "a-file", "this is no benchmark\n")
			write(t, "empty.txt", "")
			write(t, "good.txt", "BenchmarkA 1 5 ns/op\n")
			write(t, "other.txt", "BenchmarkB 1 5 ns/op\n")
			write(t, "newer.txt", "# poolbench results 99\nBenchmarkA 1 5 ns/op\n# complete 1 runs\n")
			for _, dir := range []string{"full", "cut"} {
				if err := os.Mkdir(dir, 0o777); err != nil {
					t.Fatal(err)
				}
			}
			write(t, "full/of.things", "")
			write(t, "cut/results.txt", "# poolbench results 1\nBenchm")
			before := tree(t)
			o := command(t, strings.Fields(c.args)...)
			lines := strings.Split(strings.TrimSuffix(o.stderr, "\n"), "\n")
			if o.code != unusable || o.stdout != "" || len(lines) != len(c.want) {
				t.Errorf("exit code %d, stdout %q, %d lines in stderr:\n%s", o.code, o.stdout, len(lines), o.stderr)
			}
			for i, line := range lines {
				if !strings.HasPrefix(line, "poolbench: ") || i < len(c.want) && !strings.Contains(line, c.want[i]) {
					t.Errorf("line %q, want in it %q", line, c.want[min(i, len(c.want)-1)])
				}
			}
			if after := tree(t); after != before {
				t.Errorf("left behind:\n%s\nthere was:\n%s", after, before)
			}
		})
	}
}

// tree lists the current directory.
func tree(t testing.TB) string {
	t.Helper()
	var paths []string
	entries, err := os.ReadDir(".")
	for _, e := range entries {
		below, err := os.ReadDir(e.Name())
		if err != nil && e.IsDir() {
			t.Fatal(err)
		}
		paths = append(paths, e.Name())
		for _, b := range below {
			paths = append(paths, e.Name()+"/"+b.Name())
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(paths, "\n")
}

// TestUnwritable: a directory that cannot be made is one line and exit code 2.
func TestUnwritable(t *testing.T) {
	t.Chdir(t.TempDir())
	const nowhere = "/proc/poolbench" // not for root either, where there is one
	o := command(t, quick("--out", nowhere)...)
	if o.code != unusable || strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, "--out: ") {
		t.Errorf("exit code %d\n%s", o.code, o.stderr)
	}
}

// fullDevice is a file on which every write fails for want of space, where the system has it.
func fullDevice(t *testing.T) string {
	const path = "/dev/full"
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		t.Skip("this system has no " + path)
	}
	return path
}

// TestFullDisk: when a file of the run directory cannot be written, there is one line with its name, exit code 2, no report, and
// results that do not pass for whole.
func TestFullDisk(t *testing.T) {
	device := fullDevice(t)
	t.Chdir(t.TempDir())
	succeed(t, quick("--out", "x")...)
	for _, file := range []string{"x/timeline.csv", "x/report.html"} {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(device, "x/timeline.csv"); err != nil {
		t.Fatal(err)
	}
	o := command(t, quick("--out", "x", "--append")...)
	if o.code != unusable || !strings.Contains(o.stderr, "timeline.csv") || !strings.Contains(o.stderr, "no space left") {
		t.Errorf("exit code %d\n%s", o.code, o.stderr)
	}
	if _, err := os.Stat("x/report.html"); err == nil {
		t.Error("there is a report")
	}
	if lines := strings.Split(strings.TrimSpace(read(t, "x/results.txt")), "\n"); strings.HasPrefix(lines[len(lines)-1], "# complete") {
		t.Errorf("results pass for complete: %q", lines[len(lines)-1])
	}
}

// TestFullStdout: output that cannot be written is an error of every command.
func TestFullStdout(t *testing.T) {
	device := fullDevice(t)
	t.Chdir(t.TempDir())
	write(t, "good.txt", "BenchmarkA 1 5 ns/op\n")
	for _, args := range []string{"--help", "run --help", "list", "list targets none", "version", "version --format json", "completion bash",
		"compare good.txt good.txt", "run --dry-run", "run --clock virtual --n 500 --quiet --out x"} {
		full, err := os.OpenFile(device, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		var stderr strings.Builder
		code := run(t.Context(), strings.Fields(args), strings.NewReader(""), full, &stderr)
		if want := "poolbench: standard output: write /dev/full: no space left on device\n"; code != unusable || stderr.String() != want {
			t.Errorf("%s: exit code %d, stderr %q", args, code, stderr.String())
		}
		if err := full.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestClosedStdout: a reader that has seen enough is not an error, and does not change a verdict.
func TestClosedStdout(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "good.txt", "BenchmarkA 1 5 ns/op\n")
	for args, want := range map[string]int{"--help": fine, "list": fine, "compare good.txt good.txt": fine, "gate good.txt good.txt": undecided} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		var stderr strings.Builder
		if code := run(t.Context(), strings.Fields(args), strings.NewReader(""), w, &stderr); code != want || stderr.String() != "" {
			t.Errorf("%s: exit code %d, stderr %q, want %d and nothing", args, code, stderr.String(), want)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}
