package mistakes

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/project/need"
)

// Limits for any input. Wall time would depend on the load of the machine, so CPU time is limited.
const (
	maxCPU    = 10 * time.Second
	maxMemory = 1 << 30
	maxAfter  = 2 * time.Second // CPU time after SIGINT
	// time after SIGINT in which no thread runs or waits for a processor
	maxIdle = 4 * time.Second
)

type excess struct {
	name string
	// words; FILE is replaced by the file, URL by a server, and + by a blank within a word
	args  string
	file  func() string
	lasts bool   // whether the command runs until SIGINT or a timeout
	brief bool   // only an early SIGINT is useful, because the command mostly waits or ends soon
	needs string // the test is skipped without this program
	whole bool   // valid input: each word FILE is a different file, and there is a result
}

func content(s string) func() string { return func() string { return s } }

func times(s string, n int) func() string { return func() string { return strings.Repeat(s, n) } }

// expressions are templates that could need excessive time or memory.
var expressions = map[string]string{
	"loop":     "{{range 300000000}}a{{end}}",
	"loops":    `{{range 9000}}{{range 9000}}{{end}}{{end}}`,
	"empty":    `{{range 300000000}}{{end}}`,
	"widths":   `{{printf "%999999d%999999d" 1 2}}`,
	"doubling": `{{$x := "aaaaaaaa"}}` + strings.Repeat(`{{$x = printf "%s%s" $x $x}}`, 40),
	"escaping": `{{$x := "<<<<<<<<"}}` + strings.Repeat(`{{$x = html $x $x}}`, 40),
	"parens":   "{{" + strings.Repeat("(", 25_000) + "seq" + strings.Repeat(")", 25_000) + "}}",
	"nested":   strings.Repeat("{{if seq}}", 2500) + strings.Repeat("{{end}}", 2500),
}

