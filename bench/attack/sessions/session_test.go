package sessions

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/bench/attack/requests"
	"github.com/poolbench/poolbench/bench/record"
)

func TestCapture(t *testing.T) {
	answer := func(header http.Header, body string) *checks.Answer {
		a := &checks.Answer{Header: header, Body: []byte(body), Most: checks.MaxBody}
		return a
	}
	order := http.Header{"Location": {"/orders/17?x=1"}, "Two": {"a", "b"}}
	for _, c := range []struct {
		text, body string
		want       requests.Value
		err        string
	}{
		{"a = json:.t.0", `{"t": ["x\"y"]}`, requests.Value{Text: `x"y`}, ""},
		{"a=json:t", `{"t": 1e2}`, requests.Value{Text: "1e2", JSON: true}, ""},
		{"a = json:.t", `{"t": {"b": [1, 2]}}`, requests.Value{Text: `{"b": [1, 2]}`, JSON: true}, ""},
		{"a = json:.", `"s"`, requests.Value{Text: "s"}, ""},
		{"a = json:.t", `{"u": 1}`, requests.Value{}, "capture a: it is not there"},
		{"a = json:.t", `{"t": 1`, requests.Value{}, "capture a: the body is not JSON"},
		{"a = header:location", "", requests.Value{Text: "/orders/17?x=1"}, ""},
		{"a = header:Two", "", requests.Value{Text: "a, b"}, ""},
		{`a = header:Location regexp:/orders/(\d+)`, "", requests.Value{Text: "17"}, ""},
		{`a = header:Location regexp:\d+\?`, "", requests.Value{Text: "17?"}, ""},
		{"a = header:Location regexp:^x", "", requests.Value{}, "capture a: it is not there"},
		{"a = header:No", "", requests.Value{}, "capture a: it is not there"},
		{"a = regexp:v=\"(=[^\"]*)\"", `<v="=1">`, requests.Value{Text: "=1"}, ""},
		{"a = regexp:x{3}", "xx", requests.Value{}, "capture a: it is not there"},
		{"a = regexp:x+", strings.Repeat("x", MaxCaptured), requests.Value{
			Text: strings.Repeat("x", MaxCaptured)}, ""},
		{"a = regexp:x+", strings.Repeat("x", MaxCaptured+1), requests.Value{},
			"capture a: it is longer than 64 KiB"},
	} {
		capture, err := ParseCapture(c.text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := capture.Take(answer(order, c.body))
		if why := ""; err != nil || c.err != "" {
			if err != nil {
				why = err.Error()
			}
			if why != c.err {
				t.Errorf("%s of %.40s: %v, want %s", c.text, c.body, err, c.err)
			}
		}
		if got != c.want {
			t.Errorf("%s of %.40s is %.80q, want %.80q", c.text, c.body, got.Text, c.want.Text)
		}
	}
	cut := answer(nil, "xx")
	cut.Cut = true
	for text, want := range map[string]string{"a = regexp:y": "1 MiB", "a = json:.": "1 MiB"} {
		capture, _ := ParseCapture(text)
		if _, err := capture.Take(cut); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s of a body that was cut: %v", text, err)
		}
	}
}

