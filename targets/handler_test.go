package targets_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/targets"
)

// answers is a Target that returns err. If err is a refusal, it does not call the work.
type answers struct{ err error }

func (a answers) Call(
	ctx context.Context, seq uint64, work func(context.Context, uint64) error,
) error {
	if a.err != nil {
		return a.err
	}
	return work(ctx, seq)
}

func serve(h http.Handler, body io.Reader) *http.Response {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/any/path?x=1", body))
	return w.Result()
}

func text(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestHandlerAnswers(t *testing.T) {
	throttled := func(d time.Duration) error {
		return fmt.Errorf("wrapped: %w", &targets.Throttled{RetryAfter: d})
	}
	for _, c := range []struct {
		err        error
		status     int
		retryAfter string
		body       string
	}{
		{nil, 200, "", ""},
		{errors.New("one\ntwo\r\n three"), 500, "", "one two three\n"},
		{targets.ErrThrottled, 429, "", "throttled: refused by the target\n"},
		{throttled(0), 429, "", "wrapped: throttled: refused by the target\n"},
		{&targets.Throttled{Refusal: targets.Unavailable}, 503, "",
			"throttled: refused by the target (unavailable)\n"},
		{&targets.Throttled{RetryAfter: 10 * time.Minute, Refusal: targets.Banned}, 403, "600",
			"throttled: refused by the target (banned), retry after 10m0s\n"},
		{throttled(1), 429, "1", "wrapped: throttled: refused by the target, retry after 1ns\n"},
		{throttled(time.Second), 429, "1",
			"wrapped: throttled: refused by the target, retry after 1s\n"},
		{throttled(time.Second + 1), 429, "2",
			"wrapped: throttled: refused by the target, retry after 1.000000001s\n"},
		{throttled(math.MaxInt64), 429, "9223372037",
			"wrapped: throttled: refused by the target, retry after 2562047h47m16.854775807s\n"},
	} {
		r := serve(targets.Handler(answers{c.err}, nothing), strings.NewReader("ignored"))
		if got := text(t, r); r.StatusCode != c.status ||
			r.Header.Get("Retry-After") != c.retryAfter || got != c.body {
			t.Errorf("%v: status %d, Retry-After %q, body %q; want %d, %q, %q", c.err, r.StatusCode,
				r.Header.Get("Retry-After"), got, c.status, c.retryAfter, c.body)
		}
		if _, set := r.Header["Retry-After"]; set != (c.retryAfter != "") {
			t.Errorf("%v: Retry-After is %q", c.err, r.Header["Retry-After"])
		}
	}
}

func TestHandlerQuotaFields(t *testing.T) {
	type answer struct{ status, policy, limit, retryAfter string }
	for s, want := range map[string][]answer{
		"none": {{"200", "", "", ""}},
		// no w, because 100 ms is not a whole number of seconds
		"token_bucket:rate=100,burst=10": {{"200", `"default";q=10`, `"default";r=9;t=1`, ""}},
		"token_bucket:rate=0.5,burst=30": {{"200", `"default";q=30;w=60`,
			`"default";r=29;t=2`, ""}},
		"leaky_bucket:rate=0.3,queue=0": {{"200", `"default";q=1`, `"default";r=0;t=4`, ""},
			{"429", `"default";q=1`, `"default";r=0;t=4`, "4"}},
		"fixed_window:limit=1,window=1m": {{"200", `"default";q=1;w=60`, `"default";r=0;t=60`, ""},
			{"429", `"default";q=1;w=60`, `"default";r=0;t=60`, "60"}},
		"sliding_window:limit=2,window=1500ms": {{"200", `"default";q=2`, `"default";r=1;t=2`, ""},
			{"200", `"default";q=2`, `"default";r=0;t=2`, ""},
			{"429", `"default";q=2`, `"default";r=0;t=2`, "2"}},
		"sec_ban:limit=1,tolerance=0": {{"200", `"default";q=1;w=1`, `"default";r=0;t=1`, ""},
			{"403", `"default";q=1;w=1`, `"default";r=0;t=600`, "600"}},
		"concurrency_cap": {{"200", `"default";q=10;qu="concurrent-requests"`,
			`"default";r=10`, ""}},
		"conn_pool:conns=2": {{"200", `"default";q=2;qu="concurrent-requests"`,
			`"default";r=2`, ""}},
		// the draft allows at most 15 digits
		"fixed_window:limit=9999999999999999": {{"200", `"default";q=999999999999999;w=1`,
			`"default";r=999999999999999;t=1`, ""}},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := targets.Handler(build(t, s), nothing)
			for i, want := range want {
				r := serve(h, nil)
				got := answer{strconv.Itoa(r.StatusCode), r.Header.Get("RateLimit-Policy"),
					r.Header.Get("RateLimit"), r.Header.Get("Retry-After")}
				if got != want {
					t.Errorf("%s, answer %d: %q, want %q", s, i, got, want)
				}
			}
		})
	}
}

