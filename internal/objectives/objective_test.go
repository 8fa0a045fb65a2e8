package objectives

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text, unit string
		bound      float64
		canonical  string
	}{
		{"p99-response<50ms", "p99-response-sec", 0.050, "p99-response<50ms"},
		{"p99-response-sec<50ms", "p99-response-sec", 0.050, "p99-response<50ms"},
		{"  p99.9-response <= 0.2s ", "p99.9-response-sec", 0.200, "p99.9-response<=200ms"},
		{"mean-wait<=2000us", "mean-wait-sec", 0.002, "mean-wait<=2ms"},
		{"mean-wait<=0", "mean-wait-sec", 0, "mean-wait<=0s"},
		{"shed<1%", "shed/op", 0.01, "shed<1%"},
		{"shed<0.01", "shed/op", 0.01, "shed<1%"},
		{"shed<=0", "shed/op", 0, "shed<=0%"},
		{"waited<7%", "waited/op", 0.07, "waited<7%"},
		{"failed/op<99.9%", "failed/op", 0.999, "failed<99.9%"},
		{"goodput>=500", "goodput-ops/s", 500, "goodput>=500"},
		{"goodput>=500/s", "goodput-ops/s", 500, "goodput>=500"},
		{"throughput>1e3", "ops/s", 1000, "throughput>1000"},
		{"ops/s>1000", "ops/s", 1000, "throughput>1000"},
		{"cpu<5us", "cpu-sec/op", 5e-6, "cpu<5us"},
		{"attempts<1.5", "attempts/op", 1.5, "attempts<1.5"},
		{"offered-utilisation<120%", "offered-utilisation", 1.2, "offered-utilisation<120%"},
		{"utilisation<123.4567890123456%", "utilisation", 1.234567890123456,
			"utilisation<123.4567890123456%"},
		{"step2-log_in-p99-response<50ms", "step2-log_in-p99-response-sec", 0.050,
			"step2-log_in-p99-response<50ms"},
		{"session-failed<1%", "session-failed/op", 0.01, "session-failed<1%"},
		{"stage3-mean-response<1s", "stage3-mean-response-sec", 1, "stage3-mean-response<1s"},
		{"peak-inflight<=4", "peak-inflight", 4, "peak-inflight<=4"},
		{"p95<300ms", "p95-response-sec", 0.3, "p95-response<300ms"},
		{"completed-p99 < 1s", "completed-p99-response-sec", 1, "completed-p99-response<1s"},
		{"p95[GET /a,b] < 300ms", "url[GET%20/a,b]-p95-response-sec", 0.3,
			"p95-response[GET /a,b]<300ms"},
		{"completed-p95[GET /<id>]<1s", "completed-url[GET%20/<id>]-p95-response-sec", 1,
			"completed-p95-response[GET /<id>]<1s"},
		{"failed[*]<=1%", "url[*]-failed/op", 0.01, "failed[*]<=1%"},
		{"status-503<=1%", "status-503/op", 0.01, "status-503<=1%"},
		{"status-500[*]<1%", "url[*]-status-500/op", 0.01, "status-500[*]<1%"},
	} {
		l, err := Parse(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if o := l[0]; len(l) != 1 || o.Unit != c.unit || o.Bound != c.bound ||
			o.String() != c.canonical {
			t.Errorf("%q: %+v, %q", c.text, o, o)
		}
	}
	if l, err := Parse("p99-response<50ms, shed<1%,shed>0.1%"); err != nil || len(l) != 3 ||
		l.String() != "p99-response<50ms,shed<1%,shed>0.1%" {
		t.Errorf("%v, %v", l, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                  `want METRIC<VALUE, such as p99-response<50ms or shed<=1%, got ""`,
		"p99-response":      "want METRIC<VALUE",
		"p99-response=50ms": "want METRIC<VALUE",
		"<50ms":             "want METRIC<VALUE",
		"shed<1%,":          `got ""`,
		"p85-response<50ms": `unknown metric "p85-response" (known: mean-response, `,
		"latency<50ms":      `unknown metric "latency" (did you mean p99-response? `,
		"error_rate<1%": `unknown metric "error_rate" (did you mean failed? poolbench list ` +
			`metrics lists all)`,
		"Errors[GET /]<1%": `unknown metric "Errors" (did you mean failed? `,
		"p99_response<1s":  `unknown metric "p99_response" (did you mean p99-response? `,
		"nonsense<1%": "p95-response, p99-response and 226 more; poolbench list metrics " +
			"lists all)",
		"wait[GET /]<50ms": `unknown metric "wait" (known: count, mean-response, ` +
			`p50-response, `,
		"due-p95-response[GET /]<50ms": `unknown metric "due-p95-response"`,
		"ns/op<5ms":                    `unknown metric "ns/op"`,
		"theory-mean-wait<5ms":         `unknown metric "theory-mean-wait"`,
		"step1-p99-response<5ms": `unknown metric "step1-p99-response" (known: step1-NAME-count, ` +
			`step1-NAME-mean-response, step1-NAME-p50-response, step1-NAME-p95-response, `,
		"session-p90-response<5ms": `(known: session-count, session-mean-response, `,
		"stage0-p99-response<5ms":  `unknown metric "stage0-p99-response"`,
		"p99-response<50":          `p99-response: want a duration such as 50ms, got "50"`,
		"p99-response<-5ms":        "want a duration",
		"p99-response<5%":          "want a duration",
		"p99-response<=>5ms":       "want a duration",
		"p99-response<0s":          "values are never below 0",
		"goodput>=0":               "values are always at least 0",
		"shed<x":                   `shed: want a share such as 1% or 0.01, got "x"`,
		"shed<NaN":                 "want a share",
		"shed<-1%":                 "want a share",
		"shed<500%":                `shed: want a share of at most 100%, got "500%"`,
		"shed<5":                   `got "5": write 5% or 0.05`,
		"failed<1":                 `failed: want a share such as 1% or 0.01, got "1": write 1% or 0.01`,
		"failed<1.1":               `got "1.1": write 1.1% or 0.011`,
		"failed[/a]<=1.5":          `got "1.5": write 1.5% or 0.015`,
		"offered-utilisation<1":    `got "1": write 1% or 0.01`,
		"p99-response>1s": `p99-response: lower is better, so write p99-response<1s ` +
			`instead of p99-response>1s`,
		"completed-p99>=1s":         "so write completed-p99-response<=1s instead of ",
		"p95[GET /]>1s":             "so write p95-response[GET /]<1s instead of ",
		"stage3-mean-response>1s":   "so write stage3-mean-response<1s instead of ",
		"step2-a-p99-response>=1ms": "so write step2-a-p99-response<=1ms instead of ",
		"goodput>=many":             `goodput: want a number such as 500, got "many"`,
		"goodput>=Inf":              "want a number",
		"goodput>=5%":               "want a number",
		"p99-response<50ms,p99-response<1s": "p99-response<50ms and p99-response<1s bound the " +
			"same metric in the same direction",
		"p99-response<50ms,p99-response<=1s": "in the same direction",
	} {
		l, err := Parse(text)
		if err == nil {
			t.Errorf("%q passes as %v", text, l)
		} else if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want in it %q", text, err, want)
		}
	}
	l, err := Parse("shed<1%")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Add("shed<2%"); err == nil {
		t.Error("the same metric may be bounded twice")
	}
	if l, err = l.Add("goodput>5"); err != nil || l.String() != "shed<1%,goodput>5" {
		t.Errorf("%v, %v", l, err)
	}
}

