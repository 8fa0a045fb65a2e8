package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
)

// Each metric has the attribute run, the name of a run's result. Tasks also has the attribute
// outcome.
const (
	Tasks    = "poolbench.tasks"           // ended tasks, by outcome
	Sent     = "poolbench.tasks.sent"      // tasks that began
	InFlight = "poolbench.tasks.in_flight" // tasks in flight
	// response time of completed tasks from their due time, in seconds
	Response = "poolbench.response.duration"
)

// bounds are the upper bounds of the response buckets, in seconds.
var bounds = []float64{0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5,
	1, 2, 5, 10, 20, 50, 100}

// Defaults, and the time limits of an export and of End.
const (
	defaultInterval = 5 * time.Second
	maxExport       = 5 * time.Second
	maxEnd          = 2 * time.Second
)

// *otlpmetrichttp.Exporter implements client.
type client interface {
	Export(context.Context, *metricdata.ResourceMetrics) error
	Shutdown(context.Context) error
}

// A nil Exporter does nothing.
type Exporter struct {
	client   client
	of       *resource.Resource
	interval time.Duration
	begun    time.Time
	ctx      context.Context // of all exports
	cancel   context.CancelFunc

	mu        sync.Mutex
	series    map[string]*series // by run
	exported  time.Time
	exporting bool
	wrong     error // error of the last export
	done      sync.WaitGroup
}

// series contains the data of the runs with one name.
type series struct {
	earlier, now counts // counts of finished repetitions, and of the current one
	inFlight     *int64
	buckets      []uint64
	count        uint64
	sum          float64
	changed      bool
}

var outcomes = [...]string{"abandoned", "completed", "failed", "gave up", "shed", "throttled"}

type counts struct {
	sent     uint64
	outcomes [len(outcomes)]uint64
}

// set returns the endpoint for metrics in the environment, and the variable that sets it.
func set() (endpoint, variable string) {
	if os.Getenv("OTEL_SDK_DISABLED") == "true" || os.Getenv("OTEL_METRICS_EXPORTER") == "none" {
		return "", ""
	}
	for _, variable := range []string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
		"OTEL_EXPORTER_OTLP_ENDPOINT"} {
		if endpoint := os.Getenv(variable); endpoint != "" {
			return endpoint, variable
		}
	}
	return "", ""
}

