package transport_test

import (
	"bytes"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/transport"
)

// piped is a connection that returns a server's bytes in pieces of a given size.
type piped struct {
	net.Conn
	come  bytes.Reader
	piece int
}

func (p *piped) Read(b []byte) (int, error)      { return p.come.Read(b[:min(len(b), p.piece)]) }
func (p *piped) Write(b []byte) (int, error)     { return len(b), nil }
func (p *piped) Close() error                    { return nil }
func (p *piped) SetReadDeadline(time.Time) error { return nil }
func frame(kind, flags, stream byte, n int) []byte {
	return append([]byte{0, 0, byte(n), kind, flags, 0, 0, 0, stream}, make([]byte, n)...)
}

// The number of streams must not depend on how frames are split into reads.
func TestWatched(t *testing.T) {
	const headers, data, reset, settings, goAway = 1, 0, 3, 4, 7
	join := func(frames ...[]byte) []byte { return bytes.Join(frames, nil) }
	for piece := 1; piece < 40; piece++ {
		var counts transport.Counts
		under := &piped{piece: piece}
		under.come.Reset(join(frame(settings, 0, 0, 12),
			// the second DATA frame ends the stream
			frame(headers, 4, 1, 7), frame(data, 0, 1, 100), frame(data, 1, 1, 9),
			frame(reset, 0, 3, 4), frame(reset, 0, 3, 4), // counts once
			frame(headers, 5, 5, 30),
			frame(goAway, 0, 0, 8), frame(goAway, 0, 0, 8)))
		c := transport.Watch(under, &counts)
		sent := join([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(settings, 0, 0, 6),
			frame(headers, 5, 1, 20), frame(headers, 4, 3, 20), frame(data, 1, 3, 3),
			frame(headers, 5, 5, 20), frame(headers, 5, 7, 20))
		for len(sent) > 0 {
			n := min(piece, len(sent))
			if _, err := c.Write(sent[:n]); err != nil {
				t.Fatal(err)
			}
			sent = sent[n:]
		}
		if c.Gone() || counts.Peak.Load() != 4 {
			t.Fatalf("peak %d", counts.Peak.Load())
		}
		for buffer := make([]byte, 64); ; {
			if _, err := c.Read(buffer); err != nil {
				break
			}
		}
		if counts.Peak.Load() != 4 || counts.Resets.Load() != 1 || counts.GoAways.Load() != 1 ||
			!c.Gone() {
			t.Errorf("in pieces of %d: peak %d, %d resets, %d GOAWAYs", piece,
				counts.Peak.Load(), counts.Resets.Load(), counts.GoAways.Load())
		}
	}
}

// The limit is in the server's SETTINGS frames, which may be split into several reads.
func TestSettled(t *testing.T) {
	settings := func(flags byte, entries ...byte) []byte {
		return append([]byte{0, 0, byte(len(entries)), 4, flags, 0, 0, 0, 0}, entries...)
	}
	join := func(frames ...[]byte) []byte { return bytes.Join(frames, nil) }
	window, eight, five, none := []byte{0, 4, 0, 1, 0, 0}, []byte{0, 3, 0, 0, 0, 8},
		[]byte{0, 3, 0, 0, 0, 5}, []byte{0, 3, 0, 0, 0, 0}
	for name, c := range map[string]struct {
		come   []byte
		limits []int
		least  int64
		err    string
	}{
		"none":        {settings(0, window...), []int{0}, 0, ""},
		"empty":       {settings(0), []int{0}, 0, ""},
		"one":         {settings(0, join(window, eight)...), []int{8}, 8, ""},
		"lower":       {join(settings(0, eight...), settings(0, five...)), []int{8, 5}, 5, ""},
		"higher":      {join(settings(0, five...), settings(0, eight...)), []int{5, 8}, 5, ""},
		"no stream":   {settings(0, none...), []int{1}, 1, ""},
		"unchanged":   {join(settings(0, five...), settings(0, window...)), []int{5}, 5, ""},
		"another end": {settings(1, five...), nil, 0, "closed the connection before its settings"},
		"nothing":     {nil, nil, 0, "closed the connection before its settings"},
	} {
		for piece := 1; piece < 40; piece++ {
			var counts transport.Counts
			under := &piped{piece: piece}
			under.come.Reset(c.come)
			w := transport.Watch(under, &counts)
			var limits []int
			w.Limited(func(n int) { limits = append(limits, n) })
			for buffer := make([]byte, 64); ; {
				if _, err := w.Read(buffer); err != nil {
					break
				}
			}
			if len(limits) > 1 || c.err != "" {
				limits = limits[1:] // before any settings
			}
			err := w.Settled(t.Context())
			if !slices.Equal(limits, c.limits) || counts.Limit.Load() != c.least ||
				(err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) ||
				!w.Broke() {
				t.Errorf("%s in pieces of %d: %v, %d, %v", name, piece, limits, counts.Limit.Load(), err)
			}
		}
	}
	var counts transport.Counts
	w := transport.Watch(&piped{}, &counts)
	if err := w.Close(); err != nil || w.Broke() {
		t.Error(err, w.Broke())
	}
	if err := w.Settled(t.Context()); err == nil ||
		err.Error() != "the server does not support HTTP/2" {
		t.Errorf("error %v", err)
	}
}
