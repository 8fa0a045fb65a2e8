package attack_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/checks"
)

// The check must include the wait for a slot: ten requests of 10 ms, due every 5 ms at one slot,
// take 10, 15, … 55 ms.
func TestResponseCheck(t *testing.T) {
	check, err := checks.Parse("response <= 30ms")
	if err != nil {
		t.Fatal(err)
	}
	a := attack.Attack{Rate: 200, Tasks: 10, MaxInFlight: 1, Checks: checks.List{check},
		Requests: []attack.Request{{Method: "GET", URL: "http://x/"}}}
	r := inBubble(t, a, func(http.ResponseWriter, *http.Request) {
		time.Sleep(10 * time.Millisecond)
	})
	failed, _ := r.Metric("failed/op")
	want := attack.Count{What: "check failed: response <= 30ms", N: 5}
	if failed != 0.5 || len(r.Errors) != 1 || r.Errors[0] != want {
		t.Errorf("%v failed, %v", failed, r.Errors)
	}
}

// CheckBytes limits the body before and after decompression.
func TestCheckBytes(t *testing.T) {
	const size = 3 << 20
	body := []byte(`{"text":"` + strings.Repeat("x", size) + `","last":7}`)
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = w.Write(body)
	_ = w.Close() // both are in memory
	for name, serve := range map[string]http.HandlerFunc{
		"plain": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) },
		"gzip": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(zipped.Bytes())
		},
	} {
		for most, why := range map[int]string{
			0:       "check failed: json .last == 7 (the body is longer than 1 MiB: raise --check-bytes)",
			2 << 20: "check failed: json .last == 7 (the body is longer than 2 MiB: raise --check-bytes)",
			4 << 20: "",
		} {
			a := attack.Attack{Rate: 200, Tasks: 3, CheckBytes: most,
				Checks:   checkList(t, "json .last == 7"),
				Requests: []attack.Request{{Method: "GET", URL: "http://x/"}}}
			r := inBubble(t, a, serve)
			if why == "" && len(r.Errors) == 0 {
				continue
			}
			if len(r.Errors) != 1 || r.Errors[0] != (attack.Count{What: why, N: 3}) {
				t.Errorf("%s, %d bytes: %v, want %q", name, most, r.Errors, why)
			}
		}
	}
	for _, wrong := range []int{-1, 100, 1<<30 + 1} {
		a := attack.Attack{Tasks: 1, CheckBytes: wrong,
			Requests: []attack.Request{{Method: "GET", URL: "http://x/"}}}
		if err := a.Validate(); err == nil || !strings.Contains(err.Error(), "check-bytes") {
			t.Errorf("%d: %v", wrong, err)
		}
	}
}