func excesses() (all []excess) {
	add := func(name, args string, file func() string) {
		all = append(all, excess{name: name, args: args, file: file})
	}
	const (
		attack = "attack "
		short  = " --n 5 --rate 100 --timeout 1s --drain 1s"
		table  = attack + "URL/{{a}} --data FILE --data-format "
	)
	for name, e := range expressions {
		quoted := strconv.Quote(e)
		add("body "+name, attack+"URL --method POST --body @FILE"+short, content(e))
		add("targets "+name, attack+"--targets FILE"+short, content("GET http://127.0.0.1:1/?"+e+"\n"))
		add("har "+name, attack+"--targets FILE --targets-format har"+short, content(
			`{"log":{"entries":[{"request":{"method":"POST","url":"http://127.0.0.1:1/","postData":{`+
				`"text":`+quoted+`}}}]}}`))
		add("curl "+name, attack+"--curl FILE"+short,
			content("curl http://127.0.0.1:1/ -d '"+e+"'\n"))
		add("json "+name, attack+"--targets FILE --targets-format json"+short, content(fmt.Sprintf(
			`{"method":"GET","url":"http://127.0.0.1:1/","header":{"X":[%s]}}`+"\n", quoted)))
	}
	add("many actions", attack+"URL --method POST --body @FILE"+short, times("{{seq}}", 9<<20))
	for name, n := range map[string]int{"": 199_000, "many ": 1 << 20} {
		add(name+"targets", attack+"--targets FILE"+short, times("GET http://127.0.0.1:1/\n", n))
		add(name+"curl", attack+"--curl FILE"+short, times("curl http://127.0.0.1:1/\n", n))
	}
	for name, line := range map[string]string{"targets": "GET http://127.0.0.1:1/?{{seq}}\n",
		"curl": "curl http://127.0.0.1:1/?{{seq}}\n"} {
		add("templates of "+name, attack+"--"+name+" FILE"+short, times(line, 199_000))
	}
	add("targets of headers", attack+"--targets FILE"+short, func() string {
		return "GET http://127.0.0.1:1/\n" + strings.Repeat("A: 1\n", 4<<20)
	})
	for name, again := range map[string]string{"commands": "$(", "subshells": "(", "ifs": "if ",
		"lines": "curl $(\n", "loops": "while\n", "groups": "curl;{ ", "pipes": "curl|"} {
		add("curl of "+name, attack+"--curl FILE"+short, times(again, 1<<20))
	}
	add("deep har", attack+"--targets FILE --targets-format har"+short, times(`{"log":[`, 1<<20))
	add("har", attack+"--targets FILE --targets-format har"+short, func() string {
		return `{"log":{"entries":[` + strings.Repeat(`{},`, 16<<20) + `{}]}}`
	})
	for name, n := range map[string]int{"CSV": 1_900_000, "CSV of commas": 8 << 20} {
		add(name, table+"csv"+short, func() string { return "a,b\n" + strings.Repeat(",\n", n) })
		add("JSON of "+name, table+"jsonl"+short, times("{\"a\":1}\n", n*3/4))
	}
	add("wide CSV", table+"csv"+short, times("a,", 8<<20))
	add("loops over rows", attack+"URL/{{range+5000}}{{end}}{{a}} --data FILE --data-format csv"+short,
		func() string { return "a\n" + strings.Repeat("1\n", 1<<20) })
	add("aliases", "run --file FILE --dry-run", func() string {
		var b strings.Builder
		b.WriteString("x-0: &a0 [x, x]\n")
		for i := range 40 {
			fmt.Fprintf(&b, "x-%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
		}
		return b.String()
	})
	add("deep YAML", "run --file FILE --dry-run", times("[", 1<<20))
	list := strings.Repeat("1,", 9000) + "1"
	add("product", "run --file FILE --dry-run",
		content("- strategy: all\n  limit: ["+list+"]\n  rate: ["+list+"]\n"))
	add("product of flags", "run --limit "+list+" --rate "+list+" --dry-run", content(""))
	add("session", attack+"--session FILE URL"+short, func() string {
		return "steps:\n" + strings.Repeat("- {name: a, url: /}\n", 40_000)
	})
	for name, again := range map[string]string{"newlines": "\n", "comments": "#\n", "blanks": " "} {
		add("zipped "+name, "trace FILE", func() string { return zipped("1\n2\n", again) })
	}
	add("zipped array", "trace FILE --column a", func() string { return zipped(`[{"a":1},`, " ") })
	add("results", "compare FILE FILE", times("BenchmarkX 1 1 ns/op\n", 1<<18))
	for _, command := range []string{"compare FILE FILE", "gate FILE FILE",
		"trend FILE FILE FILE FILE FILE FILE"} {
		add("many results: "+command, command, times("BenchmarkX 1 1 ns/op\n", 1<<21))
		add("many values: "+command, command, func() string {
			line := "BenchmarkX 1"
			for i := range 1000 {
				line += fmt.Sprintf(" 1 u%d/op", i)
			}
			return strings.Repeat(line+"\n", 1<<14)
		})
	}
	within := func(command, name string, file func() string) {
		all = append(all, excess{name: "within the limit of " + name + ": " + command, args: command,
			file: file, whole: true})
	}
	for _, command := range []string{"compare FILE FILE", "trend FILE FILE"} {
		within(command, "results", random(6_600, 6, 10))
		within(command, "values", random(1_590, 10, 25))
	}
	within("gate FILE FILE", "samples", random(6_600, 6, 5))
	within("gate FILE FILE", "values", random(19, 100, 100))
	for _, command := range []string{"compare FILE FILE", "gate FILE FILE"} {
		add("many samples: "+command, command, random(7_000, 6, 1))
	}
	add("values are too many", "gate FILE FILE", random(1_590, 10, 25))
	for _, command := range []string{"gate FILE FILE", "trend FILE FILE FILE FILE FILE FILE"} {
		add("results: "+command, command, times("BenchmarkX 1 1 ns/op\n", 1<<16))
	}
	add("results of units", "gate FILE FILE", func() string {
		return "BenchmarkX 1" + strings.Repeat(" 1 a/op", 100_000) + "\n"
	})
	const ofProto = attack + "grpc://127.0.0.1:1/a.B/C --proto FILE.proto" + short
	add("wide .proto", ofProto, times("message A{}\n", 340_000))
	add("long .proto", ofProto, times("message A{}\n", 1<<20))
	for name, again := range map[string]string{"messages": "message A{", "options": "option a={a:",
		"lists": "option a=["} {
		add(".proto of "+name, ofProto, times(again, 100_000))
	}
	for _, command := range []string{attack + "--file FILE", "capacity --file FILE"} {
		add("deep flags: "+command, command, times("- [", 300_000))
	}
	for name, lines := range map[string]string{"numbers": "1\n", "blanks": "1 ", "commas": ",,\n"} {
		add("recorded "+name, "run --strategy serial --clock virtual --arrival trace:file=FILE "+
			"--dry-run", times(lines, 8<<20))
	}
	add("recorded durations", "run --strategy serial --clock virtual --workload trace:file=FILE "+
		"--dry-run", times("1\n", 8<<20))
	for _, command := range []string{"compare FILE FILE", "gate FILE FILE", "trend FILE FILE",
		"why FILE", "report FILE", "merge FILE FILE --out x", "trace FILE", table + "csv" + short,
		"run --file FILE --dry-run", attack + "grpc://127.0.0.1:1/a.B/C --proto FILE" + short,
		attack + "--session FILE" + short, attack + "--targets FILE" + short,
		attack + "--curl FILE" + short, attack + "URL --body @FILE" + short} {
		add("zeros: "+command, command, nil) // a device without an end
	}
	return append(all,
		excess{name: "expression", args: attack + "URL/x --rate 20 --duration 1s --drain 1s --check " +
			`body+~+"(x{1,30}){1,30}y"`, lasts: true},
		excess{name: "advise", args: "advise --workload hyperexp:mean=20ms,c2=4 --rate 85 " +
			"--objective p99-response<800ms --budget 1m", lasts: true},
		excess{name: "crash", args: "crash sqlite_queue --tasks 100000", lasts: true},
		excess{name: "calibrate", args: "calibrate", lasts: true},
		excess{name: "run", args: "run --clock virtual --strategy every --n 2000000", lasts: true},
		excess{name: "capacity", args: "capacity --clock virtual --n 500000 --objective " +
			"p99-response<80ms", lasts: true},
		excess{name: "capacity of a server", args: "capacity URL --objective p99-response<50ms",
			lasts: true, brief: true},
		excess{name: "study", args: "study load --full", lasts: true, brief: true},
		excess{name: "study of waits", args: "study real_waits", lasts: true, brief: true},
		excess{name: "attack with agents", args: "attack URL --agents 2 --rate 200 --duration 1m",
			lasts: true, brief: true},
		excess{name: "crash of both", args: "crash redis_stream --kill both --tasks 100000",
			lasts: true, brief: true, needs: "redis-server"})
}

func random(benchmarks, metrics, repetitions int) func() string {
	rng := rand.New(rand.NewPCG(1, 1))
	return func() string {
		var b strings.Builder
		for i := range benchmarks * repetitions {
			fmt.Fprintf(&b, "BenchmarkX%d 1", i%benchmarks)
			for j := range metrics {
				fmt.Fprintf(&b, " %.5g u%d-ns", 1000+20*rng.NormFloat64(), j)
			}
			b.WriteByte('\n')
		}
		return b.String()
	}
}

func zipped(begins, again string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(begins)) // a write to a Buffer cannot fail
	piece := []byte(strings.Repeat(again, 1<<20/len(again)))
	for range 512 {
		_, _ = w.Write(piece)
	}
	_ = w.Close()
	return b.String()
}

