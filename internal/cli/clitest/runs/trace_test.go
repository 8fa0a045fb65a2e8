package runs

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/traffic"
	"github.com/poolbench/poolbench/internal/traffic/recorded"
)

func TestTrace(t *testing.T) {
	t.Chdir(t.TempDir())
	const file = "a'b.csv" // a name that needs shell quotes
	clitest.Write(t, file, "time,took\n"+clitest.PlayedTasks(t, "onoff:on=130ms,off=510ms", 90, 6000))
	o := clitest.Succeed(t, "trace", file, "--column", "time", "--duration", "took", "--format", "json")
	var d recorded.Document
	if err := json.Unmarshal([]byte(o.Stdout), &d); err != nil {
		t.Fatal(err)
	}
	if d.Tasks != 6000 || d.GapC2 < 2 || d.Durations.Mean != 0.1 || d.Durations.Rho > -0.9 ||
		d.Resembles == nil || !strings.HasPrefix(d.Resembles.Arrival, "onoff:") {
		t.Errorf("%+v", d)
	}
	clitest.Write(t, "plain.csv", "time,took\n"+clitest.PlayedTasks(t, "poisson", 90, 6000))
	text := clitest.Succeed(t, "trace", "plain.csv", "--column", "time", "--duration", "took", "--from",
		"5s").Stdout
	if !strings.Contains(text, "arrive independently") ||
		!strings.Contains(text, "resembles       poisson: ") || strings.Count(text, "\n") > 25 {
		t.Error(text)
	}
	_, line, _ := strings.Cut(text, "To replay it:\n")
	args := clitest.ShellWords(strings.ReplaceAll(line, "\\\n", ""))[1:]
	plan := clitest.Succeed(t, append(args, "--strategy", "semaphore", "--dry-run")...).Stdout
	if !strings.Contains(plan, "1 scenarios, 1 runs") {
		t.Error(plan)
	}
	clitest.Write(t, "a,b.csv", "1\n2\n3\n")
	if text = clitest.Succeed(t, "trace", "a,b.csv").Stdout; !strings.Contains(text,
		"under this name") ||
		strings.Contains(text, "To replay") {
		t.Error(text)
	}
	notes := strings.Replace(clitest.PlayedTasks(t, "constant", 10, 20), "\n", "\n1777626000000000000,1s\n", 1)
	clitest.Write(t, "odd.csv", notes)
	if text = clitest.Succeed(t, "trace", "odd.csv").Stdout; !strings.Contains(text, "\nodd: ") ||
		!strings.Contains(text, "unknown: too few tasks") {
		t.Error(text)
	}
}

// If no durations are read, other named columns must be reported. Numbers are not names.
func TestUnreadDurations(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Write(t, "named.csv", "took,time\n10ms,1\n20ms,2\n30ms,4\n")
	clitest.Write(t, "numbers.csv", "0.01,1\n0.02,2\n0.03,4\n")
	const said = "\n  durations       not read; name their column with --duration: the file has took\n"
	for line, want := range map[string]bool{"named.csv --column time": true,
		"named.csv --column 2":              true,
		"named.csv --column 2 --duration 1": false, "numbers.csv --column 2": false} {
		text := clitest.Succeed(t, append([]string{"trace"}, strings.Fields(line)...)...).Stdout
		if strings.Contains(text, said) != want {
			t.Errorf("%s:\n%s", line, text)
		}
	}
}

func TestTraceClasses(t *testing.T) {
	t.Chdir(t.TempDir())
	var b strings.Builder
	for i := range 400 {
		class, took := "get", "10ms"
		if i%4 == 3 {
			class, took = "report", "90ms"
		}
		fmt.Fprintf(&b, "%d,%s,%s\n", 1_777_626_000+i, took, class)
	}
	clitest.Write(t, "t.csv", "time,took,kind\n"+b.String())
	args := []string{"trace", "t.csv", "--column", "time", "--duration", "took", "--class", "kind"}
	var d recorded.Document
	if err := json.Unmarshal([]byte(clitest.Succeed(t, append(args, "--format", "json")...).Stdout),
		&d); err != nil {
		t.Fatal(err)
	}
	want := []traffic.Class{
		{Name: "report", Tasks: 100, Share: 0.25, Work: 0.75, Mean: 0.09, Long: true},
		{Name: "get", Tasks: 300, Share: 0.75, Work: 0.25, Mean: 0.01}}
	if !slices.Equal(d.Classes, want) {
		t.Errorf("got %+v want %+v", d.Classes, want)
	}
	text := clitest.Succeed(t, args...).Stdout
	if !strings.Contains(text, "classes         report: 25.0 % of the tasks, 75.0 % of the work, mean "+
		"90.0 ms, C² 0: long\n") {
		t.Error(text)
	}
	_, line, _ := strings.Cut(text, "To replay it:\n")
	line = strings.ReplaceAll(strings.Replace(line, "--limit 1", "--limit 2", 1), "\\\n", "")
	clitest.Succeed(t, append(clitest.ShellWords(line)[1:], "--strategy", "segregated", "--warmup", "0",
		"--quiet", "--out", "out")...)
	results, err := os.ReadFile("out/results.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"0.01 short-mean-response-sec", "0.09 long-mean-response-sec"} {
		if !strings.Contains(string(results), want) {
			t.Errorf("no %s in %s", want, results)
		}
	}
}

