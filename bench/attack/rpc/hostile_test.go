package rpc_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// hostile is an HTTP/2 server at the level of frames, or an HTTP/1.1 server. what answers request
// n, counted from 0 over all connections.
type hostile struct {
	grpc, plain bool
	what        func(s *stream, n int)

	mu       sync.Mutex
	listener net.Listener
	address  string
	open     map[*peer]bool // false: closed, but may still read
	seen     int            // complete requests received
	answered int            // complete answers sent
	quiet    bool
	tls      *tls.Config // nil: no TLS
	serving  sync.WaitGroup

	answering sync.RWMutex // read-locked while answering
}

type stream struct {
	*peer
	id   uint32
	gone chan struct{} // closed when the client resets the stream
}

// peer is a connection.
type peer struct {
	of      *hostile
	conn    net.Conn
	mu      sync.Mutex
	framer  *http2.Framer
	head    bytes.Buffer
	encoder *hpack.Encoder
	last    uint32 // last stream to be answered; 0: no limit
	streams map[uint32]*stream
	parts   []uint32      // streams with incomplete requests
	come    *sync.Cond    // a request is complete, or the connection has ended
	heard   chan struct{} // receives a token when the client answers a PING
	ended   chan struct{} // closed with the connection
}

func newHostile(t *testing.T, p protocol, what func(s *stream, n int)) *hostile {
	t.Helper()
	h := &hostile{grpc: p.grpc, plain: p.plain, what: what, open: map[*peer]bool{}}
	if p.tls {
		h.tls = tlsConfig(t)
	}
	h.start(t, "127.0.0.1:0")
	t.Cleanup(func() {
		h.stop()
		h.serving.Wait()
	})
	return h
}

func tlsConfig(t *testing.T) *tls.Config {
	t.Helper()
	lender := httptest.NewTLSServer(nil)
	defer lender.Close()
	return &tls.Config{Certificates: lender.TLS.Certificates, NextProtos: []string{"h2"}}
}

func (h *hostile) start(t *testing.T, address string) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Error(err)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.quiet = false
	h.listener, h.address = listener, listener.Addr().String()
	h.serving.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			if h.tls != nil {
				c = tls.Server(c, h.tls)
			}
			p := &peer{of: h, conn: c, framer: http2.NewFramer(c, c),
				streams: map[uint32]*stream{}, heard: make(chan struct{}, 1),
				ended: make(chan struct{})}
			p.encoder = hpack.NewEncoder(&p.head)
			p.come = sync.NewCond(&p.mu)
			h.mu.Lock()
			h.open[p] = true
			h.mu.Unlock()
			h.serving.Go(func() { h.serve(p) })
		}
	})
}

// stopAnswering leaves all later requests unanswered.
func (h *hostile) stopAnswering() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.quiet = true
}

func (h *hostile) stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	_ = h.listener.Close()
	for p := range h.open {
		h.open[p] = false
		_ = p.conn.Close()
	}
}

// settle waits until the client has read every answer.
func (h *hostile) settle() {
	h.answering.Lock() // wait for current answers
	h.mu.Lock()
	open := slices.Collect(maps.Keys(h.open))
	h.mu.Unlock()
	h.answering.Unlock()
	for _, p := range open {
		p.settle()
	}
}

func (h *hostile) counts() (seen, answered int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.seen, h.answered
}

func (h *hostile) serve(p *peer) {
	c := p.conn
	defer func() {
		_ = c.Close()
		close(p.ended)
		h.mu.Lock()
		delete(h.open, p)
		h.mu.Unlock()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, s := range p.streams {
			close(s.gone)
		}
		clear(p.streams)
		p.parts = nil
		p.come.Broadcast()
	}()
	if h.plain {
		requests := bufio.NewReader(c)
		for id := uint32(1); ; id++ {
			r, err := http.ReadRequest(requests)
			if err != nil {
				return
			}
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				return
			}
			p.begun(id, true)
		}
	}
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(c, preface); err != nil || string(preface) != http2.ClientPreface {
		return
	}
	p.write(func() error { return p.framer.WriteSettings() })
	for {
		f, err := p.framer.ReadFrame()
		if err != nil {
			return
		}
		switch f := f.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				p.write(p.framer.WriteSettingsAck)
			}
		case *http2.PingFrame:
			if f.IsAck() {
				p.heard <- struct{}{}
			} else {
				p.write(func() error { return p.framer.WritePing(true, f.Data) })
			}
		case *http2.HeadersFrame:
			p.begun(f.StreamID, f.StreamEnded())
		case *http2.DataFrame:
			p.begun(f.StreamID, f.StreamEnded())
		case *http2.RSTStreamFrame:
			p.mu.Lock()
			if s := p.streams[f.StreamID]; s != nil {
				close(s.gone)
				delete(p.streams, f.StreamID)
			}
			p.mu.Unlock()
		}
	}
}

// begun answers a request. If whole is false, it only notes that the body is incomplete.
func (p *peer) begun(id uint32, whole bool) {
	p.mu.Lock()
	if p.parts = slices.DeleteFunc(p.parts, func(of uint32) bool { return of == id }); !whole {
		p.parts = append(p.parts, id)
		p.mu.Unlock()
		return
	}
	p.come.Broadcast()
	s := &stream{p, id, make(chan struct{})}
	ignored := p.last > 0 && id > p.last
	p.streams[id] = s
	p.mu.Unlock()
	p.of.answering.RLock()
	defer p.of.answering.RUnlock()
	p.of.mu.Lock()
	n := p.of.seen
	p.of.seen++
	ignored = ignored || p.of.quiet || !p.of.open[p]
	p.of.mu.Unlock()
	if !ignored {
		p.of.what(s, n)
	}
}