func (h excess) process(t *testing.T, url string) *exec.Cmd {
	t.Helper()
	file, suffix := "/dev/zero", ""
	if strings.Contains(h.args, "FILE.proto") {
		suffix = ".proto"
	}
	if h.file != nil && !h.whole {
		file = filepath.Join(t.TempDir(), "file")
		clitest.Write(t, file+suffix, h.file())
	}
	args := strings.Fields(h.args)
	for i, arg := range args {
		if h.whole && arg == "FILE" {
			file = filepath.Join(t.TempDir(), "file")
			clitest.Write(t, file, h.file())
		}
		args[i] = strings.NewReplacer("FILE", file, "URL", url, "+", " ").Replace(arg)
	}
	// the default, whatever the setting of the tests
	cmd, _ := clitest.IsolatedProcess(t, []string{"GOGC=100"}, args...)
	return cmd
}

// A command must stay within the limits, or SIGINT must end it.
func TestBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	large := bytes.Repeat([]byte("x"), 1<<20)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/x" {
			_, _ = w.Write(large)
		}
	}))
	defer server.Close()
	for _, h := range excesses() {
		t.Run(h.name, func(t *testing.T) {
			moments := []time.Duration{50 * time.Millisecond, time.Second, 3 * time.Second}
			if _, err := exec.LookPath(h.needs); h.needs != "" && err != nil {
				need.Skip(t, err)
			}
			if h.brief {
				moments = []time.Duration{50 * time.Millisecond, 300 * time.Millisecond}
			}
			if !h.lasts {
				h.ends(t, server.URL)
				moments = moments[:1]
			}
			for _, after := range moments {
				h.interrupted(t, server.URL, after)
			}
		})
	}
}

