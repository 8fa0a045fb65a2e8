package transport

import (
	"encoding/binary"
	"net"
	"sync"
	"sync/atomic"
)

// Counts are what is seen of HTTP/2 on connections.
type Counts struct {
	open, Peak      atomic.Int64 // streams
	GoAways, Resets atomic.Int64 // that came from servers
}

func (s *Counts) begin() {
	n := s.open.Add(1)
	for peak := s.Peak.Load(); n > peak && !s.Peak.CompareAndSwap(peak, n); peak = s.Peak.Load() {
	}
}

// A Watched connection looks at the frames of HTTP/2 that pass: no client says which streams there
// are, and whether the server has said that it goes.
type Watched struct {
	net.Conn
	of       *Counts
	gone     atomic.Bool // it takes no new stream
	out, in  scanner
	mu       sync.Mutex
	streams  map[uint32]struct{} // that are open
	finished bool
}

// Watch watches a connection of a client before anything is sent on it.
func Watch(c net.Conn, of *Counts) *Watched {
	return &Watched{Conn: c, of: of, out: scanner{skip: len(preface)},
		streams: map[uint32]struct{}{}}
}

// preface is what a client sends before its first frame.
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
	f.out.scan(p, f.sent) // before an answer can come
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

// drop forgets a stream that has ended, and reports whether it was open.
func (f *Watched) drop(stream uint32) (was bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, was = f.streams[stream]; was {
		delete(f.streams, stream)
		f.of.open.Add(-1)
	}
	return was
}

// Gone reports whether the connection takes no new stream: it is closed, or the server has said so.
func (f *Watched) Gone() bool { return f.gone.Load() }

// end forgets all.
func (f *Watched) end() {
	f.gone.Store(true)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.of.open.Add(-int64(len(f.streams)))
	f.finished = true
	clear(f.streams)
}

// A scanner finds the heads of frames in what passes piece by piece.
type scanner struct {
	head [9]byte
	have int
	skip int // of the frame that passes
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