// The think time must depend only on seed, session and step.
func TestThinking(t *testing.T) {
	think := func(text string) Think {
		d, err := ParseThink(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	s := &Session{Steps: []Step{{}, {Think: think("exp(1s)")}, {Think: think("250ms")},
		{Think: think("exp(1s)")}}}
	seen := map[time.Duration]bool{}
	var sum time.Duration
	const n = 4000
	for i := range uint64(n) {
		all := []time.Duration{s.Thinking(7, i, 1), s.Thinking(7, i, 3)}
		for _, d := range all {
			seen[d] = true
			sum += d
		}
		if s.Thinking(7, i, 0) != 0 || s.Thinking(7, i, 2) != 250*time.Millisecond ||
			s.Thinking(7, i, 1) != all[0] || s.Thought(7, i) != all[0]+all[1]+250*time.Millisecond {
			t.Fatal("it is another one when it is asked again")
		}
		if s.Thinking(8, i, 1) == all[0] {
			t.Error("the seed does not matter")
		}
	}
	// 5 standard errors of 1/√(2n) for the mean of 2n exponential times
	if mean := sum.Seconds() / (2 * n); mean < 1-0.056 || mean > 1+0.056 || len(seen) < 2*n-2 {
		t.Errorf("the mean is %v s, of %d different times", mean, len(seen))
	}
}

// Items must be taken in order of due time, then of insertion. A waiting goroutine must be woken.
func TestAgenda(t *testing.T) {
	a := NewAgenda[int64](nil)
	var adding sync.WaitGroup
	const each = 500
	for g := range uint64(8) {
		adding.Go(func() {
			random := rand.New(rand.NewPCG(1, g))
			for range each {
				due := random.Int64N(100)
				a.Begin()
				a.Add(due, due)
			}
		})
	}
	adding.Wait()
	select {
	case <-a.Called:
	default:
		t.Error("nobody was called")
	}
	last := int64(-1)
	for range 8 * each {
		what, due, ok, _ := a.Look(func() {})
		if got := a.Pop(); !ok || what != due || got != due || due < last {
			t.Fatalf("%d of %d behind %d", what, due, last)
		}
		last = due
		a.End()
	}
	if _, _, ok, live := a.Look(func() {}); ok || live != 0 {
		t.Errorf("%v, %d are left", ok, live)
	}
	for i := range int64(3) {
		a.Add(5, i)
	}
	if got := []int64{a.Pop(), a.Pop(), a.Pop()}; !slices.Equal(got, []int64{0, 1, 2}) {
		t.Errorf("those that are due together come as %v", got)
	}
}

// Partial tallies must add up to the whole, after encoding and decoding.
func TestTally(t *testing.T) {
	s := &Session{Steps: []Step{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
	whole, parts := NewTally(s), []*Tally{NewTally(s), NewTally(s), NewTally(s)}
	random := rand.New(rand.NewPCG(1, 2))
	requests := 0
	for i := range 900 {
		outcome, settled, response := record.Completed, 0, int64(0)
		for settled < 3 && outcome == record.Completed {
			if random.IntN(9) == 0 {
				outcome = record.Failed + record.Outcome(random.IntN(4))
			}
			took := random.Int64N(1e9)
			for _, to := range []*Tally{whole, parts[i%2]} { // the third tally stays empty
				to.Step(settled, RequestOutcome{Outcome: outcome, Status: 200 + int(took%3),
					Sent: 3, Received: took % 100, Response: took, Service: took})
			}
			response += took
			settled++
			requests++
		}
		for _, to := range []*Tally{whole, parts[i%2]} {
			to.End(settled, outcome, response, response, 2*response)
		}
	}
	sum := NewTally(s)
	for _, p := range parts {
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var read Tally
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		if err := sum.Merge(&read); err != nil {
			t.Fatal(err)
		}
	}
	metrics := func(t *Tally) (all []any) {
		t.Metrics(strconv.Itoa, func(unit string, v float64) {
			if !strings.Contains(unit, "mean") { // rounding depends on the order of addition
				all = append(all, unit, v)
			}
		})
		return all
	}
	if diff := cmp.Diff(metrics(whole), metrics(sum)); diff != "" || len(metrics(sum)) < 40 {
		t.Error(diff, len(metrics(sum)))
	}
	if whole.Broken(requests) != "" || sum.Broken(requests) != "" || sum.Broken(requests+1) == "" {
		t.Error(whole.Broken(requests), sum.Broken(requests))
	}
	sum.Steps[1].Unsent++
	if !strings.Contains(sum.Broken(requests), "step b") {
		t.Error("a session that was lost breaks nothing")
	}
	if err := sum.Merge(NewTally(&Session{})); err == nil {
		t.Error("other steps were added")
	}
}
