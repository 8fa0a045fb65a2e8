package live

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"go.uber.org/goleak"

	"github.com/poolbench/poolbench/internal/machine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func serve(t *testing.T) (*Server, *Course, *machine.Meter) {
	t.Helper()
	m := new(machine.Meter)
	c := NewCourse(m, func() Plan { return Plan{Done: 1, Planned: 3, Left: time.Minute} })
	s, err := Serve("127.0.0.1:0", false, "run <script>alert(1)</script>", c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return s, c, m
}

func get(t *testing.T, s *Server, path string) (status int, header http.Header, body string) {
	t.Helper()
	r, err := http.Get(s.URL() + path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, r.Header, string(text)
}

// viewer reads the events until their end, and calls see with each frame.
func viewer(s *Server, see func(Frame)) error {
	r, err := http.Get(s.URL() + "events")
	if err != nil {
		return err
	}
	defer r.Body.Close()
	lines := bufio.NewScanner(r.Body)
	for lines.Scan() {
		if lines.Text() == "event: end" {
			return nil
		}
		if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			var f Frame
			if err := json.Unmarshal([]byte(text), &f); err != nil {
				return err
			}
			see(f)
		}
	}
	return errors.Join(errors.New("the events end without saying so"), lines.Err())
}

func TestEvents(t *testing.T) {
	s, c, _ := serve(t)
	start := time.Now()
	const frames, viewers = 20, 10
	var seen sync.WaitGroup
	var all sync.WaitGroup
	watch := func() {
		seen.Add(1)
		all.Go(func() {
			n := 0
			err := viewer(s, func(f Frame) {
				if n++; f.At != c.at(n) {
					t.Errorf("frame %d is of %v s", n, f.At)
				}
				if n == 10 {
					seen.Done()
				}
			})
			if err != nil || n != frames {
				t.Errorf("%d frames of %d, error %v", n, frames, err)
			}
			if status, _, body := get(t, s, "report"); status != 200 || body != "the report" {
				t.Errorf("%d %q", status, body)
			}
		})
	}
	for range viewers - 1 {
		watch()
	}
	step := func(n int) {
		for range n {
			start = start.Add(time.Second)
			c.Step(start)
		}
	}
	step(10)
	seen.Wait()
	watch() // a late viewer
	seen.Wait()
	step(frames - 10)
	if status, _, _ := get(t, s, "report"); status != 404 {
		t.Errorf("there is a report before the end: %d", status)
	}
	if err := s.Close(func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("the report")), nil
	}); err != nil {
		t.Error(err)
	}
	all.Wait()
	if s.viewers != 0 {
		t.Errorf("%d viewers are remembered that are gone", s.viewers)
	}
}

// at returns the time of frame n, from 1.
func (c *Course) at(n int) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.frames[n-1].At
}

func TestPage(t *testing.T) {
	s, _, _ := serve(t)
	defer s.Close(nil)
	status, header, body := get(t, s, "")
	if status != 200 || strings.Contains(body, "<script>alert") ||
		!strings.Contains(body, "&lt;script&gt;alert") {
		t.Errorf("%d %s", status, body)
	}
	if policy := header.Get("Content-Security-Policy"); !strings.HasPrefix(policy,
		"default-src 'none'; connect-src 'self'; style-src 'sha256-") {
		t.Error(policy)
	}
	for _, path := range []string{"x", "events/", "../etc"} {
		if status, _, _ := get(t, s, path); status != 404 {
			t.Errorf("/%s: %d", path, status)
		}
	}
	r, err := http.NewRequest(http.MethodGet, s.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "evil.example"
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusForbidden {
		t.Errorf("asked for as %s: %d", r.Host, answer.StatusCode)
	}
}

func TestMetrics(t *testing.T) {
	s, c, m := serve(t)
	defer s.Close(nil)
	now := time.Now()
	lint := func() (text string) {
		_, _, text = get(t, s, "metrics")
		problems, err := promlint.New(strings.NewReader(text)).Lint()
		if err != nil || len(problems) > 0 {
			t.Errorf("%v, error %v:\n%s", problems, err, text)
		}
		return text
	}
	lint()
	m.Begin(machine.Run{Name: "a\"b\\c\nd\xff", Limit: 4, Settled: func() uint64 { return 5000 },
		InFlight: func() int64 { return 3 }})
	c.Step(now)
	for i := range uint64(2000) {
		m.Settle(i, machine.Completed, time.Millisecond)
	}
	m.Settle(1, machine.Shed, 0)
	c.Step(now.Add(time.Second))
	text := lint()
	for _, want := range []string{`run_info{run="a\"b\\c\nd` + "\uFFFD" + `"} 1`,
		"tasks_in_flight 3", `not_completed_total{outcome="shed"} 1`, "left_seconds 60",
		`recent_response_p99_seconds 0.00099`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

func TestNoReport(t *testing.T) {
	s, c, _ := serve(t)
	c.Step(time.Now())
	ended := make(chan error, 1)
	began := make(chan struct{})
	go func() { ended <- viewer(s, func(Frame) { close(began) }) }()
	<-began
	if err := s.Close(nil); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestTooMany(t *testing.T) {
	s, _, _ := serve(t)
	for range mostViewers {
		s.enter()
	}
	if status, _, _ := get(t, s, "events"); status != http.StatusServiceUnavailable {
		t.Errorf("%d", status)
	}
	if err := s.Close(nil); err != nil {
		t.Error(err)
	}
}
