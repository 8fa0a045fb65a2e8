package transport

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"net"
	"sync"
	"sync/atomic"
)

type Counts struct {
	open, Peak      atomic.Int64 // number of streams
	GoAways, Resets atomic.Int64 // frames received from servers
	// smallest limit of concurrent streams on a connection; 0 if no server set a limit
	Limit atomic.Int64
}

func (s *Counts) limited(n int64) {
	for was := s.Limit.Load(); (was == 0 || n < was) && !s.Limit.CompareAndSwap(was, n); was =
		s.Limit.Load() {
	}
}

func (s *Counts) begin() {
	n := s.open.Add(1)
	for peak := s.Peak.Load(); n > peak && !s.Peak.CompareAndSwap(peak, n); peak = s.Peak.Load() {
	}
}

// A WatchedConn parses the HTTP/2 frames that pass, because no client exposes open streams
// and GOAWAYs.
type WatchedConn struct {
	net.Conn
	of          *Counts
	gone        atomic.Bool // whether it accepts no new streams
	out, in     scanner
	mu          sync.Mutex
	streams     map[uint32]struct{} // open streams
	finished    bool
	settled     chan struct{} // closed by the first settings of the server, or at the end
	hasSettings bool          // whether the server has sent settings
	limit       int           // concurrent streams that the server allows; 0 means any number
	limited     func(int)     // receives the limit; may be nil
	why         error         // reason of an end before the settings
	broken      bool          // whether it ended other than by Close
}

// Watch must be called before the client sends any data.
func Watch(c net.Conn, of *Counts) *WatchedConn {
	f := &WatchedConn{Conn: c, of: of, out: scanner{skip: len(preface)},
		streams: map[uint32]struct{}{}, settled: make(chan struct{})}
	f.in.settings = f.settings
	return f
}

func (f *WatchedConn) Settled(ctx context.Context) error {
	select {
	case <-f.settled:
	case <-ctx.Done():
		return ctx.Err()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.hasSettings:
		return nil
	case f.why == nil:
		return errors.New("the server does not support HTTP/2")
	}
	return f.why
}

// Broke reports whether the connection ended other than by Close.
func (f *WatchedConn) Broke() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.broken
}

// set gets the number of concurrent streams that the server allows (0 means any number), now and
// when it changes.
func (f *WatchedConn) Limited(set func(streams int)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.limited = set
	set(f.limit)
}

// most is negative if the settings have no limit.
func (f *WatchedConn) settings(most int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.hasSettings && !f.finished {
		f.hasSettings = true
		close(f.settled)
	}
	if most < 0 {
		return
	}
	most = max(most, 1) // a limit of 0 counts as 1, see Dealer.Limit
	f.of.limited(most)
	if f.limit = int(min(most, math.MaxInt32)); f.limited != nil {
		f.limited(f.limit)
	}
}

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

func (f *WatchedConn) Read(p []byte) (int, error) {
	n, err := f.Conn.Read(p)
	f.in.scan(p[:n], f.came)
	if err != nil {
		f.end(err)
	}
	return n, err
}

func (f *WatchedConn) Write(p []byte) (int, error) {
	f.out.scan(p, f.sent) // before an answer can arrive
	n, err := f.Conn.Write(p)
	if err != nil {
		f.end(err)
	}
	return n, err
}

func (f *WatchedConn) Close() error {
	f.end(nil)
	return f.Conn.Close()
}

// types and flags of frames (RFC 9113, 6)
const (
	frameData, frameHeaders, frameReset, frameSettings, frameGoAway = 0, 1, 3, 4, 7
	flagEndStream, flagAck                                          = 1, 1
	settingStreams                                                  = 3
)

func (f *WatchedConn) sent(kind, _ byte, stream uint32) {
	switch kind {
	case frameHeaders:
		f.mu.Lock()
		if _, known := f.streams[stream]; !known && !f.finished { // otherwise it is a trailer
			f.streams[stream] = struct{}{}
			f.of.begin()
		}
		f.mu.Unlock()
	case frameReset:
		f.drop(stream)
	}
}

func (f *WatchedConn) came(kind, flags byte, stream uint32) {
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

func (f *WatchedConn) drop(stream uint32) (was bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, was = f.streams[stream]; was {
		delete(f.streams, stream)
		f.of.open.Add(-1)
	}
	return was
}

// After GOAWAY, the connection accepts no new streams.
func (f *WatchedConn) Gone() bool { return f.gone.Load() }

func (f *WatchedConn) end(why error) {
	f.gone.Store(true)
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.finished {
		f.broken = why != nil
	}
	if !f.finished && !f.hasSettings {
		if f.why = why; why == io.EOF {
			f.why = errors.New("the server closed the connection before its settings")
		}
		close(f.settled)
	}
	f.of.open.Add(-int64(len(f.streams)))
	f.finished = true
	clear(f.streams)
}

type scanner struct {
	head [9]byte
	have int
	skip int // remaining bytes of the current frame
	// called at the end of a settings frame that is not an acknowledgement; streams is its limit,
	// or negative without one; nil ignores settings
	settings func(streams int64)
	reading  bool // whether the current frame is such a frame
	entry    [6]byte
	filled   int
	streams  int64
}

func (s *scanner) read(p []byte) {
	for _, b := range p {
		s.entry[s.filled] = b
		if s.filled++; s.filled == len(s.entry) {
			if s.filled = 0; binary.BigEndian.Uint16(s.entry[:]) == settingStreams {
				s.streams = int64(binary.BigEndian.Uint32(s.entry[2:]))
			}
		}
	}
}

func (s *scanner) done() {
	if s.reading && s.skip == 0 {
		s.reading = false
		s.settings(s.streams)
	}
}

func (s *scanner) scan(p []byte, found func(kind, flags byte, stream uint32)) {
	for len(p) > 0 {
		if s.skip > 0 {
			n := min(s.skip, len(p))
			if s.reading {
				s.read(p[:n])
			}
			s.skip, p = s.skip-n, p[n:]
			s.done()
			continue
		}
		n := copy(s.head[s.have:], p)
		if s.have, p = s.have+n, p[n:]; s.have < len(s.head) {
			return
		}
		s.have = 0
		s.skip = int(s.head[0])<<16 | int(s.head[1])<<8 | int(s.head[2])
		if s.settings != nil && s.head[3] == frameSettings && s.head[4]&flagAck == 0 {
			s.reading, s.filled, s.streams = true, 0, -1
		}
		found(s.head[3], s.head[4], binary.BigEndian.Uint32(s.head[5:])&(1<<31-1))
		s.done()
	}
}
