package live

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/poolbench/poolbench/examples/grafana"
)

// Limits of viewers, of their requests and of the time to send a frame.
const (
	headTime   = 5 * time.Second  // for a request
	writeTime  = 10 * time.Second // for a frame
	maxHead    = 16 << 10
	maxViewers = 64
)

// reportGrace is the time in which viewers can fetch the report after the end.
const reportGrace = 3 * time.Second

type Server struct {
	course *Window
	title  string
	server *http.Server
	at     net.Addr
	any    bool // whether it answers to host names other than loopback
	failed chan error

	mu      sync.Mutex
	viewers int
	fetches int           // expected fetches of the report
	fetched chan struct{} // closed when all expected fetches are done
	report  func() (io.ReadCloser, error)
	down    chan struct{} // closed when the server stops
}

// If any is set, Serve also answers to names other than those of loopback.
func Serve(address string, any bool, title string, c *Window) (*Server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	s := &Server{course: c, title: title, at: listener.Addr(), any: any,
		failed: make(chan error, 1), fetched: make(chan struct{}), down: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("GET /metrics", s.metrics)
	mux.HandleFunc("GET /grafana.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(grafana.Live) // a viewer that is gone
	})
	mux.HandleFunc("GET /report", s.serveReport)
	s.server = &http.Server{Handler: s.checkOrigin(mux), ReadHeaderTimeout: headTime,
		ReadTimeout: headTime, IdleTimeout: time.Minute, MaxHeaderBytes: maxHead}
	go func() { s.failed <- s.server.Serve(listener) }()
	return s, nil
}

func (s *Server) URL() string { return "http://" + s.at.String() + "/" }

// checkOrigin rejects requests that the page of another site makes the browser send.
func (s *Server) checkOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		if !s.any && !isLoopback(r.Host) {
			http.Error(w, "this server is asked for by its address", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host == "localhost" || err == nil && ip.IsLoopback()
}

var (
	//go:embed live.css
	pageCSS string
	//go:embed bundle.js
	pageJS string

	pagePolicy = "default-src 'none'; connect-src 'self'; style-src " + hashOf(pageCSS) +
		"; script-src " + hashOf(pageJS)
)

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	if s.opener() != nil {
		http.Redirect(w, r, "/report", http.StatusSeeOther)
		return
	}
	w.Header().Set("Content-Security-Policy", pagePolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	var b bytes.Buffer
	if err := page(s.title).Render(r.Context(), &b); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = b.WriteTo(w) // the viewer may have left
}

// events sends the frames after the viewer's last one, then each new one, and finally whether there
// is a report.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		http.Error(w, "too many viewers already", http.StatusServiceUnavailable)
		return
	}
	defer s.leave()
	last := -1.0
	if at, err := strconv.ParseFloat(r.Header.Get("Last-Event-ID"), 64); err == nil {
		last = at
	}
	w.Header().Set("Content-Type", "text/event-stream")
	to := http.NewResponseController(w)
	for {
		frames, ended, moved := s.course.since(last)
		// each connection of net/http supports deadlines
		_ = to.SetWriteDeadline(time.Now().Add(writeTime))
		var b bytes.Buffer
		for _, f := range frames {
			text, err := json.Marshal(f)
			if err != nil {
				return // unreachable, because frames contain no NaN or infinity
			}
			fmt.Fprintf(&b, "id: %v\ndata: %s\n\n", f.At, text)
			last = f.At
		}
		if ended {
			select { // the report may be drawn in the meantime
			case <-s.down:
			case <-r.Context().Done():
				return
			}
			fmt.Fprintf(&b, "event: end\ndata: %t\n\n", s.opener() != nil)
		}
		if _, err := b.WriteTo(w); err != nil || to.Flush() != nil || ended {
			return
		}
		select {
		case <-moved:
		case <-r.Context().Done():
			return
		}
	}
}

func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.viewers == maxViewers {
		return false
	}
	s.viewers++
	return true
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.viewers--
}

func (s *Server) opener() func() (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.report
}

func (s *Server) serveReport(w http.ResponseWriter, r *http.Request) {
	open := s.opener()
	if open == nil {
		http.Error(w, "there is no report yet", http.StatusNotFound)
		return
	}
	file, err := open()
	if err != nil {
		http.Error(w, "the report cannot be read", http.StatusInternalServerError)
		return
	}
	defer file.Close() // it was only read
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
	_, _ = io.Copy(w, file) // the viewer may have left
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fetches--; s.fetches == 0 {
		close(s.fetched)
	}
}

// Close lets the viewers fetch the report, which report opens, before it stops serving. report may
// be nil.
func (s *Server) Close(report func() (io.ReadCloser, error)) error {
	s.mu.Lock()
	s.report, s.fetches = report, s.viewers
	waits := s.fetches > 0 && report != nil
	s.mu.Unlock()
	s.course.End()
	close(s.down)
	if waits {
		select {
		case <-s.fetched:
		case <-time.After(reportGrace):
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), reportGrace)
	defer cancel()
	err := s.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.server.Close() // viewers have had their time
	}
	if e := <-s.failed; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}
