package workloads

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

func traceOf(column string, file string) (Workload, error) {
	args := []param.Arg{{Key: "file", Value: file}}
	if column != "" {
		args = append(args, param.Arg{Key: "column", Value: column})
	}
	v, err := Resolve(param.Call{Name: "trace", Args: args})
	if err != nil {
		return nil, err
	}
	return v.Spec.Build(1, v.Values)
}

// Task seq takes the time of line seq mod n, for every seed.
func TestTraceReplaysItsLines(t *testing.T) {
	w, err := traceOf("service", "testdata/trace.csv")
	if err != nil {
		t.Fatal(err)
	}
	us := time.Microsecond
	lines := []time.Duration{1500 * us, 2000 * us, 12000 * us, 500 * us, 1500 * us}
	for seq := range uint64(20) {
		if got, want := w.(Timed).Time(seq), lines[seq%5]; got != want {
			t.Errorf("task %d takes %v, want %v", seq, got, want)
		}
	}
	if got, want := w.(Timed).Time(math.MaxUint64), lines[0]; got != want { // 2⁶⁴ − 1 = 5k
		t.Errorf("the last task takes %v, want %v", got, want)
	}
	// in ms: mean 17.5/5 = 3.5, E[X²] = (2.25+4+144+0.25+2.25)/5 = 30.55
	if want := 30.55/12.25 - 1; w.Mean() != 3500*us || math.Abs(w.C2()-want) > 1e-12 {
		t.Errorf("mean %v, C² %v; want 3.5ms, %v", w.Mean(), w.C2(), want)
	}
}

func TestTraceFormats(t *testing.T) {
	ms := time.Millisecond
	for text, c := range map[string]struct {
		column string
		want   []time.Duration
	}{
		"10ms\n0.02\n":                           {"1", []time.Duration{10 * ms, 20 * ms}},
		"10ms\n0.02":                             {"1", []time.Duration{10 * ms, 20 * ms}},
		"\ufeffduration\r\n1e-3\r\n":             {"1", []time.Duration{ms}},
		"\ufeff10ms\n":                           {"1", []time.Duration{10 * ms}},
		"# by hand\n\nduration\n 1ms \n0\n#\n":   {"1", []time.Duration{ms, 0}},
		"a,1ms\nb,2ms,more\n":                    {"2", []time.Duration{ms, 2 * ms}},
		"at,service\n0,1ms\n1,2ms\n":             {"service", []time.Duration{ms, 2 * ms}},
		"at,service\n0,1ms\n1,\"0.002\"\n":       {"2", []time.Duration{ms, 2 * ms}},
		"0.0000000014\n":                         {"1", []time.Duration{1}},
		strings.Repeat("1ms\n", 3) + "\n\n5ms\n": {"1", []time.Duration{ms, ms, ms, 5 * ms}},
		"a\tb\n2\t1ms\n0\t0.002\n":               {"b", []time.Duration{ms, 2 * ms}},
		"{\"took\":0.001}\n{\"took\":\"2ms\"}\n": {"took", []time.Duration{ms, 2 * ms}},
	} {
		path := filepath.Join(t.TempDir(), "t")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		w, err := traceOf(c.column, path)
		if err != nil {
			t.Fatalf("%q, column %s: %v", text, c.column, err)
		}
		for seq := range 2 * len(c.want) {
			if got, want := w.(Timed).Time(uint64(seq)), c.want[seq%len(c.want)]; got != want {
				t.Errorf("%q, column %s: task %d takes %v, want %v", text, c.column, seq, got, want)
			}
		}
	}
}