func TestKindsOfValues(t *testing.T) {
	for text, ok := range map[string]bool{"sched-sec/op<5ms": true, "runqueue<1ms": true,
		"mutex-wait<5%": false, "page-faults<2.5": true, "voluntary-switches<150": true,
		"tail-queued<50ms": true, "tail-queued/op<50%": false, "next-slot-p99-response<1s": false,
		"even-mean-response<1s": false} {
		if _, err := Parse(text); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestSynonymsNameMetrics(t *testing.T) {
	names := Names()
	for of, name := range synonyms {
		if !slices.Contains(names, name) || slices.Contains(names, of) {
			t.Errorf("%s is no synonym of %s", of, name)
		}
	}
}

func TestNamesAreUnambiguous(t *testing.T) {
	unitOf := map[string]string{}
	for _, m := range metrics() {
		unit := m.Unit
		for _, name := range []string{unit, short(unit)} {
			if other, taken := unitOf[name]; taken && other != unit {
				t.Errorf("%s is %s and %s", name, unit, other)
			}
			unitOf[name] = unit
		}
	}
}

func run(metrics map[string]float64, broken ...string) *bench.Result {
	r := &bench.Result{Broken: broken}
	for unit, v := range metrics {
		r.Metrics = append(r.Metrics, result.Metric{Unit: unit, Value: v})
	}
	return r
}

func TestOf(t *testing.T) {
	l, err := Parse("p99-response<50ms,shed<=1%")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		result *bench.Result
		want   Verdict
	}{
		{run(map[string]float64{"p99-response-sec": 0.0499, "shed/op": 0.01}), Met},
		{run(map[string]float64{"p99-response-sec": 0.05, "shed/op": 0}), Missed},
		{run(map[string]float64{"p99-response-sec": 0.04, "shed/op": 0.011}), Missed},
		{run(map[string]float64{"shed/op": 0}), Undecided},
		{run(map[string]float64{"shed/op": 0.5}), Missed},
		{run(map[string]float64{"p99-response-sec": math.NaN(), "shed/op": 0}), Undecided},
		{run(map[string]float64{"p99-response-sec": 0.04, "shed/op": 0}, "Little's law"),
			Undecided},
	} {
		if got := l.Evaluate(c.result); got != c.want {
			t.Errorf("%+v: %v, want %v", c.result.Metrics, got, c.want)
		}
	}
	for text, meets := range map[string][3]bool{
		"peak-inflight<5": {true, false, false}, "peak-inflight<=5": {true, true, false},
		"peak-inflight>5": {false, false, true}, "peak-inflight>=5": {false, true, true},
	} {
		l, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range meets {
			if v := float64(4 + i); l[0].meets(v) != want {
				t.Errorf("%v meets %s: %v", v, text, !want)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"p99-response<50ms", "shed<1%,goodput>=500/s",
		" mean-wait <= 2ms ", "waited<0.0333", "p99.9-response<1h0m0.5s",
		"B/op<1e300", "utilisation>7e-320", "utilisation<123.4567890123456%", "shed<1e-9%", "ops/s>0x1p4",
		"p99-response<9223372036.854775807s", "shed<", "<,>", "shed<1%%"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := Parse(text)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("%q: an error of several lines: %v", text, err)
			}
			return
		}
		if strings.ContainsAny(l.String(), " /\t\n") {
			t.Fatalf("%q: %q cannot be part of a name", text, l)
		}
		again, err := Parse(l.String())
		if err != nil || len(again) != len(l) {
			t.Fatalf("%q is spelt %q, which reads as %v (%v)", text, l, again, err)
		}
		for i := range l {
			if again[i] != l[i] {
				t.Fatalf("%q is spelt %q, which reads as %+v and not %+v", text, l, again[i], l[i])
			}
		}
	})
}

