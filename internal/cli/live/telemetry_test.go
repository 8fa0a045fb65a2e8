package live

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	collector "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	otlp "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"

	"github.com/poolbench/poolbench/internal/machine"
)

// receiver is a collector that decodes OTLP messages.
type receiver struct {
	mu       sync.Mutex
	requests []*collector.ExportMetricsServiceRequest
	headers  []http.Header
	paths    []string
	status   int
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	request := new(collector.ExportMetricsServiceRequest)
	if err == nil {
		err = proto.Unmarshal(body, request)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests, r.headers = append(r.requests, request), append(r.headers, q.Header)
	r.paths = append(r.paths, q.URL.Path)
	if r.status != 0 {
		http.Error(w, "no", r.status)
		return
	}
	answer, _ := proto.Marshal(new(collector.ExportMetricsServiceResponse))
	w.Header().Set("Content-Type", "application/x-protobuf")
	_, _ = w.Write(answer)
}

func (r *receiver) last(t *testing.T) map[string]*otlp.Metric {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.requests) == 0 {
		t.Fatal("nothing was exported")
	}
	all := map[string]*otlp.Metric{}
	for _, of := range r.requests[len(r.requests)-1].ResourceMetrics {
		for _, scope := range of.ScopeMetrics {
			for _, m := range scope.Metrics {
				all[m.Name] = m
			}
		}
	}
	return all
}

func attributeOf(p *otlp.NumberDataPoint, key string) string {
	for _, a := range p.Attributes {
		if a.Key == key {
			return a.Value.GetStringValue()
		}
	}
	return ""
}

func clear(t *testing.T) {
	for _, name := range []string{"OTEL_SDK_DISABLED", "OTEL_METRICS_EXPORTER",
		"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT",
		"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_METRIC_EXPORT_INTERVAL", "OTEL_SERVICE_NAME"} {
		t.Setenv(name, "")
	}
}

func TestExport(t *testing.T) {
	clear(t)
	var r receiver
	server := httptest.NewServer(&r)
	defer server.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=secret")
	t.Setenv("OTEL_SERVICE_NAME", "nightly")
	t.Setenv("OTEL_METRIC_EXPORT_INTERVAL", "1")
	x, err := Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	const hostile = "Attack/target=\"a\"\n\x00::%0A/clock=real"
	var m machine.Meter
	seconds := NewSeconds(&m)
	at := time.Now()
	step := func() {
		for _, s := range seconds.Step(at) {
			x.Record(s)
		}
		at = at.Add(time.Second)
	}
	for repetition := range 2 {
		settled := uint64(0)
		m.Begin(machine.Run{Name: hostile, Settled: func() uint64 { return settled },
			InFlight: func() int64 { return 4 }})
		for range 100 {
			settled++
			m.Settle(settled, machine.Completed, 0, 3*time.Millisecond)
		}
		step()
		for range 10 + repetition {
			settled++
			m.Settle(settled, machine.Throttled, 0, 0)
		}
		m.End()
		step()
	}
	if err := x.End(); err != nil {
		t.Fatal(err)
	}
	all := r.last(t)
	for _, name := range []string{Tasks, Sent, Response} {
		if all[name] == nil {
			t.Fatalf("no %s among %v", name, all)
		}
	}
	sum := all[Tasks].GetSum()
	const cumulative = otlp.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE
	if !sum.IsMonotonic || sum.AggregationTemporality != cumulative {
		t.Errorf("%v", sum)
	}
	got := map[string]int64{}
	for _, p := range sum.DataPoints {
		if run := attributeOf(p, "run"); !strings.HasPrefix(run, "Attack/target=\"a\"\n") {
			t.Errorf("run %q", run)
		}
		got[attributeOf(p, "outcome")] = p.GetAsInt()
	}
	if got["completed"] != 200 || got["throttled"] != 21 || got["failed"] != 0 || len(got) != 6 {
		t.Errorf("%v", got)
	}
	if n := all[Sent].GetSum().DataPoints[0].GetAsInt(); n != 221 {
		t.Errorf("%d sent, want 221", n)
	}
	h := all[Response].GetHistogram().DataPoints[0]
	if h.Count != 200 || h.GetSum() < 0.58 || h.GetSum() > 0.62 || h.ExplicitBounds[4] != 0.002 ||
		h.BucketCounts[5] != 200 {
		t.Errorf("%v", h)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.paths[0] != "/v1/metrics" || r.headers[0].Get("Api-Key") != "secret" ||
		r.headers[0].Get("Content-Type") != "application/x-protobuf" {
		t.Errorf("%s %v", r.paths[0], r.headers[0])
	}
	service := ""
	for _, a := range r.requests[0].ResourceMetrics[0].Resource.Attributes {
		if a.Key == "service.name" {
			service = a.Value.GetStringValue()
		}
	}
	if service != "nightly" {
		t.Errorf("service %q", service)
	}
}

func TestOff(t *testing.T) {
	clear(t)
	for _, c := range []map[string]string{{}, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h",
		"OTEL_SDK_DISABLED": "true"}, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h",
		"OTEL_METRICS_EXPORTER": "none"}} {
		for name, value := range c {
			t.Setenv(name, value)
		}
		x, err := Start(context.Background())
		if x != nil || err != nil {
			t.Errorf("%v: %v, %v", c, x, err)
		}
		clear(t)
	}
	var none *Exporter
	none.Record(Second{})
	if err := none.End(); err != nil {
		t.Error(err)
	}
	if n := testing.AllocsPerRun(100, func() { none.Record(Second{}) }); n != 0 {
		t.Errorf("off, a second costs %v allocations", n)
	}
}