// The handler reads the quota after the call. Until then other calls may use it up.
func TestHandlerRetriesNotBeforeTheReset(t *testing.T) {
	r := serve(targets.Handler(late{}, nothing), nil)
	if got := r.Header.Get("Retry-After"); got != "7" ||
		r.Header.Get("RateLimit") != `"default";r=0;t=7` {
		t.Errorf("Retry-After %q, RateLimit %q", got, r.Header.Get("RateLimit"))
	}
}

type late struct{}

func (late) Call(context.Context, uint64, func(context.Context, uint64) error) error {
	return &targets.Throttled{RetryAfter: 3 * time.Second}
}

func (late) Quota() targets.Quota {
	return targets.Quota{Limit: 1, Window: time.Second, Reset: 7 * time.Second}
}

func TestHandlerNumbersItsCalls(t *testing.T) {
	var seqs []uint64
	h := targets.Handler(build(t, "token_bucket:burst=3,rate=0.000001"),
		func(_ context.Context, seq uint64) error {
			seqs = append(seqs, seq)
			return nil
		})
	var statuses []int
	for range 4 {
		statuses = append(statuses, serve(h, nil).StatusCode)
	}
	if fmt.Sprint(seqs) != "[0 1 2]" || fmt.Sprint(statuses) != "[200 200 200 429]" {
		t.Errorf("served %v with statuses %v", seqs, statuses)
	}
}

// endless is an infinite body that counts the bytes read.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) { e.read += len(p); return len(p), nil }

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestHandlerBoundsTheBody(t *testing.T) {
	called := false
	h := targets.Handler(answers{}, func(context.Context, uint64) error {
		called = true
		return nil
	})
	body := new(endless)
	if r := serve(h, body); r.StatusCode != http.StatusRequestEntityTooLarge ||
		text(t, r) != "the body is larger than 1 MiB\n" {
		t.Errorf("an endless body gives %v", r.Status)
	}
	if body.read > 2<<20 {
		t.Errorf("it read %d bytes of it", body.read)
	}
	if r := serve(h, broken{}); r.StatusCode != http.StatusBadRequest || called {
		t.Errorf("a broken body gives %v; called: %v", r.Status, called)
	}
	if r := serve(h, strings.NewReader(strings.Repeat("x", 1<<20))); r.StatusCode != 200 ||
		!called {
		t.Errorf("a body of 1 MiB gives %v; called: %v", r.Status, called)
	}
}

// The server must detect the disconnection also if the request has a body.
func TestHandlerEndsTheWorkWithTheClient(t *testing.T) {
	began, ended := make(chan struct{}), make(chan error, 1)
	server := httptest.NewServer(targets.Handler(build(t, "none"),
		func(ctx context.Context, _ uint64) error {
			close(began)
			<-ctx.Done()
			ended <- ctx.Err()
			return ctx.Err()
		}))
	defer server.Close()
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-began
		cancel()
	}()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL,
		strings.NewReader("some body"))
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := server.Client().Do(r); !errors.Is(err, context.Canceled) {
		t.Errorf("the client got %v, %v", resp, err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the work ended with %v", err)
	}
}
