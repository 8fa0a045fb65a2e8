package traces

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestLayout(t *testing.T) {
	first := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC).UnixNano()
	for _, c := range []struct{ layout, time, took, text string }{
		{`$remote_addr - ${remote_user} [$time_local] "$request" $status rt=$request_time ` +
			`uct="$upstream_connect_time"`,
			"time_local", "request_time",
			`10.0.0.1 - - [01/May/2026:09:00:00 +0000] "GET /a b" 200 rt=0.250 uct="0.001"` + "\n" +
				`10.0.0.1 - x [01/May/2026:09:00:01 +0000] "GET /" 200 rt=1.5 uct="-"` + "\n"},
		{"$msec $request_time", "msec", "request_time",
			"1777626000.000 0.250\n1777626001.000 1.500\n"},
		{`%h %l %u %t \"%r\" %>s %b %D`, "%t", "%D",
			`h - - [01/May/2026:09:00:00 +0000] "GET / HTTP/1.1" 200 5 250000` + "\n" +
				`h - - [01/May/2026:09:00:01 +0000] "GET / HTTP/1.1" 200 5 1500000` + "\n"},
		{`[%{usec}t]~%{ms}T`, "%{usec}t", "%{ms}T",
			"[1777626000000000] 250\n[1777626001000000] 1500\n"},
		{`"$time_iso8601" ${request_time}s`, "1", "2",
			"\"2026-05-01T09:00:00Z\" 0.250s\n\"2026-05-01T11:00:01+02:00\" 1.5s\n"},
	} {
		got, err := readText(Source{Time: c.time, Duration: c.took, Layout: c.layout}, c.text)
		want := []Record{{first, 250e6}, {first + 1e9, 1500e6}}
		if err != nil || !slices.Equal(got.Records, want) {
			t.Errorf("%s: %+v, %v; want %v", c.layout, got, err, want)
		}
	}
	for layout, want := range map[string]string{
		"a b":        "line 1: layout: want a format such as '$msec $request_time' or '%t %D'",
		`$msec "$b`:  `line 1: layout: missing " at the end of a field`,
		"$msec $b":   `line 1: no column is named "request_time"; the line has msec and b`,
		"x $pid $t":  `line 1: no column is named "msec"; the line has pid and t`,
		"t$msec $b ": `line 1: no column is named "request_time"; the line has msec and b`,
	} {
		_, err := readText(Source{Time: "msec", Duration: "request_time", Layout: layout}, "1 2\n")
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", layout, err, want)
		}
	}
	_, err := readText(Source{Time: "msec", Layout: "t=$msec"}, "t=1\nu=2\n")
	if err == nil || !strings.HasPrefix(err.Error(), "line 2: want a time such as") {
		t.Error(err)
	}
}

func FuzzLayout(f *testing.F) {
	f.Add("$msec rt=$request_time", "1 rt=2\n3 rt=4\n")
	f.Add(`%t "%r" %>s %{ms}T`, "[01/May/2026:09:00:00 +0000] \"a b\" 1\n")
	f.Add(`[${a}] %`, "[1] %\n[")
	f.Fuzz(func(t *testing.T, layout, text string) {
		fields, err := parseLayout(layout)
		if err != nil {
			return
		}
		for _, field := range fields {
			s := Source{Time: "1", Duration: field.name, Layout: layout}
			got, err := readText(s, text)
			if err == nil && len(got.Records) < 2 {
				t.Fatalf("%+v of %q", got, text)
			}
		}
	})
}
