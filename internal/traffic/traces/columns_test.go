package traces

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Sorting by time must not separate a class from its task.
func TestClasses(t *testing.T) {
	s := Source{Time: "1", Duration: "2", Class: "3"}
	got, err := readText(s, "5,1ms,a\n3,4ms, b \n9,2ms,a\n7,3ms,\"c,d\"\n")
	if err != nil || !slices.Equal(got.Classes, []string{"a", "b", "c,d"}) {
		t.Fatalf("%+v, %v", got, err)
	}
	for i, want := range []struct{ class, took int }{{1, 4}, {0, 1}, {2, 3}, {0, 2}} {
		if r := got.Records[i]; r.Class() != want.class || r.Took() != int64(want.took)*1e6 {
			t.Errorf("record %d: class %d, %d ns; want %v", i, r.Class(), r.Took(), want)
		}
	}
	for _, c := range []struct {
		from, name, want string
	}{{"", "", "[false true true]"}, {"2s", "", "[false false true]"},
		{"4s", "", "[false false false]"}, {"", "a", "[true false false]"}} {
		p, err := got.Plan(Window{From: c.from, Speed: 1, Scale: 1})
		if err != nil {
			t.Fatal(err)
		}
		long, err := p.Long(c.name)
		if fmt.Sprint(long) != c.want || err != nil {
			t.Errorf("%+v: %v, %v", c, long, err)
		}
		if _, err = p.Long("b,c"); err == nil || err.Error() != `no task has class "b,c"` {
			t.Error(err)
		}
	}
	var b strings.Builder
	for i := range 256 {
		fmt.Fprintf(&b, "%d,1ms,%d\n", i, i)
	}
	_, err = readText(s, b.String())
	if err == nil || err.Error() != `line 256: more than 255 classes, with "255"` {
		t.Error(err)
	}
	if _, err = readText(s, "1,1ms,a\n2,21000h,a\n"); err == nil ||
		err.Error() != `line 2: "21000h" is longer than two years` {
		t.Error(err)
	}
}

// Unit must apply to all plain numbers, in CSV and in JSON.
func TestUnit(t *testing.T) {
	for unit, want := range map[time.Duration]int64{0: 1500e6, time.Millisecond: 1500e3,
		time.Microsecond: 1500, 1: 2} {
		s := Source{Time: "1", Duration: "2", Unit: unit}
		for _, text := range []string{"1,1.5\n2,1.5\n", `{"1":1,"2":1.5}` + "\n" + `{"1":2,"2":"1.5"}`} {
			got, err := readText(s, text)
			if err != nil || got.Records[0].Took() != want {
				t.Errorf("%v: %+v, %v; want %d", unit, got, err, want)
			}
		}
		if got, err := readText(s, "1,7ms\n2,7ms\n"); err != nil || got.Records[0].Took() != 7e6 {
			t.Errorf("%v: a duration with a unit: %+v, %v", unit, got, err)
		}
	}
	_, err := readText(Source{Time: "1", Duration: "2", Unit: time.Microsecond}, "1,x\n")
	if want := `line 1: want a duration such as 1.5ms, or microseconds such as 1500, got "x"`; err ==
		nil || err.Error() != want {
		t.Errorf("got %v want %s", err, want)
	}
}

// A reader without durations may share a cached trace with durations, but not the reverse.
func TestShared(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(file, []byte("1,1ms,a\n3,2ms,b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func(s Source) *Trace {
		t.Helper()
		s.File, s.Time = file, "1"
		got, err := s.Read()
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	times := read(Source{})
	whole := read(Source{Duration: "2", Class: "3"})
	if whole == times || whole.Records[1].Took() != 2e6 || len(whole.Classes) != 2 {
		t.Errorf("got %+v", whole)
	}
	for _, s := range []Source{{}, {Duration: "2"}, {Class: "3"}} {
		if read(s) != whole {
			t.Errorf("%+v is read again", s)
		}
	}
	ends := read(Source{Duration: "2", End: true})
	if ends == whole || ends.Records[0].At != 999e6 {
		t.Errorf("got %+v", ends)
	}
}
