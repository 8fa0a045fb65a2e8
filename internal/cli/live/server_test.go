package live

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/encoding/protodelim"

	"github.com/poolbench/poolbench/internal/machine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func serve(t *testing.T) (*Server, *Window, *machine.Meter) {
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

func (c *Window) at(n int) float64 {
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
		m.Settle(i, machine.Completed, 0, time.Millisecond)
	}
	m.Settle(1, machine.Shed, 0, 0)
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

// scrape requests native histograms, as Prometheus does.
func scrape(t *testing.T, s *Server) map[string]*dto.MetricFamily {
	t.Helper()
	q, err := http.NewRequest(http.MethodGet, s.URL()+"metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Accept", "application/vnd.google.protobuf;"+
		"proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,text/plain;q=0.5")
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	all := map[string]*dto.MetricFamily{}
	for from := bufio.NewReader(r.Body); ; {
		family := new(dto.MetricFamily)
		switch err := protodelim.UnmarshalFrom(from, family); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatal(err)
		}
		all[family.GetName()] = family
	}
}

// Each response must be in one bucket of both the native and the classic histogram of its status.
func TestResponseHistogram(t *testing.T) {
	s, _, m := serve(t)
	defer s.Close(nil)
	m.Begin(machine.Run{Settled: func() uint64 { return 0 }})
	given := []time.Duration{0, 1, 1500 * time.Microsecond, 1500 * time.Microsecond,
		40 * time.Millisecond, 41 * time.Millisecond, time.Hour}
	for i, d := range given {
		m.Settle(uint64(i), machine.Completed, 200, d)
	}
	m.Settle(1, machine.Throttled, 429, time.Millisecond)
	m.Settle(1, machine.Failed, 0, time.Second)
	family := scrape(t, s)["poolbench_response_duration_seconds"]
	got := map[string]*dto.Histogram{}
	for _, metric := range family.GetMetric() {
		key := ""
		for _, l := range metric.Label {
			key += l.GetName() + "=" + l.GetValue() + " "
		}
		got[key] = metric.Histogram
	}
	if len(got) != 3 || got["outcome=throttled status=429 "].GetSampleCount() != 1 ||
		got["outcome=failed "].GetSampleCount() != 1 {
		t.Fatalf("%v", got)
	}
	h := got["outcome=completed status=200 "]
	if h.GetSampleCount() != 7 || math.Abs(h.GetSampleSum()/3600.084-1) > 0.03 ||
		h.GetSchema() != 3 || h.GetZeroCount() != 1 || h.GetCreatedTimestamp() == nil {
		t.Errorf("%v", h)
	}
	below := map[float64]uint64{}
	for _, b := range h.Bucket {
		below[b.GetUpperBound()] = b.GetCumulativeCount()
	}
	if below[0.0001] != 2 || below[0.001] != 2 || below[0.002] != 4 || below[0.05] != 6 ||
		below[100] != 6 {
		t.Errorf("classic: %v", below)
	}
	index, count, next := int32(0), int64(0), 1
	deltas := h.PositiveDelta
	for _, span := range h.PositiveSpan {
		index += span.GetOffset()
		for range span.GetLength() {
			count += deltas[0]
			deltas = deltas[1:]
			low, high := math.Exp2(float64(index-1)/8), math.Exp2(float64(index)/8)
			for range count {
				if d := given[next].Seconds(); d < low*0.968 || d > high*1.032 {
					t.Errorf("%v is in the bucket %v to %v", given[next], low, high)
				}
				next++
			}
			index++
		}
	}
	if next != len(given) || len(deltas) != 0 {
		t.Errorf("%d of %d are in native buckets: %v", next-1, len(given)-1, h)
	}
	_, _, text := get(t, s, "metrics")
	for _, want := range []string{
		`duration_seconds_bucket{outcome="completed",status="200",le="0.002"} 4`,
		`duration_seconds_count{outcome="throttled",status="429"} 1`,
		`duration_seconds_count{outcome="failed"} 1`} {
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
	for range maxViewers {
		s.enter()
	}
	if status, _, _ := get(t, s, "events"); status != http.StatusServiceUnavailable {
		t.Errorf("%d", status)
	}
	if err := s.Close(nil); err != nil {
		t.Error(err)
	}
}
