package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench/arrivals"
)

// playedTasks are lines with the times of a process, at a rate, from a date on, and durations.
func playedTasks(t *testing.T, process string, rate float64, n int) string {
	t.Helper()
	v := arrivals.MustParse(process)
	next, err := v.Spec.Open(rate, 1, v.Values)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d,%dms\n", 1_777_626_000_000_000_000+int64(next()), 50+i%2*100)
	}
	return b.String()
}

// TestTrace: the description is that of the file, and the command that it ends with plays it.
func TestTrace(t *testing.T) {
	t.Chdir(t.TempDir())
	const file = "a'b.csv" // a name that a shell takes apart
	write(t, file, "time,took\n"+playedTasks(t, "onoff:on=130ms,off=510ms", 90, 6000))
	o := succeed(t, "trace", file, "--column", "time", "--duration", "took", "--format", "json")
	var d described
	if err := json.Unmarshal([]byte(o.stdout), &d); err != nil {
		t.Fatal(err)
	}
	if d.Tasks != 6000 || d.GapC2 < 2 || d.Durations.Mean != 0.1 || d.Durations.Rho > -0.9 ||
		d.Resembles == nil || !strings.HasPrefix(d.Resembles.Arrival, "onoff:") {
		t.Errorf("%+v", d)
	}
	for word, want := range map[string]string{"it's a": `'it'\''s a'`, "a:b=1,c": "a:b=1,c",
		d.Arrival: `'trace:file=a'\''b.csv,column=time'`} {
		if got := shellWord(word); got != want {
			t.Errorf("got %s want %s", got, want)
		}
	}
	write(t, "plain.csv", "time,took\n"+playedTasks(t, "poisson", 90, 6000))
	text := succeed(t, "trace", "plain.csv", "--column", "time", "--duration", "took", "--from",
		"5s").stdout
	if !strings.Contains(text, "resembles       poisson: ") || strings.Count(text, "\n") > 25 {
		t.Error(text)
	}
	_, line, _ := strings.Cut(text, "To replay it:\n")
	args := shellWords(strings.ReplaceAll(line, "\\\n", ""))[1:]
	plan := succeed(t, append(args, "--strategy", "semaphore", "--dry-run")...).stdout
	if !strings.Contains(plan, "1 scenarios, 1 runs") {
		t.Error(plan)
	}
	write(t, "a,b.csv", "1\n2\n3\n")
	if text = succeed(t, "trace", "a,b.csv").stdout; !strings.Contains(text, "under this name") ||
		strings.Contains(text, "To replay") {
		t.Error(text)
	}
	notes := strings.Replace(playedTasks(t, "constant", 10, 20), "\n", "\n1777626000000000000,1s\n", 1)
	write(t, "odd.csv", notes)
	if text = succeed(t, "trace", "odd.csv").stdout; !strings.Contains(text, "\nodd: ") ||
		!strings.Contains(text, "not told: too few tasks") {
		t.Error(text)
	}
}

// TestBadTraces: each one clear line.
func TestBadTraces(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ text, flags, want string }{
		{"", "", "file: f: "},
		{"5\n", "", "file: f: one record alone"},
		{"5\n5\n5\n", "", "file: f: all arrivals are of one instant"},
		{"time\n1\n2\n", "--column when", `no column is named "when"`},
		{"1\n2\n", "--column 2", "no column 2"},
		{"1\n2\n", "--at end", "at: the time of an end needs the column of the durations"},
		{"1\n2\n", "--from 09:00", "from: the trace has no dates"},
		{"1\n2\n", "--from 5s", "from, to: no record"},
		{"\x00\x01\x02\xff\n", "", "file: f: "},
		{"2300-01-01T00:00:00Z\n2301-01-01T00:00:00Z\n", "", "file: f: "},
		{"1\n1000000000\n", "", "file: f: "}, // a gap of 30 years
		{strings.Repeat("1", 3<<20), "", "file: f: "},
	} {
		if err := os.WriteFile("f", []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		o := command(t, append([]string{"trace", "f"}, strings.Fields(c.flags)...)...)
		if o.code != unusable || o.stdout != "" || strings.Count(o.stderr, "\n") != 1 ||
			len(o.stderr) > 200 || !strings.Contains(o.stderr, c.want) {
			t.Errorf("%.20q %s: exit code %d, stdout %q, stderr %q, want %q", c.text, c.flags, o.code,
				o.stdout, o.stderr, c.want)
		}
	}
	if o := command(t, "trace", "nowhere"); o.code != unusable ||
		!strings.Contains(o.stderr, "nowhere") {
		t.Errorf("%+v", o)
	}
}
