package transport

import (
	"encoding/binary"
	"net"
	"sync"
	"sync/atomic"
)

// Counts are the observations of HTTP/2 connections.
type Counts struct {
	open, Peak      atomic.Int64 // streams
	GoAways, Resets atomic.Int64 // received from servers
}

func (s *Counts) begin() {
	n := s.open.Add(1)
	for peak := s.Peak.Load(); n > peak && !s.Peak.CompareAndSwap(peak, n); peak = s.Peak.Load() {
	}
}

// A Watched connection parses the passing HTTP/2 frames, because no client exposes open streams and
// GOAWAYs.
type Watched struct {
	net.Conn
	of       *Counts
	gone     atomic.Bool // no new streams
	out, in  scanner
	mu       sync.Mutex
	streams  map[uint32]struct{} // open ones
	finished bool
}

// Watch wraps a client's connection before anything is sent.
func Watch(c net.Conn, of *Counts) *Watched {
	return &Watched{Conn: c, of: of, out: scanner{skip: len(preface)},
		streams: map[uint32]struct{}{}}
}

// preface is sent by a client before its first frame.
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// Read implements net.Conn.
func (f *Watched) Read(p []byte) (int, error) {
	n, err := f.Conn.Read(p)
	f.in.scan(p[:n], f.came)
	if err != nil {
		f.end()
	}
	return n, err
}

// Write implements net.Conn.
func (f *Watched) Write(p []byte) (int, error) {
	f.out.scan(p, f.sent) // before an answer can arrive
	n, err := f.Conn.Write(p)
	if err != nil {
		f.end()
	}
	return n, err
}

// Close implements net.Conn.
func (f *Watched) Close() error {
	f.end()
	return f.Conn.Close()
}

// Types and flags of frames (RFC 9113, 6).
const (
	frameData, frameHeaders, frameReset, frameGoAway = 0, 1, 3, 7
	flagEndStream                                    = 1
)

func (f *Watched) sent(kind, _ byte, stream uint32) {
	switch kind {
	case frameHeaders:
		f.mu.Lock()
		if _, known := f.streams[stream]; !known && !f.finished { // else it is a trailer
			f.streams[stream] = struct{}{}
			f.of.begin()
		}
		f.mu.Unlock()
	case frameReset:
		f.drop(stream)
	}
}

func (f *Watched) came(kind, flags byte, stream uint32) {
	switch {
	case kind == frameGoAway:
		if !f.gone.Swap(true) {
			f.of.GoAways.Add(1)
		}
	case kind == frameReset:
		if f.drop(stream) {
			f.of.Resets.Add(1)
		}
	case (kind == frameHeaders || kind == frameData) && flags&flagEndStream != 0:
		f.drop(stream)
	}
}

func (f *Watched) drop(stream uint32) (was bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, was = f.streams[stream]; was {
		delete(f.streams, stream)
		f.of.open.Add(-1)
	}
	return was
}

// Gone reports whether the connection accepts no new stream: it is closed, or the server has sent
// GOAWAY.
func (f *Watched) Gone() bool { return f.gone.Load() }

func (f *Watched) end() {
	f.gone.Store(true)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.of.open.Add(-int64(len(f.streams)))
	f.finished = true
	clear(f.streams)
}

// A scanner finds frame heads in a stream of bytes.
type scanner struct {
	head [9]byte
	have int
	skip int // bytes of the current frame
}

func (s *scanner) scan(p []byte, found func(kind, flags byte, stream uint32)) {
	for len(p) > 0 {
		if s.skip > 0 {
			n := min(s.skip, len(p))
			s.skip, p = s.skip-n, p[n:]
			continue
		}
		n := copy(s.head[s.have:], p)
		if s.have, p = s.have+n, p[n:]; s.have < len(s.head) {
			return
		}
		s.have = 0
		s.skip = int(s.head[0])<<16 | int(s.head[1])<<8 | int(s.head[2])
		found(s.head[3], s.head[4], binary.BigEndian.Uint32(s.head[5:])&(1<<31-1))
	}
}