// settle waits until the client has read all written frames. Over HTTP/1.1 its next request shows
// this.
func (p *peer) settle() {
	if p.of.plain {
		return
	}
	p.write(func() error { return p.framer.WritePing(false, [8]byte{}) })
	select {
	case <-p.heard:
	case <-p.ended:
	}
}

func (p *peer) write(f func() error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return f() == nil
}

func (s *stream) headers(end bool, pairs ...string) bool {
	return s.write(func() error {
		if s.of.plain {
			return s.text(pairs)
		}
		s.head.Reset()
		for i := 0; i < len(pairs); i += 2 {
			_ = s.encoder.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
		}
		return s.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id,
			BlockFragment: s.head.Bytes(), EndHeaders: true, EndStream: end})
	})
}

func (s *stream) text(pairs []string) error {
	text := "0\r\n"
	if pairs[0] == ":status" {
		text = "HTTP/1.1 " + pairs[1] + " X\r\n"
		if pairs[1] == "200" {
			text += "Transfer-Encoding: chunked\r\n"
		}
		pairs = pairs[2:]
	}
	for i := 0; i < len(pairs); i += 2 {
		text += pairs[i] + ": " + pairs[i+1] + "\r\n"
	}
	_, err := io.WriteString(s.conn, text+"\r\n")
	return err
}

func (s *stream) chunk(p []byte, end bool) (err error) {
	if len(p) > 0 {
		_, err = fmt.Fprintf(s.conn, "%x\r\n%s\r\n", len(p), p)
	}
	if end && err == nil {
		_, err = io.WriteString(s.conn, "0\r\n\r\n")
	}
	return err
}

// begin writes the head of a correct answer.
func (s *stream) begin(more ...string) bool {
	pairs := []string{":status", "200"}
	if s.of.grpc {
		pairs = append(pairs, "content-type", "application/grpc")
	}
	return s.headers(false, append(pairs, more...)...)
}

func (s *stream) body() []byte {
	if s.of.grpc {
		return []byte{0, 0, 0, 0, 2, 8, 1} // number: 1
	}
	return []byte("01234")
}

func (s *stream) data(p []byte, end bool) bool {
	return s.write(func() error {
		if s.of.plain {
			return s.chunk(p, end)
		}
		return s.framer.WriteData(s.id, end, p)
	})
}

// end completes the answer and counts it.
func (s *stream) end() {
	s.forget()
	s.of.mu.Lock()
	s.of.answered++ // before the client can read the answer
	s.of.mu.Unlock()
	if s.of.grpc {
		s.headers(true, "grpc-status", "0")
	} else {
		s.data(nil, true)
	}
}

// forget removes the stream, so its end is not reported.
func (s *stream) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams[s.id] == s {
		delete(s.streams, s.id)
	}
}

// good sends a correct answer.
func (s *stream) good() {
	s.begin()
	s.data(s.body(), false)
	s.end()
}

func (s *stream) reset(code http2.ErrCode) {
	s.forget()
	s.write(func() error { return s.framer.WriteRSTStream(s.id, code) })
}

// goAway sends GOAWAY, answers no later stream, and closes the connection.
func (s *stream) goAway() {
	s.write(func() error {
		s.last = s.id
		return s.framer.WriteGoAway(s.id, http2.ErrCodeNo, nil)
	})
	s.good()
	s.of.serving.Go(func() {
		s.mu.Lock()
		for slices.ContainsFunc(s.parts, func(of uint32) bool { return of < s.id }) {
			s.come.Wait() // GOAWAY promises an answer to this stream
		}
		s.mu.Unlock()
		s.settle()
		_ = s.conn.Close()
	})
}

// cut resets the TCP connection.
func (s *stream) cut() {
	s.write(func() error { s.last = s.id; return nil })
	s.of.serving.Go(func() {
		s.settle()
		under := s.conn
		if over, ok := under.(*tls.Conn); ok {
			under = over.NetConn() // to reset without a TLS close_notify
		}
		_ = under.(*net.TCPConn).SetLinger(0)
		_ = under.Close()
	})
}

// slowly answers byte by byte.
func (s *stream) slowly() {
	s.of.serving.Go(func() {
		s.begin()
		for _, b := range s.body() {
			select {
			case <-s.gone:
				return
			case <-time.After(2 * time.Millisecond):
			}
			if !s.data([]byte{b}, false) {
				return
			}
		}
		s.end()
	})
}

// forEver sends a body without end, as far as flow control permits.
func (s *stream) forEver() {
	s.of.serving.Go(func() {
		s.begin()
		for s.data(s.body(), false) {
			select {
			case <-s.gone:
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
}

var zipped = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(make([]byte, 10<<20))
	_ = z.Close()
	return b.Bytes()
})

// bomb answers with 10 MiB of zeros, compressed.
func (s *stream) bomb() {
	p := zipped()
	name := "content-encoding"
	if s.of.grpc {
		n := len(p)
		p = append([]byte{1, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, p...)
		name = "grpc-encoding"
	}
	s.begin(name, "gzip")
	s.data(p, false)
	s.end()
}
