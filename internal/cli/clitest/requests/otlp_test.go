package requests

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	"google.golang.org/protobuf/proto"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

func TestOTLP(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	var last atomic.Pointer[collector.ExportMetricsServiceRequest]
	var refuse, silent atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		request := new(collector.ExportMetricsServiceRequest)
		if err := proto.Unmarshal(body, request); err != nil {
			t.Error(err)
		}
		last.Store(request)
		if silent.Load() {
			<-r.Context().Done()
		}
		if refuse.Load() {
			http.Error(w, "no", http.StatusForbidden)
		}
	}))
	defer server.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	url, _ := clitest.Shop(t, 404)
	secret := strings.Replace(url, "http://", "http://user:s3cret@", 1) + "/?token=s3cret"
	args := []string{"attack", secret, "--clients", "2", "--duration", "1100ms", "--quiet"}
	clitest.Attacked(t, args...)
	text := last.Load().String()
	if strings.Contains(text, "s3cret") || !strings.Contains(text, "poolbench.response.duration") {
		t.Errorf("exported: %.2000s", text)
	}
	refuse.Store(true)
	o := clitest.Attacked(t, args...)
	if !strings.Contains(o.Stderr, "OTLP: the last values were not delivered: ") ||
		strings.Contains(o.Stderr, "s3cret") {
		t.Errorf("no complaint: %s", o.Stderr)
	}
	silent.Store(true)
	o = clitest.Attacked(t, args...)
	if !strings.Contains(o.Stderr, "OTLP: the last values were not delivered: the collector did not "+
		"answer within 2s") {
		t.Errorf("no complaint: %s", o.Stderr)
	}
}
