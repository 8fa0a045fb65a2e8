package mistakes

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// A flag usually gets a value from the pool of its kind.
var (
	numbers = []string{"1", "4", "8", "100", "0.5", "0.8", "1,2", "4,8", "0.1,1.2", "20,200",
		"2%", "95%", "99.99%", "0", "-1", "1e-9", "1e-300", "5e-324", "1e308", "NaN", "-Inf",
		"9223372036854775807", "99999999999999999999", "0x10", "1_000", "١", "unlimited"}
	durations = []string{"50ms", "1s", "2s", "1h", "1ns", "0s", "-1s", "9223372036s", "2562048h",
		"1d", "µs", "1.5.5s"}
	hostile = append([]string{"", " ", "x", "é漢字", "a,b", "a:b=c", "k=v", "%s%d", "{", "--", "-",
		"a b", "../x/\n", strings.Repeat("long", 500), strings.Repeat("(", 300)}, hostileNames...)
	paths = []string{"good.txt", "other.txt", "run", "scenarios.yaml", "trace.csv", "noise",
		"empty", "nowhere", "no/where", ".", "/dev/zero", "/dev/null", "-"}
	files   = []string{"new.out", "run", "good.txt", "no/where/new", "/proc/poolbench"}
	choices = []string{"text", "json", "markdown", "csv", "junit", "real", "virtual", "holds",
		"depends", "GET", "http", "html", "all", "none"}
	metrics = []string{"p99-response-sec", "sec/op", "ns/op", "ops/s", "shed/op", "nope"}
	goals   = []string{"p99-response<50ms", "shed<=1%", "goodput>=500", "shed<1%,mean-wait<2ms",
		"p99.9-response<1ns", "latency<5ms", "shed<", "<5", "shed<200%", "p99-response<1e999s"}
	queries = []string{".name:A", "/k:1", ".unit:ops/s", "/strategy", ".file", ".config", "pkg",
		".fullname", "(", "a@(b", "@num", "/limit@num"}
	urls = []string{"http://127.0.0.1:1/", "http://[::1]:9/a?b=c",
		"http://u:secret@127.0.0.1:1/", "127.0.0.1:1", "http://", "http://127.0.0.1:99999/",
		"ftp://127.0.0.1/", "http://127.0.0.1:1/%zz"}
	addresses = []string{"127.0.0.1:0", "[::1]:0", "localhost:0", "127.0.0.1:99999", "127.0.0.1",
		":0", "0.0.0.0:0", "example.com:80"}
	databases = []string{"postgres://u:secret@127.0.0.1:1/x",
		"host=127.0.0.1 port=1 password=secret", "postgres://", "x"}
	headers = []string{"A: b", "A:", ": b", "A", "Content-Length: 5", "Host: x"}
)

type lineWriter struct{ *rand.Rand }

func (w lineWriter) from(pools ...[]string) string {
	pool := pools[w.IntN(len(pools))]
	return pool[w.IntN(len(pool))]
}

// Commands that would measure get --dry-run. Lines that would contact other machines or never end
// are excluded.
func (w lineWriter) line(commands []*cobra.Command) []string {
	c := commands[w.IntN(len(commands))]
	args := []string{c.Name()}
	if c.Flags().Lookup("dry-run") != nil {
		args = append(args, "--dry-run") // first, so no other flag uses it as its value
	}
	for range w.IntN(3) {
		args = append(args, w.argument(c.Name()))
	}
	var flags []*pflag.Flag
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "dry-run" && f.Name != "any-address" {
			flags = append(flags, f)
		}
	})
	for range min(w.IntN(6), len(flags)) {
		f := flags[w.IntN(len(flags))]
		switch name := "--" + f.Name; {
		case f.NoOptDefVal != "" && w.IntN(8) > 0:
			args = append(args, name)
		case w.IntN(2) == 0 && f.NoOptDefVal == "":
			args = append(args, name, w.value(f))
		default:
			args = append(args, name+"="+w.value(f))
		}
	}
	if w.IntN(20) == 0 {
		args = append(args, w.from([]string{"-x", "--nope", "--nope=1", "-h", "--help", "-é"},
			hostile))
	}
	// a shell cannot pass a zero byte
	return slices.DeleteFunc(args, func(a string) bool {
		return a == "--" || strings.ContainsRune(a, 0)
	})
}

