package targets_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/targets"
)

// answers is a Target that answers with an error, without calling the work if it is a refusal.
type answers struct{ err error }

func (a answers) Call(ctx context.Context, seq uint64, work func(context.Context, uint64) error) error {
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
	throttled := func(d time.Duration) error { return fmt.Errorf("wrapped: %w", &targets.Throttled{RetryAfter: d}) }
	for _, c := range []struct {
		err        error
		status     int
		retryAfter string
		body       string
	}{
		{nil, 200, "", ""},
		{errors.New("one\ntwo\r\n three"), 500, "", "one two three\n"},
		{targets.ErrThrottled, 429, "", "throttled: refused by the target\n"},
		{throttled(0), 429, "0", "wrapped: throttled: refused by the target, retry after 0s\n"},
		{throttled(1), 429, "1", "wrapped: throttled: refused by the target, retry after 1ns\n"},
		{throttled(time.Second), 429, "1", "wrapped: throttled: refused by the target, retry after 1s\n"},
		{throttled(time.Second + 1), 429, "2", "wrapped: throttled: refused by the target, retry after 1.000000001s\n"},
		{throttled(math.MaxInt64), 429, "9223372037", "wrapped: throttled: refused by the target, retry after 2562047h47m16.854775807s\n"},
	} {
		r := serve(targets.Handler(answers{c.err}, nothing), strings.NewReader("ignored"))
		if got := text(t, r); r.StatusCode != c.status || r.Header.Get("Retry-After") != c.retryAfter || got != c.body {
			t.Errorf("%v: status %d, Retry-After %q, body %q; want %d, %q, %q", c.err, r.StatusCode, r.Header.Get("Retry-After"), got, c.status, c.retryAfter, c.body)
		}
		if _, set := r.Header["Retry-After"]; set != (c.retryAfter != "") {
			t.Errorf("%v: Retry-After is %q", c.err, r.Header["Retry-After"])
		}
	}
}

func TestHandlerNumbersItsCalls(t *testing.T) {
	var seqs []uint64
	h := targets.Handler(build(t, "token_bucket:burst=3,rate=0.000001"), func(_ context.Context, seq uint64) error {
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

// endless is a body that never ends; it counts what is read of it.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) { e.read += len(p); return len(p), nil }

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestHandlerBoundsTheBody(t *testing.T) {
	called := false
	h := targets.Handler(answers{}, func(context.Context, uint64) error { called = true; return nil })
	body := new(endless)
	if r := serve(h, body); r.StatusCode != http.StatusRequestEntityTooLarge || text(t, r) != "the body is larger than 1 MiB\n" {
		t.Errorf("an endless body gives %v", r.Status)
	}
	if body.read > 2<<20 {
		t.Errorf("it read %d bytes of it", body.read)
	}
	if r := serve(h, broken{}); r.StatusCode != http.StatusBadRequest || called {
		t.Errorf("a broken body gives %v; called: %v", r.Status, called)
	}
	if r := serve(h, strings.NewReader(strings.Repeat("x", 1<<20))); r.StatusCode != 200 || !called {
		t.Errorf("a body of 1 MiB gives %v; called: %v", r.Status, called)
	}
}

// Over a real connection, a client that goes away ends the work, with a body in the request too.
func TestHandlerEndsTheWorkWithTheClient(t *testing.T) {
	began, ended := make(chan struct{}), make(chan error, 1)
	server := httptest.NewServer(targets.Handler(build(t, "none"), func(ctx context.Context, _ uint64) error {
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
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader("some body"))
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
