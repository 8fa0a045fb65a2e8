package record

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/internal/metric"
)

// A CallPhase is a part of a call to a server that has a distribution of its own.
type CallPhase int

// The phases. A connection is made once and used by many calls.
const (
	FirstByte CallPhase = iota // from sending a request to the first byte of its answer
	Connect                    // looking the host up, and connecting
	TLS                        // its handshake
	phases
)

// CallPhases are the names of the phases, as metrics and distributions have them.
var CallPhases = [phases]string{metric.FirstByte, "connect", "tls"}

// A CallCounter counts calls in the same memory for any number of them. A nil CallCounter
// counts nothing.
type CallCounter struct {
	mu       sync.Mutex
	sums     Sums
	phases   [phases]*hdrhistogram.Histogram // nil: none was counted
	longest  [phases]int64
	ofPhases [phases]float64 // sums, in ns
	streams  func() Streams  // so far; nil: there are none
}

// Sums are totals over all calls.
type Sums struct {
	Sent, Received int64 // bytes of bodies
	Connections    int64 // that were opened
	// of HTTP/2; nil: it was not spoken
	Streams *Streams `json:",omitempty"`
}

// Streams are what only HTTP/2 has.
type Streams struct {
	Peak            int64 // most of them at once
	GoAways, Resets int64 // that came from servers
}

// HasStreams has the counter ask for them whenever somebody wants its sums.
func (c *CallCounter) HasStreams(soFar func() Streams) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.streams = soFar
}

// longestPhase is what a histogram goes up to, in ns: whatever takes longer is in its last bucket.
// It has three digits, as those of responses have.
const longestPhase = int64(time.Hour)

// Count adds what a call sent and received in bodies and, unless that is 0, the time to the first
// byte of its answer.
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

// Connected counts a connection that took so long to be made.
func (c *CallCounter) Connected(took time.Duration) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sums.Connections++
	c.add(Connect, took)
}

// Secured counts a handshake.
func (c *CallCounter) Secured(took time.Duration) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(TLS, took)
}

// add is called with mu held.
func (c *CallCounter) add(of CallPhase, took time.Duration) {
	if c.phases[of] == nil {
		c.phases[of] = hdrhistogram.New(1, longestPhase, 3)
	}
	ns := max(int64(took), 0)
	_ = c.phases[of].RecordValue(min(ns, longestPhase)) // within its bounds
	c.longest[of] = max(c.longest[of], ns)
	c.ofPhases[of] += float64(ns)
}

// Sums are the totals so far.
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

// EachPhase calls f with the distribution of each phase that was counted, in ns, its exact sum and
// its largest value. The distributions are copies: nobody who counts waits for f.
func (c *CallCounter) EachPhase(
	f func(name string, h *hdrhistogram.Histogram, sum float64, longest int64) error,
) error {
	c.mu.Lock()
	phases, sums, longest := c.phases, c.ofPhases, c.longest
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

// Merge adds what others have counted.
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
		// each has its peak at another instant: nobody knows that of all
		c.sums.Streams.Peak = -1
		c.sums.Streams.GoAways += s.GoAways
		c.sums.Streams.Resets += s.Resets
	}
	for i, h := range with.phases {
		if h == nil {
			continue
		}
		if c.phases[i] == nil {
			c.phases[i] = hdrhistogram.New(1, longestPhase, 3)
		}
		if dropped := c.phases[i].Merge(h); dropped > 0 {
			return fmt.Errorf("%s: %d times are beyond what a histogram holds", CallPhases[i], dropped)
		}
		c.longest[i] = max(c.longest[i], with.longest[i])
		c.ofPhases[i] += with.ofPhases[i]
	}
	return nil
}

// written is a CallCounter as JSON.
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
			read.phases[i], read.ofPhases[i], read.longest[i] = h, p.Sum, p.Longest
		}
	}
	c.sums, c.phases, c.ofPhases, c.longest = read.sums, read.phases, read.ofPhases, read.longest
	return nil
}