// Start returns nil if the environment names no collector. Its error does not contain values of
// variables, because these may contain a password.
func Start(ctx context.Context) (*Exporter, error) {
	endpoint, variable := set()
	if endpoint == "" {
		return nil, nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, fmt.Errorf("$%s: want http://… or https://…", variable)
	}
	protocol := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL"),
		os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"), "http/protobuf")
	if protocol != "http/protobuf" {
		return nil, fmt.Errorf("$OTEL_EXPORTER_OTLP_PROTOCOL: %q is not supported: want "+
			"http/protobuf", protocol)
	}
	x := newExporter()
	if text := os.Getenv("OTEL_METRIC_EXPORT_INTERVAL"); text != "" {
		ms, err := strconv.Atoi(text)
		if err != nil || ms < 1 {
			return nil, errors.New("$OTEL_METRIC_EXPORT_INTERVAL: want milliseconds, 1 or more")
		}
		x.interval = time.Duration(ms) * time.Millisecond
	}
	x.of, err = resource.New(ctx, resource.WithAttributes(
		attribute.String("service.name", "poolbench")), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("$OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	// No retries, because the next export contains the counts of a failed one.
	x.client, err = otlpmetrichttp.New(ctx,
		otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{}))
	if err != nil {
		return nil, fmt.Errorf("$%s: %w", variable, err)
	}
	return x, nil
}

func newExporter() *Exporter {
	x := &Exporter{interval: defaultInterval, begun: time.Now(), series: map[string]*series{}}
	x.ctx, x.cancel = context.WithCancel(context.Background())
	return x
}

// Record exports the data in a goroutine, one export at a time.
func (x *Exporter) Record(s Second) {
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	run := strings.ToValidUTF8(s.Run, "\uFFFD")
	of := x.series[run]
	if of == nil {
		of = &series{buckets: make([]uint64, len(bounds)+1)}
		x.series[run] = of
	}
	of.now = counts{s.Sent, [...]uint64{s.Abandoned, s.Completed, s.Failed, s.GaveUp, s.Shed,
		s.Throttled}}
	of.inFlight, of.changed = s.InFlight, true
	s.Responses.Each(func(response time.Duration, n uint64) {
		at, _ := slices.BinarySearch(bounds, response.Seconds())
		of.buckets[at] += n
		of.count += n
		of.sum += float64(n) * response.Seconds()
	})
	if s.Over {
		of.earlier.add(of.now)
		of.now, of.inFlight = counts{}, nil
	}
	if now := time.Now(); !x.exporting && now.Sub(x.exported) >= x.interval {
		x.exporting, x.exported = true, now
		data := x.data(now)
		x.done.Go(func() { x.export(data) })
	}
}

func (c *counts) add(other counts) {
	c.sent += other.sent
	for i, n := range other.outcomes {
		c.outcomes[i] += n
	}
}

func (x *Exporter) export(data *metricdata.ResourceMetrics) {
	ctx, cancel := context.WithTimeout(x.ctx, maxExport)
	defer cancel()
	err := x.client.Export(ctx, data)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.exporting, x.wrong = false, err
}

// data returns the changes since the last call. The caller holds mu.
func (x *Exporter) data(now time.Time) *metricdata.ResourceMetrics {
	tasks := metricdata.Sum[int64]{Temporality: metricdata.CumulativeTemporality, IsMonotonic: true}
	sent := tasks
	var inFlight metricdata.Gauge[int64]
	response := metricdata.Histogram[float64]{Temporality: metricdata.CumulativeTemporality}
	for _, run := range slices.Sorted(maps.Keys(x.series)) {
		of := x.series[run]
		if !of.changed {
			continue
		}
		of.changed = false
		name := attribute.String("run", run)
		all := of.earlier
		all.add(of.now)
		number := func(n uint64, more ...attribute.KeyValue) metricdata.DataPoint[int64] {
			return metricdata.DataPoint[int64]{Attributes: attribute.NewSet(append(more, name)...),
				StartTime: x.begun, Time: now, Value: int64(n)}
		}
		for i, n := range all.outcomes {
			tasks.DataPoints = append(tasks.DataPoints,
				number(n, attribute.String("outcome", outcomes[i])))
		}
		sent.DataPoints = append(sent.DataPoints, number(all.sent))
		if of.inFlight != nil {
			inFlight.DataPoints = append(inFlight.DataPoints, number(uint64(*of.inFlight)))
		}
		response.DataPoints = append(response.DataPoints, metricdata.HistogramDataPoint[float64]{
			Attributes: attribute.NewSet(name), StartTime: x.begun, Time: now, Count: of.count,
			Sum: of.sum, Bounds: bounds, BucketCounts: slices.Clone(of.buckets)})
	}
	metrics := []metricdata.Metrics{
		{Name: Tasks, Unit: "{task}", Description: "Tasks that ended.", Data: tasks},
		{Name: Sent, Unit: "{task}", Description: "Tasks that were sent.", Data: sent},
		{Name: Response, Unit: "s", Description: "Response time, from the due time, of completed " +
			"tasks.",
			Data: response}}
	if len(inFlight.DataPoints) > 0 {
		metrics = append(metrics, metricdata.Metrics{Name: InFlight, Unit: "{task}",
			Description: "Tasks that run.", Data: inFlight})
	}
	return &metricdata.ResourceMetrics{Resource: x.of, ScopeMetrics: []metricdata.ScopeMetrics{{
		Scope:   instrumentation.Scope{Name: "github.com/poolbench/poolbench"},
		Metrics: metrics}}}
}

// End exports the data for the last time, and ends, after two seconds at most. It returns the error
// of the last export.
func (x *Exporter) End() error {
	if x == nil {
		return nil
	}
	defer x.cancel()
	defer time.AfterFunc(maxEnd, x.cancel).Stop()
	x.done.Wait()
	x.mu.Lock()
	for _, of := range x.series {
		of.changed = true
	}
	data := x.data(time.Now())
	some := len(x.series) > 0
	x.mu.Unlock()
	if some {
		x.export(data)
	}
	ended := x.client.Shutdown(x.ctx)
	switch err := x.wrong; {
	case err != nil && x.ctx.Err() != nil:
		return fmt.Errorf("OTLP: the last values were not delivered: the collector did not answer "+
			"within %v", maxEnd)
	case err != nil:
		return fmt.Errorf("OTLP: the last values were not delivered: %w", err)
	case ended != nil:
		return fmt.Errorf("OTLP: %w", ended)
	}
	return nil
}