func (w lineWriter) argument(command string) string {
	if w.IntN(8) == 0 {
		return w.from(hostile)
	}
	switch command {
	case "attack":
		return w.from(urls)
	case "serve":
		return w.variant("target")
	case "study":
		return w.from(options.StudyNames(), []string{"all"})
	case "list":
		return w.from([]string{"strategies", "workloads", "targets", "arrivals", "metrics",
			"semaphore", "none"})
	case "new":
		return w.from([]string{"mine", "Mine", "nowhere/mine"})
	case "help", "completion":
		return w.from([]string{"run", "gate", "bash", "zsh", "nope"})
	case "run", "capacity", "gateway", "calibrate", "version":
		return w.from(choices) // the command takes no arguments
	}
	return w.from(paths, []string{"A=good.txt", "B=other.txt", "good.txt", "run"})
}

func (w lineWriter) value(f *pflag.Flag) string {
	if w.IntN(5) == 0 {
		return w.from(hostile, numbers, durations, choices)
	}
	switch f.Name {
	case "strategy", "workload", "target", "arrival":
		if w.IntN(6) == 0 {
			return w.variant(f.Name) + "," + w.variant(f.Name)
		}
		return w.variant(f.Name)
	case "file", "targets", "body", "dir":
		return w.from(paths)
	case "out", "junit", "vegeta":
		return w.from(files)
	case "objective":
		return w.from(goals)
	case "metric":
		return w.from(metrics)
	case "filter", "row", "col", "table", "ignore", "by":
		return w.from(queries)
	case "addr":
		return w.from(addresses)
	case "dsn":
		return w.from(databases)
	case "header":
		return w.from(headers)
	}
	switch f.Value.Type() {
	case "duration", "TIME":
		return w.from(durations)
	case flags.OutputKind:
		return w.from(files)
	case "string", "WORD", "CLOCK", "bool", "stringArray", "stringSlice":
		return w.from(choices)
	}
	return w.from(numbers)
}

func (w lineWriter) variant(kind string) string {
	type named struct {
		name string
		keys []param.Key
	}
	var all []named
	switch kind {
	case "strategy":
		for _, s := range strategies.All() {
			all = append(all, named{s.Name, s.Keys})
		}
		all = append(all, named{options.Distinct, nil}, named{options.Every, nil})
	case "workload":
		for _, s := range workloads.All() {
			all = append(all, named{s.Name, s.Keys})
		}
	case "target":
		for _, s := range targets.All() {
			all = append(all, named{s.Name, s.Keys})
		}
	default:
		for _, s := range arrivals.All() {
			all = append(all, named{s.Name, s.Keys})
		}
	}
	v := all[w.IntN(len(all))]
	var parameters []string
	for range min(w.IntN(4), len(v.keys)) {
		k := v.keys[w.IntN(len(v.keys))]
		parameters = append(parameters, k.Name+"="+w.parameter(k))
	}
	if len(parameters) == 0 {
		return v.name
	}
	return v.name + ":" + strings.Join(parameters, ",")
}

func (w lineWriter) parameter(k param.Key) string {
	if w.IntN(6) == 0 {
		return w.from(hostile, numbers, durations)
	}
	switch k.Kind {
	case param.Duration:
		return w.from(durations)
	case param.Float, param.Int:
		return w.from(numbers)
	case param.Size:
		return w.from([]string{"0", "1", "512", "64KiB", "-1", "8EiB", "9223372036854775807",
			"9000000GiB", "x"})
	case param.Distribution:
		return w.from(durations, []string{"exp(10ms)", "const(1ms)", "hyperexp(10ms,16)",
			"pareto(1.1,1ms,1s)", "mixture(0.5,exp(1ms),0.5,1ms)", "exp(", "exp(-1ms)",
			"lognormal(1ms,1e308)", "mixture(1,mixture(1,1ms))"})
	case param.Choice:
		return w.from(k.Choices)
	}
	return w.from(paths, urls)
}
