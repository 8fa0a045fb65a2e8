package cli

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/poolbench/poolbench/targets"
)

// serveCounts are what `poolbench serve` counts itself.
type serveCounts struct {
	mu       sync.Mutex
	inFlight int
	answers  map[int]int // by status; 0: the handler gave up without one
}

// counting counts the answers of h.
func (c *serveCounts) counting(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		c.inFlight++
		c.mu.Unlock()
		s := &statusWriter{ResponseWriter: w}
		defer func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.inFlight--
			if c.answers == nil {
				c.answers = map[int]int{}
			}
			c.answers[s.status]++
		}()
		h.ServeHTTP(s, r)
	})
}

// A statusWriter remembers the status.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (s *statusWriter) WriteHeader(status int) {
	if s.status == 0 {
		s.status = status
	}
	s.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (s *statusWriter) Write(p []byte) (int, error) {
	if s.status == 0 {
		s.status = http.StatusOK
	}
	return s.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController find what it is for.
func (s *statusWriter) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// metrics writes the counts in the text format of Prometheus, version 0.0.4. Asking for them is not
// counted.
func (s *serving) metrics(w http.ResponseWriter, _ *http.Request) {
	var b strings.Builder
	family := func(name, kind, help string) {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
	}
	s.counts.mu.Lock()
	answers, inFlight := maps.Clone(s.counts.answers), s.counts.inFlight
	s.counts.mu.Unlock()
	family("poolbench_requests_total", "counter", "Requests that have been answered, by status.")
	for _, status := range slices.Sorted(maps.Keys(answers)) {
		fmt.Fprintf(&b, "poolbench_requests_total{status=\"%d\"} %d\n", status, answers[status])
	}
	family("poolbench_in_flight_requests", "gauge",
		"Requests that are being served or wait for it.")
	fmt.Fprintf(&b, "poolbench_in_flight_requests %d\n", inFlight)
	if counted, ok := s.target.(targets.Counted); ok {
		docs := map[string]string{}
		for _, c := range s.variant.Spec.Counts {
			docs[c.Name] = c.Doc
		}
		for _, c := range counted.Counts() {
			name := "poolbench_target_" + strings.ReplaceAll(c.Name, "-", "_") + "_total"
			family(name, "counter", "Of target "+s.variant.Spec.Name+": "+docs[c.Name]+".")
			fmt.Fprintf(&b, "%s %d\n", name, c.Value)
		}
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	if _, err := w.Write([]byte(b.String())); err != nil {
		return // whoever asked has gone
	}
}
