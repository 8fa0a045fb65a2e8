package param_test

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

var keys = []param.Key{
	{Name: "mean", Kind: param.Duration, Default: "10ms", Doc: "mean time"},
	{Name: "c2", Kind: param.Float, Default: "16", Doc: "variance"},
	{Name: "k", Kind: param.Int, Default: "4", Doc: "count"},
	{Name: "bytes", Kind: param.Size, Default: "4KiB", Doc: "bytes"},
	{Name: "think", Kind: param.Distribution, Default: "exp(100ms)", Doc: "think time"},
	{Name: "path", Kind: param.Text, Default: "trace.csv", Doc: "file"},
	{Name: "jitter", Kind: param.Choice, Default: "full",
		Choices: []string{"none", "full", "equal"}, Doc: "width of the jitter"},
}

func resolve(t testing.TB, keys []param.Key, s string) param.Values {
	t.Helper()
	call, err := param.Parse(s)
	if err != nil {
		t.Fatalf("Parse(%q): %v", s, err)
	}
	v, err := param.Resolve(keys, call.Args)
	if err != nil {
		t.Fatalf("Resolve(%q): %v", s, err)
	}
	return v
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		in   string
		want param.Call
	}{
		{"semaphore", param.Call{Name: "semaphore"}},
		{"worker_pool:", param.Call{Name: "worker_pool"}},
		{"hyperexp:mean=10ms,c2=16",
			param.Call{Name: "hyperexp",
				Args: []param.Arg{{Key: "mean", Value: "10ms"}, {Key: "c2", Value: "16"}}}},
		{"closed:think=lognormal(1ms,4),clients=8",
			param.Call{Name: "closed", Args: []param.Arg{{Key: "think", Value: "lognormal(1ms,4)"},
				{Key: "clients", Value: "8"}}}},
		{"a:k=x=y:z", param.Call{Name: "a", Args: []param.Arg{{Key: "k", Value: "x=y:z"}}}},
	} {
		got, err := param.Parse(c.in)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("Parse(%q) = %+v, %v; want %+v", c.in, got, err, c.want)
		}
		if want := strings.TrimSuffix(c.in, ":"); got.String() != want {
			t.Errorf("Parse(%q) spells itself %q", c.in, got)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for in, want := range map[string]string{
		"":                      `want a name in lower_snake, as in worker_pool or hyperexp:mean=10ms,c2=16, got ""`,
		"Semaphore":             `got "Semaphore"`,
		"worker-pool":           `got "worker-pool"`,
		"a\n":                   `got "a\n"`,
		"a,b:k=1":               `got the list "a,b" before the colon`,
		"a:k":                   `a: want key=value, got "k"`,
		"a:k=9.5,a:k=10":        `a: want key=value, got "a:k=10": a variant with parameters stands alone, so give the flag again for the next`,
		"a:k=9.5,worker_pool":   `a: want key=value, got "worker_pool": a variant with parameters stands alone, so give the flag again for the next`,
		"a:k=1,":                `a: want key=value, got ""`,
		"a:K=1":                 `a: want key=value, got "K=1"`,
		"a:=1":                  `a: want key=value, got "=1"`,
		"a:k=":                  "a: k: the value is empty",
		"a:k=exp(1ms":           `a: k: unbalanced parentheses in "exp(1ms"`,
		"a:k=)(":                `a: k: unbalanced parentheses in ")("`,
		"a:k=1 ":                `a: k: white space or an unprintable character in "1 "`,
		"a:k=\xff":              `a: k: white space or an unprintable character`,
		"a:k=1, c=2":            `a: want key=value, got " c=2"`,
		"a:k=exp(1ms,c2=2)),d=": "a: k: unbalanced parentheses",
	} {
		if c, err := param.Parse(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q) = %+v, %v; want an error with %s", in, c, err, want)
		}
	}
}