func TestBadTracesAreNamedByFileAndLine(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"":                          "no records",
		"# nothing\nduration\n":     "no records",
		"1ms\n2\n3x\n":              `line 3: want a duration such as 1.5ms, or seconds such as 0.0015, got "3x"`,
		"# first\n1ms\n\nservice\n": `line 4: want a duration such as 1.5ms, or seconds such as 0.0015, got "service"`,
		"-1ms\n":                    `line 1: want a duration`,
		"-0.5\n":                    `line 1: want a duration`,
		"1ms\nNaN\n":                `line 2: want a duration`,
		"1ms\n+Inf\n":               `line 2: want a duration`,
		"1ms\n1e10\n":               `line 2: want a duration`,
		"1ms\n1;2\n":                `line 2: want a duration such as 1.5ms, or seconds such as 0.0015, got "1;2"`,
		"1ms\n\"2ms\n":              `line 2: missing " at the end of a field`,
		"0\n0s\n":                   "the mean of the durations must be at least 1ns, got 0ns",
		"1ms\n" + strings.Repeat("x", 10_000) +
			"\n": `line 2: want a duration such as 1.5ms, or seconds such as 0.0015, got "` +
			strings.Repeat("x", 40) + `"`,
	} {
		path := filepath.Join(dir, "t.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		prefix := fmt.Sprintf("workload trace: file: %s: ", path)
		if strings.HasPrefix(want, "the mean") {
			prefix = "workload trace: file: "
		}
		if _, err := traceOf("", path); err == nil ||
			!strings.HasPrefix(err.Error(), prefix+want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40q: %v; want %s", text, err, prefix+want)
		}
	}
	for column, want := range map[string]string{
		"0":  "file: testdata/trace.csv: line 2: column 0: want 1 or more, or a name",
		"-1": "file: testdata/trace.csv: line 2: column -1: want 1 or more, or a name",
		"4":  "file: testdata/trace.csv: line 2: no column 4, the line has 3",
		"none": `file: testdata/trace.csv: line 2: no column is named "none"; ` +
			"the line has start, service and status",
	} {
		want = "workload trace: " + want
		if _, err := traceOf(column, "testdata/trace.csv"); err == nil || err.Error() != want {
			t.Errorf("column %s: %v; want %s", column, err, want)
		}
	}
}

// Tasks arrive in order of column 1. Column 3 determines their class.
func TestTraceClasses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(file, []byte("3,1ms,a\n1,9ms,b\n2,2ms,a\n4,8ms,c\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"class=3":                 "[true false false true]",
		"class=3,long=c":          "[false false false true]",
		"class=3,long=c,from=1s":  "[false false true false]",
		"class=3,long=d":          `long: no task has class "d"`,
		"long=c":                  "long: give class, the column of the classes, as well",
		"class=4":                 "file: " + file + ": line 1: no column 4, the line has 3",
		"":                        "[]",
		"class=3,scale=2,speed=2": "",
	} {
		v, err := Parse("trace:file=" + file + ",column=2,time=1" + strings.TrimSuffix(","+args, ","))
		if err != nil {
			if got := strings.TrimPrefix(err.Error(), "workload trace: "); got != want {
				t.Errorf("%s: %v, want %s", args, err, want)
			}
			continue
		}
		w, err := v.Spec.Build(1, v.Values)
		if err != nil {
			t.Fatal(err)
		}
		classed, ok := w.(Classed)
		long := []bool{}
		for seq := range uint64(4) {
			if ok {
				long = append(long, classed.Long(seq))
			}
		}
		if want != "" && fmt.Sprint(long) != want {
			t.Errorf("%s: %v, want %s", args, long, want)
		}
		for seq := range uint64(8) { // copies keep the class of their record
			if ok && want == "" && classed.Long(seq) != (w.(Timed).Time(seq) > 5*time.Millisecond) {
				t.Errorf("%s: task %d of %v is long: %v", args, seq, w.(Timed).Time(seq),
					classed.Long(seq))
			}
		}
	}
}