func TestForURLs(t *testing.T) {
	urls := []URL{{[]string{"GET /login"}, "url[GET%20/login]-"},
		{[]string{"GET /item/{{seq}}"}, "url[GET%20/item/{{seq}}]-"},
		{[]string{"pay", "POST /pay"}, "step2-pay-"}}
	for text, want := range map[string]string{
		"p95<1s": "p95-response<1s", "p95[GET /login]<1s": "p95-response[GET /login]<1s",
		"p95[GET /item/*]<1s": "p95-response[GET /item/{{seq}}]<1s",
		"p95[POST *]<1s":      "step2-pay-p95-response<1s", "failed[pay]<1%": "step2-pay-failed<1%",
		"completed-p95[pay]<1s": "completed-step2-pay-p95-response<1s",
		"p99[GET /*i*]<1s,shed<1%": "p99-response[GET /login]<1s," +
			"p99-response[GET /item/{{seq}}]<1s,shed<1%",
	} {
		l, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if l, err = l.ForURLs(urls); err != nil || l.String() != want {
			t.Errorf("%s is %v, %v; want %s", text, l, err, want)
		}
	}
	l, err := Parse("p95[GET /log]<1s")
	if err != nil {
		t.Fatal(err)
	}
	for want, urls := range map[string][]URL{"unknown URL GET /log (known: GET /login, ": urls,
		"all requests go to one URL, so omit [GET /log]": nil} {
		if _, err := l.ForURLs(urls); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want in it %q", err, want)
		}
	}
	if !l.OfURLs() || l[:0].OfURLs() {
		t.Error("an objective about a URL is not known as one")
	}
}