func TestTraceReplay(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Write(t, "t.csv", "x,begin,auto\n0,1777626010,1500\n0,1777626012,500\n")
	for flags, want := range map[string]string{
		"--unit ms": "trace:file=t.csv,column=begin trace:file=t.csv,column=auto,time=begin,unit=ms",
		"--unit us --at end": "trace:file=t.csv,column=begin,duration=auto,at=end,unit=us " +
			"trace:file=t.csv,column=auto,time=begin,at=end,unit=us",
		"": "trace:file=t.csv,column=begin trace:file=t.csv,column=auto,time=begin",
	} {
		args := append([]string{"trace", "t.csv", "--column", "begin", "--duration", "auto", "--format",
			"json"}, strings.Fields(flags)...)
		var d recorded.Document
		if err := json.Unmarshal([]byte(clitest.Succeed(t, args...).Stdout), &d); err != nil {
			t.Fatal(err)
		}
		if got := d.Arrival + " " + d.Workload; got != want {
			t.Errorf("%s: got %s want %s", flags, got, want)
		}
	}
}

func TestTraceOfALog(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Write(t, "access.log", `h - [01/May/2026:09:00:01 +0000] "GET /a" rt=0.250`+"\n"+
		`h - [01/May/2026:09:00:03 +0000] "GET /b" rt=0.750`+"\n")
	o := clitest.Succeed(t, "trace", "access.log", "--layout",
		`$remote_addr - [$time_local] "$request" rt=$request_time`, "--column", "time_local",
		"--duration", "request_time", "--at", "end")
	if !strings.Contains(o.Stdout, "durations       mean 500 ms") {
		t.Error(o.Stdout)
	}
	_, line, _ := strings.Cut(o.Stdout, "To replay it:\n")
	args := clitest.ShellWords(strings.ReplaceAll(line, "\\\n", ""))[1:]
	clitest.Succeed(t, append(args, "--strategy", "semaphore", "--warmup", "0", "--quiet", "--out",
		"out")...)
	results, err := os.ReadFile("out/results.txt")
	if err != nil || !strings.Contains(string(results), "0.5 mean-response-sec") {
		t.Errorf("%s, %v", results, err)
	}
}

func TestBadTraces(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ text, flags, want string }{
		{"", "", "trace: f: "},
		{"5\n", "", "trace: f: only one record"},
		{"5\n5\n5\n", "", "trace: f: all arrivals have the same time"},
		{"time\n1\n2\n", "--column when", `no column is named "when"`},
		{"1\n2\n", "--column 2", "no column 2"},
		{"1\n2\n", "--at end", "at: at=end needs the column of the durations"},
		{"1\n2\n", "--from 09:00", "from: the trace has no dates"},
		{"1\n2\n", "--class 2", "no column 2"},
		{"1\n2\n", "--layout x", "layout: want a format such as"},
		{"1\n2\n", "--from 5s", "from, to: no record"},
		{"\x00\x01\x02\xff\n", "", "trace: f: "},
		{"2300-01-01T00:00:00Z\n2301-01-01T00:00:00Z\n", "", "trace: f: "},
		{"1\n1000000000\n", "", "trace: f: "}, // a gap of 30 years
		{strings.Repeat("1", 3<<20), "", "trace: f: "},
	} {
		if err := os.WriteFile("f", []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		o := clitest.Command(t, append([]string{"trace", "f"}, strings.Fields(c.flags)...)...)
		if o.Code != clitest.Unusable || o.Stdout != "" || strings.Count(o.Stderr, "\n") != 1 ||
			len(o.Stderr) > 200 || !strings.Contains(o.Stderr, c.want) {
			t.Errorf("%.20q %s: exit code %d, stdout %q, stderr %q, want %q", c.text, c.flags, o.Code,
				o.Stdout, o.Stderr, c.want)
		}
	}
	if o := clitest.Command(t, "trace", "nowhere"); o.Code != clitest.Unusable ||
		!strings.Contains(o.Stderr, "nowhere") {
		t.Errorf("%+v", o)
	}
}