// Tasks must have no labels without a column.
func TestTraceLabels(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(file, []byte("3,1ms,ann,0,1s\n1,9ms,bob,-2,0.5\n2,2ms,ann,7,1s\n"+
		"4,8ms,eve,0,0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"tenant=3,priority=4,deadline=5", "[1 -2 500ms] [0 7 1s] [0 0 1s] [2 0 0s]"},
		{"tenant=3", "[1] [0] [0] [2]"},
		{"tenant=3,from=1s", "[0] [0] [1]"},
		{"priority=4", "[-2] [7] [0] [0]"},
		{"deadline=5", "[500ms] [1s] [1s] [0s]"},
		{"tenant=3,priority=4", "[1 -2] [0 7] [0 0] [2 0]"},
		{"deadline=5,tenant=3,from=1s,to=3s", "[0 1s] [0 1s]"},
		{"priority=4,deadline=5", "[-2 500ms] [7 1s] [0 1s] [0 0s]"},
		{"tenant=5,priority=4", "[1 -2] [0 7] [0 0] [2 0]"}, // 1s has the most tasks
		{"", "[] [] [] []"},
		{"priority=3", "priority: FILE: line 1: want a whole number, got \"ann\""},
		{"tenant=3,deadline=3", "deadline: FILE: line 1: want a duration such as 1.5ms, or seconds " +
			"such as 0.0015, got \"ann\""},
		{"priority=5,deadline=4", "priority: FILE: line 1: want a whole number, got \"1s\""},
		{"priority=4,deadline=4", "deadline: FILE: line 2: want a duration such as 1.5ms, or " +
			"seconds such as 0.0015, got \"-2\""},
		{"class=3,deadline=5", "deadline and class exclude each other"},
		{"tenant=3,priority=9", "file: FILE: line 1: no column 9, the line has 5"},
		{"tenant=3,time=none", "tenant: give time, the column of the times, as well"},
		{"deadline=5,time=none", "deadline: give time, the column of the times, as well"},
	} {
		call := "trace:file=" + file + ",column=2,time=1," + c.args
		if strings.Contains(c.args, "time=none") {
			call = "trace:file=" + file + ",column=2," + strings.TrimSuffix(c.args, ",time=none")
		}
		got, err := labelsOf(strings.TrimSuffix(call, ","), 1)
		if err != nil {
			got = strings.ReplaceAll(strings.TrimPrefix(err.Error(), "workload trace: "), file,
				"FILE")
		}
		if got != c.want {
			t.Errorf("%s: %v, want %s", c.args, got, c.want)
		}
	}
}

func labelsOf(variant string, scale int) (string, error) {
	v, err := Parse(variant)
	if err != nil {
		return "", err
	}
	w, err := v.Spec.Build(1, v.Values)
	if err != nil {
		return "", err
	}
	var all []string
	for seq := range uint64(scale * 4) {
		got := []any{}
		if w, ok := w.(Tenanted); ok {
			got = append(got, w.Tenant(seq))
		}
		if w, ok := w.(Prioritised); ok {
			got = append(got, w.Priority(seq))
		}
		if w, ok := w.(Dated); ok {
			got = append(got, w.Allowance(seq))
		}
		all = append(all, fmt.Sprint(got))
	}
	lines := map[string]int{"from=1s": 3, "from=1s,to=3s": 2}
	for window, n := range lines {
		if strings.HasSuffix(variant, window) {
			all = all[:n]
		}
	}
	return strings.Join(all, " "), nil
}

// There are more tenants than a byte can number. With scale=2.5, copies must keep the labels of
// their line.
func TestTraceLabelsComeBack(t *testing.T) {
	const tasks = 3000
	r := rand.New(rand.NewPCG(1, 2))
	var csv, lines strings.Builder
	at := r.Perm(tasks)
	for _, at := range at { // labels and duration are functions of the arrival
		fmt.Fprintf(&csv, "%d,%dus,t%d,%d,%dms\n", at, at+1, at%700, at%9-4, at%1000)
		fmt.Fprintf(&lines, `{"at":%d,"took":"%dus","of":{"x":1},"who":"t%d","rank":%d,"by":"%dms"}`+
			"\n", at, at+1, at%700, at%9-4, at%1000)
	}
	for _, c := range []struct{ text, columns string }{
		{csv.String(), "time=1,column=2,tenant=3,priority=4,deadline=5"},
		{lines.String(), "time=at,column=took,tenant=who,priority=rank,deadline=by"},
	} {
		file := filepath.Join(t.TempDir(), "t")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		for scale, n := range map[string]uint64{"1": tasks, "2.5": 2.5 * tasks, "0.1": tasks / 10} {
			v := MustParse("trace:file=" + file + "," + c.columns + ",scale=" + scale)
			w, err := v.Spec.Build(7, v.Values)
			if err != nil {
				t.Fatal(err)
			}
			tenants := map[int32]int{} // by number in the name
			for seq := range n {
				at := int(w.(Timed).Time(seq)/time.Microsecond) - 1
				if got, want := w.(Prioritised).Priority(seq), int32(at%9-4); got != want {
					t.Fatalf("scale %s: task %d has priority %d, want %d", scale, seq, got, want)
				}
				if got, want := w.(Dated).Allowance(seq),
					time.Duration(at%1000)*time.Millisecond; got != want {
					t.Fatalf("scale %s: task %d has %v, want %v", scale, seq, got, want)
				}
				tenant := w.(Tenanted).Tenant(seq)
				if name, known := tenants[tenant]; known && name != at%700 {
					t.Fatalf("scale %s: tenant %d is t%d and t%d", scale, tenant, name, at%700)
				}
				if tenants[tenant] = at % 700; scale == "1" && (tenant < 200) != (at%700 < 200) {
					t.Fatalf("tenant %d has fewer tasks than others: it is t%d", tenant, at%700)
				}
			}
		}
	}
}