func TestMistakes(t *testing.T) {
	for name, c := range map[string][2]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": {"user:s3cret@host", "want http://… or https://…"},
		"OTEL_EXPORTER_OTLP_PROTOCOL": {"grpc", `"grpc" is not supported: want http/protobuf`},
		"OTEL_METRIC_EXPORT_INTERVAL": {"5s", "want milliseconds, 1 or more"},
	} {
		clear(t)
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
		t.Setenv(name, c[0])
		_, err := Start(context.Background())
		if err == nil || !strings.Contains(err.Error(), "$"+name+": ") ||
			!strings.Contains(err.Error(), c[1]) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s=%s: %v", name, c[0], err)
		}
	}
}

func TestRefused(t *testing.T) {
	clear(t)
	r := receiver{status: http.StatusServiceUnavailable}
	server := httptest.NewServer(&r)
	defer server.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	x, err := Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	x.Record(Second{Run: "a", Sent: 1})
	if err := x.End(); err == nil || !strings.HasPrefix(err.Error(),
		"OTLP: the last values were not delivered: ") {
		t.Errorf("%v", err)
	}
}

type silent struct{ ended int }

func (c *silent) Export(ctx context.Context, _ *metricdata.ResourceMetrics) error {
	<-ctx.Done()
	return ctx.Err()
}

func (c *silent) Shutdown(context.Context) error {
	c.ended++
	return nil
}

func TestSilent(t *testing.T) {
	for _, going := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			x, c := newExporter(), new(silent)
			x.client = c
			if !going {
				x.exported = time.Now()
			}
			x.Record(Second{Run: "a", Sent: 1})
			synctest.Wait()
			if x.exporting != going {
				t.Errorf("an export goes on: %t, want %t", x.exporting, going)
			}
			begun := time.Now()
			err := x.End()
			if took := time.Since(begun); took != 2*time.Second {
				t.Errorf("the end lasts %v", took)
			}
			if err == nil || err.Error() != "OTLP: the last values were not delivered: the collector "+
				"did not answer within 2s" {
				t.Errorf("%v", err)
			}
			if c.ended != 1 {
				t.Errorf("%d times shut down", c.ended)
			}
		})
	}
}