// The first line of stdin must be refused as an address if it never ends.
func TestWorkerAddress(t *testing.T) {
	cmd := clitest.Process(t, nil, "worker", "--nats", "-")
	cmd.Stdin = strings.NewReader(strings.Repeat("x", 1<<20))
	out, err := cmd.CombinedOutput()
	if want := "standard input: it is longer than 4096 bytes\n"; err == nil ||
		!strings.HasSuffix(string(out), want) {
		t.Errorf("%q, error %v", out, err)
	}
}

func (h excess) ends(t *testing.T, url string) {
	t.Helper()
	cmd := h.process(t, url)
	out, _ := cmd.CombinedOutput()
	maxOutput := 1 << 20
	if h.whole {
		maxOutput = 64 << 20
	}
	state := cmd.ProcessState
	cpu := state.UserTime() + state.SystemTime()
	memory := state.SysUsage().(*syscall.Rusage).Maxrss << 10
	t.Logf("exit code %d, %v of CPU, %d MiB: %.200s", state.ExitCode(), cpu.Round(time.Millisecond),
		memory>>20, out)
	if cpu > maxCPU || memory > maxMemory || state.ExitCode() < 0 ||
		len(out) > maxOutput || h.whole && state.ExitCode() == 2 {
		t.Errorf("%v, %v of CPU, %d MiB, %d bytes of output", state, cpu, memory>>20, len(out))
	}
}

// interrupted sends SIGINT when the command has used the given CPU time, or has run for ten times
// as long. Until the command ends, only time in which no thread runs or waits for a processor
// counts, so the test passes on a busy machine.
func (h excess) interrupted(t *testing.T, url string, after time.Duration) {
	t.Helper()
	cmd := h.process(t, url)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	used := newUsage(cmd.Process.Pid)
	for limit := time.Now().Add(10 * after); used.cpu < after && time.Now().Before(limit); {
		select {
		case <-ended:
			return
		case <-time.After(5 * time.Millisecond):
			used.look()
		}
	}
	before, begun := *used, time.Now()
	_ = cmd.Process.Signal(os.Interrupt) // fails if the command has ended
	for limit := begun.Add(time.Minute); ; used.look() {
		select {
		case <-ended:
			cpu, waited := used.cpu-before.cpu, used.waited-before.waited
			if idle := time.Since(begun) - cpu - waited; cpu > maxAfter || idle > maxIdle {
				t.Errorf("after SIGINT it took %v of CPU, waited %v for processors, and was idle for %v",
					cpu, waited, idle)
			}
			return
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(limit) {
			_ = cmd.Process.Kill()
			<-ended
			t.Errorf("SIGINT after %v of CPU has not ended it", before.cpu)
			return
		}
	}
}

// usage is the CPU time of a process and its children, including ended threads and children.
type usage struct {
	process     int
	cpu, waited time.Duration    // running, and waiting for a processor
	of          map[int][2]int64 // by thread, in ns
}

func newUsage(process int) *usage { return &usage{process: process, of: map[int][2]int64{}} }

func (u *usage) look() { u.add(u.process) }

func (u *usage) add(process int) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/[0-9]*", process))
	if err != nil {
		return
	}
	for _, task := range tasks {
		thread, _ := strconv.Atoi(filepath.Base(task))
		text, err := os.ReadFile(task + "/schedstat")
		if err != nil { // the thread has ended
			continue
		}
		var now [2]int64
		if _, err := fmt.Sscan(string(text), &now[0], &now[1]); err != nil {
			continue
		}
		u.cpu += time.Duration(now[0] - u.of[thread][0])
		u.waited += time.Duration(now[1] - u.of[thread][1])
		u.of[thread] = now
		children, _ := os.ReadFile(task + "/children") // fails if the thread has ended
		for _, child := range strings.Fields(string(children)) {
			if n, err := strconv.Atoi(child); err == nil {
				u.add(n)
			}
		}
	}
}
