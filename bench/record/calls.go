package record

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/internal/metric"
)

// CallPhase is a part of a call to a server.
type CallPhase int

// The phases. A connection is made once and used by many calls.
const (
	FirstByte CallPhase = iota // from sending a request to the first byte of its response
	Connect                    // looking up the host, and connecting
	TLS
	phases
)

// CallPhases has the names of the phases in metrics and distributions.
var CallPhases = [phases]string{metric.FirstByte, "connect", "tls"}

// A CallCounter counts calls in constant memory. A nil CallCounter counts nothing.
type CallCounter struct {
	mu        sync.Mutex
	sums      Sums
	phases    [phases]*hdrhistogram.Histogram // nil if no call had the phase
	longest   [phases]int64
	phaseSums [phases]float64 // sums, in ns
	streams   func() Streams  // current statistics; may be nil
}

// Sums are totals over all calls.
type Sums struct {
	Sent, Received int64 // bytes of bodies
	Connections    int64
	// nil without HTTP/2
	Streams *Streams `json:",omitempty"`
}

// Streams are statistics of HTTP/2.
type Streams struct {
	Peak            int64 // maximum at once
	GoAways, Resets int64 // received from servers
	// fewest concurrent streams that a server allowed on a connection; 0: unknown or unlimited
	Limit int64 `json:",omitempty"`
}

// HasStreams sets the source of stream statistics for Sums.
func (c *CallCounter) HasStreams(soFar func() Streams) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.streams = soFar
}

// A histogram's last bucket also counts longer times.
const longestPhase = int64(time.Hour)

// Count adds the bytes of the bodies of a call. firstByte is the time to the first byte of the
// response; 0 means unknown.
func (c *CallCounter) Count(sent, received int64, firstByte time.Duration) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sums.Sent += sent
	c.sums.Received += received
	if firstByte > 0 {
		c.add(FirstByte, firstByte)
	}
}

// Connected counts a connection with the time to establish it.
func (c *CallCounter) Connected(took time.Duration) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sums.Connections++
	c.add(Connect, took)
}

// Secured counts a TLS handshake.
func (c *CallCounter) Secured(took time.Duration) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(TLS, took)
}

// add requires mu.
func (c *CallCounter) add(phase CallPhase, took time.Duration) {
	if c.phases[phase] == nil {
		c.phases[phase] = hdrhistogram.New(1, longestPhase, 3)
	}
	ns := max(int64(took), 0)
	_ = c.phases[phase].RecordValue(min(ns, longestPhase)) // within its bounds
	c.longest[phase] = max(c.longest[phase], ns)
	c.phaseSums[phase] += float64(ns)
}

// Sums returns the totals so far.
func (c *CallCounter) Sums() Sums {
	c.mu.Lock()
	defer c.mu.Unlock()
	sums := c.sums
	if c.streams != nil {
		s := c.streams()
		sums.Streams = &s
	}
	return sums
}

// EachPhase calls f for each counted phase, with a copy of its distribution in ns, its exact sum
// and its largest value.
func (c *CallCounter) EachPhase(
	f func(name string, h *hdrhistogram.Histogram, sum float64, longest int64) error,
) error {
	c.mu.Lock()
	phases, sums, longest := c.phases, c.phaseSums, c.longest
	for i, h := range phases {
		if h != nil {
			phases[i] = h.Clone()
		}
	}
	c.mu.Unlock()
	for i, h := range phases {
		if h == nil {
			continue
		}
		if err := f(CallPhases[i], h, sums[i], longest[i]); err != nil {
			return err
		}
	}
	return nil
}

// Merge adds the counts of another counter.
func (c *CallCounter) Merge(with *CallCounter) error {
	if with == nil {
		return nil
	}
	sums := with.Sums()
	with.mu.Lock()
	defer with.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sums.Sent += sums.Sent
	c.sums.Received += sums.Received
	c.sums.Connections += sums.Connections
	if s := sums.Streams; s != nil {
		if c.sums.Streams == nil {
			c.sums.Streams = new(Streams)
		}
		// peaks occur at different times, so the total is unknown
		c.sums.Streams.Peak = -1
		c.sums.Streams.GoAways += s.GoAways
		c.sums.Streams.Resets += s.Resets
		if was := c.sums.Streams.Limit; was == 0 || s.Limit > 0 && s.Limit < was {
			c.sums.Streams.Limit = s.Limit
		}
	}
	for i, h := range with.phases {
		if h == nil {
			continue
		}
		if c.phases[i] == nil {
			c.phases[i] = hdrhistogram.New(1, longestPhase, 3)
		}
		if dropped := c.phases[i].Merge(h); dropped > 0 {
			return fmt.Errorf("%s: %d times exceed the range of a histogram", CallPhases[i], dropped)
		}
		c.longest[i] = max(c.longest[i], with.longest[i])
		c.phaseSums[i] += with.phaseSums[i]
	}
	return nil
}

type written struct {
	Sums
	Phases []writtenPhase
}

type writtenPhase struct {
	Name, Histogram string // V2 compressed, base64
	Sum             float64
	Longest         int64
}

// MarshalJSON implements json.Marshaler.
func (c *CallCounter) MarshalJSON() ([]byte, error) {
	w := written{Sums: c.Sums()}
	err := c.EachPhase(func(
		name string, h *hdrhistogram.Histogram, sum float64, longest int64,
	) error {
		text, err := EncodeHistogram(h)
		w.Phases = append(w.Phases, writtenPhase{name, text, sum, longest})
		return err
	})
	if err != nil {
		return nil, err
	}
	return json.Marshal(w)
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *CallCounter) UnmarshalJSON(text []byte) error {
	var w written
	if err := json.Unmarshal(text, &w); err != nil {
		return err
	}
	read := CallCounter{sums: w.Sums}
	for _, p := range w.Phases {
		for i, name := range CallPhases {
			if p.Name != name {
				continue
			}
			h, err := hdrhistogram.Decode([]byte(p.Histogram))
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			read.phases[i], read.phaseSums[i], read.longest[i] = h, p.Sum, p.Longest
		}
	}
	c.sums, c.phases, c.phaseSums, c.longest = read.sums, read.phases, read.phaseSums, read.longest
	return nil
}