func TestParseList(t *testing.T) {
	for in, want := range map[string][]string{
		"semaphore":                    {"semaphore"},
		"worker_pool,semaphore":        {"worker_pool", "semaphore"},
		"hyperexp:c2=4,mean=1s":        {"hyperexp:c2=4,mean=1s"},
		"mine:burst=3,pool":            {"mine:burst=3", "pool"},
		"a,b:k=1":                      {"a", "b:k=1"},
		"a:k=1,b:k=2,l=3,c,d:":         {"a:k=1", "b:k=2,l=3", "c", "d"},
		"a:k=exp(1s),b:k=f(x,y=2),l=3": {"a:k=exp(1s)", "b:k=f(x,y=2),l=3"},
	} {
		calls, err := param.ParseList(in)
		var got []string
		for _, c := range calls {
			got = append(got, c.String())
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("ParseList(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", "a,,b", "a,", "a,k=1", "a:k=1,", "a:k=1,,b", "a b", "a:k=1,B"} {
		if calls, err := param.ParseList(in); err == nil {
			t.Errorf("ParseList(%q) = %v, want an error", in, calls)
		}
	}
}

func TestResolveDefaultsAndGiven(t *testing.T) {
	v := resolve(t, keys, "x")
	if v.Duration("mean") != 10*time.Millisecond || v.Float("c2") != 16 || v.Int("k") != 4 ||
		v.Size("bytes") != 4096 ||
		v.Dist("think") != dist.Dist(dist.Exp(100*time.Millisecond)) ||
		v.Text("path") != "trace.csv" || v.Choice("jitter") != "full" {
		t.Errorf("defaults are not as declared: %+v", v)
	}
	if v.Canonical() != "" || v.Spell("x") != "x" || v.Given("mean") {
		t.Errorf("with all at their defaults it spells itself %q", v.Spell("x"))
	}
	v = resolve(t, keys, "x:think=1ms,path=a(b,c),bytes=1MB,k=+5,jitter=none,c2=2.50,mean=0.02s")
	if v.Duration("mean") != 20*time.Millisecond || v.Float("c2") != 2.5 || v.Int("k") != 5 ||
		v.Size("bytes") != 1e6 ||
		v.Dist("think") != dist.Dist(dist.Constant{Value: time.Millisecond}) ||
		v.Text("path") != "a(b,c)" || v.Choice("jitter") != "none" {
		t.Errorf("given values are lost: %+v", v)
	}
	if want := "x:mean=20ms,c2=2.5,k=5,bytes=1MB,think=const(1ms),path=a(b,c),jitter=none"; v.Spell(
		"x") != want || !v.Given("mean") {
		t.Errorf("it spells itself %q, want %q", v.Spell("x"), want)
	}
}

func TestCanonicalIsOneSpelling(t *testing.T) {
	v := resolve(t, keys,
		"x:mean=0.01s,c2=16.0,k=04,bytes=4096,think=exp(0.1s),path=trace.csv,jitter=full")
	if got := v.Canonical(); got != "" {
		t.Errorf("the defaults in other words spell themselves %q", got)
	}
	if !reflect.DeepEqual(v, resolve(t, keys, "x")) {
		t.Error("the defaults in other words are not equal to the defaults")
	}
}

func TestResolveErrors(t *testing.T) {
	required := []param.Key{{Name: "path", Kind: param.Text, Doc: "CSV file of due times"}}
	for _, c := range []struct {
		keys []param.Key
		in   string
		want string
	}{
		{keys, "x:foo=1",
			`unknown parameter "foo" (known: mean, c2, k, bytes, think, path, jitter)`},
		{nil, "x:foo=1", `unknown parameter "foo" (known: none)`},
		{keys, "x:k=1,k=1", "k: given twice"},
		{required, "x", "path: must be given (CSV file of due times)"},
		{keys, "x:mean=10", `mean: want a duration such as 10ms, got "10"`},
		{keys, "x:mean=-1ms", `mean: want a duration that is not negative, got "-1ms"`},
		{keys, "x:mean=9999999h", `mean: want a duration such as 10ms, got "9999999h"`},
		{keys, "x:c2=NaN", `c2: want a number such as 0.5, got "NaN"`},
		{keys, "x:c2=inf", `c2: want a number such as 0.5, got "inf"`},
		{keys, "x:c2=1e999", `c2: want a number such as 0.5, got "1e999"`},
		{keys, "x:c2=10ms", `c2: want a number such as 0.5, got "10ms"`},
		{keys, "x:k=1.5", `k: want a whole number such as 4, got "1.5"`},
		{keys, "x:k=9223372036854775808", "k: want a whole number such as 4"},
		{keys, "x:bytes=-1", `bytes: want a size in bytes such as 512, 64KiB or 1MB, got "-1"`},
		{keys, "x:bytes=9000000000GiB", "bytes: want a size in bytes"},
		{keys, "x:bytes=B", "bytes: want a size in bytes"},
		{keys, "x:think=exp(0s)", "think: exp: mean: must be positive"},
		{keys, "x:think=soon", "think: want a distribution such as 10ms"},
		{keys, "x:jitter=Full", `jitter: want none, full or equal, got "Full"`},
		{[]param.Key{{Name: "on", Kind: param.Choice, Choices: []string{"yes", "no"}}}, "x:on=1",
			`on: want yes or no, got "1"`},
	} {
		call, err := param.Parse(c.in)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := param.Resolve(c.keys, call.Args); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("Resolve(%q): %v; want an error with %s", c.in, err, c.want)
		}
	}
	// Arguments not created by Parse must have the same syntax.
	for _, bad := range []string{"", "a,b", "a b", "a(", "a\nb"} {
		if _, err := param.Resolve(required, []param.Arg{{Key: "path", Value: bad}}); err == nil {
			t.Errorf("Resolve took %q", bad)
		}
	}
}

func TestSizes(t *testing.T) {
	for in, want := range map[string]struct {
		bytes int64
		text  string
	}{
		"0": {0, "0"}, "512": {512, "512"}, "512B": {512, "512"}, "64KiB": {65536, "64KiB"},
		"1024KiB": {1 << 20, "1MiB"},
		"1MB":     {1e6, "1MB"}, "1000kB": {1e6, "1MB"}, "3GiB": {3 << 30, "3GiB"},
		"2GB":     {2e9, "2GB"},
		"1000000": {1e6, "1MB"},
	} {
		v := resolve(t, []param.Key{{Name: "n", Kind: param.Size}}, "x:n="+in)
		if v.Size("n") != want.bytes || v.Canonical() != "n="+want.text {
			t.Errorf("%s is %d bytes, spelt %s; want %d, n=%s", in, v.Size("n"), v.Canonical(),
				want.bytes, want.text)
		}
	}
}

func TestProgrammersMistakesPanic(t *testing.T) {
	v := resolve(t, keys, "x")
	for name, f := range map[string]func(){
		"undeclared key":   func() { v.Duration("foo") },
		"wrong kind":       func() { v.Float("mean") },
		"undeclared given": func() { v.Given("foo") },
		"zero Values":      func() { new(param.Values).Int("k") },
		"bad default": func() {
			_, _ = param.Resolve([]param.Key{{Name: "k", Kind: param.Int, Default: "x"}}, nil)
		},
		"bad text default": func() {
			_, _ = param.Resolve([]param.Key{{Name: "k", Default: "a b"}}, nil)
		},
		"bad choice": func() {
			_, _ = param.Resolve([]param.Key{{Name: "k", Kind: param.Choice,
				Choices: []string{"x", "y z"}}}, nil)
		},
		"choice given twice": func() {
			_, _ = param.Resolve([]param.Key{{Name: "k", Kind: param.Choice,
				Choices: []string{"x", "x"}}}, nil)
		},
		"one choice": func() {
			_, _ = param.Resolve([]param.Key{{Name: "k", Kind: param.Choice,
				Choices: []string{"x"}}}, nil)
		},
		"choices of a text": func() {
			_, _ = param.Resolve([]param.Key{{Name: "k", Choices: []string{"x", "y"}}}, nil)
		},
		"word of a text": func() {
			_, _ = param.Resolve([]param.Key{{Name: "k", Default: "x", Word: "y"}}, nil)
		},
		"default that is no choice": func() {
			_, _ = param.Resolve([]param.Key{{Name: "k", Kind: param.Choice, Default: "z",
				Choices: []string{"x", "y"}}}, nil)
		},
		"bad key name": func() {
			_, _ = param.Resolve([]param.Key{{Name: "max_n", Default: "x"}}, nil)
		},
		"key declared twice": func() {
			_, _ = param.Resolve([]param.Key{{Name: "k", Default: "x"}, {Name: "k", Default: "x"}},
				nil)
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			f()
		}()
	}
	if (param.Values{}).Canonical() != "" {
		t.Error("the zero Values spells itself")
	}
}

// The canonical form must keep the word, and Settle must not change its receiver.
func TestWord(t *testing.T) {
	keys := []param.Key{{Name: "rate", Kind: param.Float, Default: "10", Word: "target"},
		{Name: "burst", Kind: param.Int, Default: "1"}}
	v := resolve(t, keys, "x:rate=target,burst=3")
	if v.Open() != "rate=target" || !math.IsNaN(v.Float("rate")) || !v.Given("rate") {
		t.Errorf("open %q, rate %v", v.Open(), v.Float("rate"))
	}
	s := v.Settle("other", 5).Settle("target", 40).Settle("target", 50)
	if s.Open() != "" || s.Float("rate") != 40 || s.Int("burst") != 3 ||
		s.Canonical() != "rate=target,burst=3" || v.Open() == "" {
		t.Errorf("settled: open %q, %s, rate %v", s.Open(), s.Canonical(), s.Float("rate"))
	}
	if n := resolve(t, keys, "x:rate=7").Settle("target", 40); n.Float("rate") != 7 {
		t.Errorf("a number was settled to %v", n.Float("rate"))
	}
}

func TestOrDefaults(t *testing.T) {
	keys := []param.Key{{Name: "n", Kind: param.Int, Default: "3"}}
	v, err := param.Values{}.OrDefaults(keys)
	if err != nil || v.Int("n") != 3 {
		t.Errorf("%+v, error %v", v, err)
	}
	given, err := param.Resolve(keys, []param.Arg{{"n", "5"}})
	if err != nil {
		t.Fatal(err)
	}
	if v, err = given.OrDefaults(keys); err != nil || v.Int("n") != 5 {
		t.Errorf("%+v, error %v", v, err)
	}
	if _, err = (param.Values{}).OrDefaults([]param.Key{{Name: "dsn", Kind: param.Text,
		Doc: "where"}}); err == nil {
		t.Error("a parameter without a default was made up")
	}
}
