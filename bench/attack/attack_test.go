package attack_test

import (
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/poolbench/poolbench/bench/attack"
)

// vegeta's pacers must wait 1 µs before a request is due, and not 1 µs after.
func TestVegetasPacers(t *testing.T) {
	const rate, slope, amp, period = 200, 30.0, 100, 3 * time.Second
	hits := vegeta.Rate{Freq: rate, Per: time.Second}
	for text, pacer := range map[string]vegeta.Pacer{
		"constant":        hits,
		"linear:slope=30": vegeta.LinearPacer{StartAt: hits, Slope: slope},
		"sine:amp=0.5,period=3s,phase=0.75": vegeta.SinePacer{
			Period: period, Mean: hits, Amp: vegeta.Rate{Freq: amp, Per: time.Second},
			StartAt: vegeta.Trough},
	} {
		a := arrival(t, text)
		next, err := a.Spec.Open(rate, 0, a.Values)
		if err != nil {
			t.Fatal(err)
		}
		var due, before time.Duration
		for n := range uint64(5000) {
			before, due = due, next()
			if n == 0 {
				continue // LinearPacer sends its first request at once
			}
			if wait, stop := pacer.Pace(due-time.Microsecond, n); wait <= 0 || stop {
				t.Fatalf("%s: request %d, due at %v: vegeta does not wait for it", text, n, due)
			}
			// Pace returns the wait for the next request if called when the previous one was sent.
			wait, _ := pacer.Pace(before, n)
			if off := before + wait - due; text == "constant" && off.Abs() > 1 ||
				off.Abs() > 10*time.Microsecond && !strings.HasPrefix(text, "linear") {
				t.Fatalf("%s: request %d, due at %v: vegeta differs by %v", text, n, due, off)
			}
			if rate := pacer.Rate(due); math.IsNaN(rate) {
				t.Fatal(rate)
			}
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"":                              0,
		"0":                             0,
		"7":                             7 * time.Second,
		" 7 ":                           7 * time.Second,
		"9223372036":                    9223372036 * time.Second,
		"9223372037":                    0, // overflows time.Duration
		"99999999999999999999":          0,
		"-1":                            0,
		"1.5":                           0,
		"soon":                          0,
		"Fri, 02 Jan 2026 03:04:15 GMT": 10 * time.Second,
		"Fri, 02 Jan 2026 03:04:00 GMT": 0,
	} {
		if got := attack.RetryAfter(text, func() time.Time { return now }); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestErrorKind(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`Get "http://h:1/\"x": read tcp 127.0.0.1:3333->127.0.0.1:80: read: connection reset by ` +
			`peer`,
			`read tcp 127.0.0.1:80: read: connection reset by peer`},
		{`Post "http://h/": net/http: HTTP/1.x transport connection broken: malformed HTTP ` +
			`response "a\nb"`,
			`net/http: HTTP/1.x transport connection broken: malformed HTTP response "…"`},
		{"two\nlines", "two lines"},
		{"read tcp 127.0.0.1:3333->127.0.0.1:80: i/o timeout", "no answer in time"},
		{`Get "http://h/": context deadline exceeded (Client.Timeout exceeded while awaiting ` +
			`headers)`,
			"no answer in time"},
		{"dial tcp 127.0.0.1:80: i/o timeout", "dial tcp 127.0.0.1:80: i/o timeout"},
	} {
		if got := attack.ErrorKind(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestReadRequests(t *testing.T) {
	with := attack.Request{Body: []byte("b"), Header: http.Header{"A": {"1"}}}
	all, lines, err := attack.ReadRequests([]byte("# two\nGET http://h/1\nB: 2\n\nPOST https://h/2\n"),
		"http", with)
	if err != nil || len(all) != 2 || all[0].URL != "http://h/1" || all[0].Header.Get("B") != "2" ||
		all[0].Header.Get("A") != "1" || all[1].Method != "POST" || string(all[1].Body) != "b" ||
		!slices.Equal(lines, []int{2, 5}) {
		t.Errorf("%v, %v, %v", all, lines, err)
	}
	all, _, err = attack.ReadRequests([]byte(`{"method":"PUT","url":"http://h/","body":"eA=="}`),
		"json", with)
	if err != nil || len(all) != 1 || all[0].Method != "PUT" || string(all[0].Body) != "x" {
		t.Errorf("%v, %v", all, err)
	}
	for text, want := range map[string]string{
		"":          "it has no target",
		"http://h/": "line 1: want METHOD URL, such as GET http://127.0.0.1:8080/",
		"\n# c\nget http://h/?sig=s3cret": "line 3: want METHOD URL, such as GET " +
			"http://127.0.0.1:8080/",
		"GET s3cret": "line 1: want http://… or https://… behind the method",
		"GET http://h/\n\nGET /path?s=s3cret": `line 3: URL "/path?s=…": want http://… or ` +
			"https://…",
		"GET ftp://h/":                 `line 1: URL "ftp://h/": want http://… or https://…`,
		"GET http://:80/":              `line 1: URL "http://:80/": it has no host`,
		"GET http://h/\nbad header: x": `line 1: header "bad header" is not a valid name`,
		"GET http://h/\nA: \x01":       "line 1: header A: the value has a control character",
		"GET http://h/\n#\nA: 1\nAuthorization s3cret": "line 4: want NAME: VALUE, or @ and the " +
			"file of the body",
		"GET http://h/\nA: 1\nGET s3cret": "line 3: want NAME: VALUE, or @ and the file of the " +
			"body",
		"GET http://h/\n@nowhere": "line 2: body: stat nowhere: no such file or directory",
		"GET http://h/\n" +
			strings.Repeat("x", 1<<16): "line 2: it has 65536 bytes; want fewer than 65536",
	} {
		if _, _, err := attack.ReadRequests([]byte(text), "http", attack.Request{}); err == nil ||
			err.Error() != want {
			t.Errorf("%.40q: error %v, want %q", text, err, want)
		}
	}
	if _, _, err := attack.ReadRequests([]byte("\n{\"url\":\"s3cret\"\n"), "json",
		with); err == nil ||
		err.Error() != "line 2: want a target in the format json" {
		t.Error(err)
	}
	if _, _, err := attack.ReadRequests(nil, "xml", with); err == nil ||
		!strings.Contains(err.Error(), "known: http, json") {
		t.Error(err)
	}
}

func FuzzReadRequests(f *testing.F) {
	for _, text := range []string{"GET http://h/1\nA: 1\n\nPOST http://h/2\n",
		"# c\n\nGET http://h\n", `{"method":"GET","url":"http://h"}`,
		"GET http://[::1]:80/%zz", "X \x00", "{"} {
		f.Add([]byte(text), "http")
		f.Add([]byte(text), "json")
	}
	f.Fuzz(func(t *testing.T, text []byte, format string) {
		if strings.Contains(string(text), "@") {
			return // reads files
		}
		all, _, err := attack.ReadRequests(text, format, attack.Request{})
		if err != nil && strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("error %q", err)
		}
		for _, r := range all {
			if err := attack.CheckRequest(r); err != nil {
				t.Error(err)
			}
		}
		if err == nil && len(all) == 0 {
			t.Error("nothing read, and no error")
		}
	})
}

func TestValidate(t *testing.T) {
	get := []attack.Request{{Method: "GET", URL: "http://h/"}}
	for want, a := range map[string]attack.Attack{
		"requests: none is given": {Tasks: 1},
		`URL "h": want http://… or https://…`: {Tasks: 1,
			Requests: []attack.Request{{URL: "h"}}},
		"rate -1: want 1e-06 to 1e+09 tasks per second": {Tasks: 1, Requests: get, Rate: -1},
		"rate NaN: want 1e-06 to 1e+09 tasks per second": {Tasks: 1, Requests: get,
			Rate: math.NaN()},
		"clients set the pace, so there is no rate": {Tasks: 1, Requests: get, Rate: 1, Clients: 1},
		"clients and strategy exclude each other": {Tasks: 1, Requests: get,
			Clients: 1, Strategy: strategy(t, "semaphore")},
		"n and duration exclude each other":           {Tasks: 1, Requests: get, Duration: 1},
		"n: want at least one request, or a duration": {Requests: get},
		"limit 3 given, but there is no strategy":     {Tasks: 1, Requests: get, Limit: 3},
		"arrival batch: it settles its own rate": {Tasks: 1, Requests: get,
			Rate: 1, Arrival: arrival(t, "batch")},
		"arrival batch: give the number of requests (n)": {Duration: 1, Requests: get,
			Arrival: arrival(t, "batch")},
		"arrival closed: it is closed, so give the number of clients": {Tasks: 1, Requests: get,
			Arrival: arrival(t, "closed")},
		"max-in-flight -2: want 1 to 100000": {Tasks: 1,
			Requests: get, MaxInFlight: -2},
		"strategy semaphore: queue 3 given, but it has no queue": {Tasks: 1, Requests: get,
			Strategy: strategy(t, "semaphore"), Queue: 3},
	} {
		if err := a.Validate(); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestName(t *testing.T) {
	get := []attack.Request{{Method: "GET", URL: "http://127.0.0.1:8080/a b/c?d"},
		{Method: "GET", URL: "http://h/"}}
	for want, a := range map[string]attack.Attack{
		"target=127.0.0.1:8080%2Fa%2520b%2Fc+1/arrival=constant/rate=50/duration=1s": {
			Requests: get, Duration: time.Second},
		"target=shop/arrival=closed:clients=8,think=0s/n=5": {
			Requests: get, Label: "shop", Tasks: 5, Clients: 8},
		"strategy=semaphore/target=h/arrival=poisson/limit=4/rate=9/n=5/timeout=1s": {
			Requests: get[1:], Tasks: 5, Rate: 9, Arrival: arrival(t, "poisson"),
			Strategy: strategy(t, "semaphore"), Timeout: time.Second},
		"target=h/arrival=constant/rate=50/n=5/connections=3": {
			Requests: get[1:], Tasks: 5, MaxInFlight: attack.Unlimited, Connections: 3},
		"target=h/arrival=constant/rate=50/n=5/max-in-flight=64": {
			Requests: get[1:], Tasks: 5, MaxInFlight: 64},
	} {
		if got := a.Name(); got != "Attack/"+want+"/clock=real" {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
