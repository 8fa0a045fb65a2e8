package param_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench/param"
)

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "semaphore", "x:", "x:mean=0.01s,c2=16.0", "x:mean=1h",
		"x:c2=-0", "x:c2=1e-7", "x:c2=0x1p-2", "x:k=007", "x:bytes=1024KiB",
		"x:think=mixture(0.5,exp(1ms),0.5,2ms)", "x:path=a(b,c)", "x:path=é/µ", "x:jitter=none",
		"x:jitter=full,k=1", "x:k=1,k=1", "x:mean=10ms,", "x:path=(", "a,b:k=1", "x:mean=500µs"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		call, err := param.Parse(s)
		if err != nil {
			oneLine(t, err)
			return
		}
		again, err := param.Parse(call.String())
		if err != nil || !reflect.DeepEqual(call, again) {
			t.Fatalf("Parse(%q) = %#v; its spelling gives %#v, %v", s, call, again, err)
		}
		v, err := param.Resolve(keys, call.Args)
		if err != nil {
			oneLine(t, err)
			return
		}
		spelling := v.Spell(call.Name)
		if strings.ContainsAny(spelling, " \t\r\n") {
			t.Fatalf("%q is spelt %q, with white space", s, spelling)
		}
		if back := resolve(t, keys, spelling); !reflect.DeepEqual(back, v) ||
			back.Spell(call.Name) != spelling {
			t.Fatalf("%q is spelt %q, which reads back as %#v, not %#v", s, spelling, back, v)
		}
		if back := resolve(t, keys, "x:"+v.Canonical()); !reflect.DeepEqual(back, v) {
			t.Fatalf("%q: canonical %q reads back as %#v, not %#v", s, v.Canonical(), back, v)
		}
	})
}

func FuzzLists(f *testing.F) {
	for _, s := range []string{"", "4,8", "0.5,0.8", "1ms,10ms", "10%", "99.9%",
		"worker_pool,semaphore", "a,", ",", "x:k=1,c2=2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		_, err1 := param.Ints(s)
		_, err2 := param.Floats(s)
		p, err3 := param.Percent(s)
		_, err4 := param.ParseList(s)
		for _, err := range []error{err1, err2, err3, err4} {
			if err != nil {
				oneLine(t, err)
			}
		}
		if !(p >= 0 && p < 1) {
			t.Fatalf("Percent(%q) = %v", s, p)
		}
	})
}

func oneLine(t *testing.T, err error) {
	t.Helper()
	if strings.ContainsAny(err.Error(), "\n\r") {
		t.Fatalf("error of several lines: %q", err)
	}
}
