package fleet

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

// What is larger than a message goes in parts.

// Headers of a part.
const (
	ofHeader    = "Poolbench-Of"    // what it is a part of
	partHeader  = "Poolbench-Part"  // its number, from 0
	partsHeader = "Poolbench-Parts" // how many there are
)

// partTime is how long an answer to a part may take; partTimes is how often it is sent.
const (
	partTime  = 5 * time.Second
	partTimes = 6
)

// headRoom is what is left of a message for its headers.
const headRoom = 4 << 10

// send sends the data to whoever collects them at that subject, until each part is confirmed. The
// error is nats.ErrNoResponders where nobody is there.
func send(ctx context.Context, conn *nats.Conn, subject, of string, data []byte) error {
	size := int(conn.MaxPayload()) - headRoom
	parts := max((len(data)+size-1)/size, 1)
	for i := range parts {
		m := nats.NewMsg(subject)
		m.Header.Set(ofHeader, of)
		m.Header.Set(partHeader, strconv.Itoa(i))
		m.Header.Set(partsHeader, strconv.Itoa(parts))
		m.Data = data[i*size : min((i+1)*size, len(data))]
		if err := sendPart(ctx, conn, m); err != nil {
			return err
		}
	}
	return nil
}

func sendPart(ctx context.Context, conn *nats.Conn, m *nats.Msg) (err error) {
	for range partTimes {
		asking, cancel := context.WithTimeout(ctx, partTime)
		_, err = conn.RequestMsgWithContext(asking, m)
		cancel()
		if err == nil || ctx.Err() != nil || errors.Is(err, nats.ErrNoResponders) {
			return err
		}
	}
	return err
}

// mostCollected bounds what one sender may send.
const mostCollected = 1 << 30

// A collector puts parts together again. One goroutine uses it.
type collector struct {
	arrived map[string][][]byte // by what they are parts of
	sizes   map[string]int
}

func newCollector() *collector {
	return &collector{map[string][][]byte{}, map[string]int{}}
}

// add takes a part, and returns the whole when it was the last; done is false for others. A part
// that comes again, as its confirmation was lost, counts once.
func (c *collector) add(m *nats.Msg) (of string, whole []byte, done bool, err error) {
	of = m.Header.Get(ofHeader)
	part, e1 := strconv.Atoi(m.Header.Get(partHeader))
	parts, e2 := strconv.Atoi(m.Header.Get(partsHeader))
	if errors.Join(e1, e2) != nil || of == "" || part < 0 || part >= parts {
		return of, nil, false, fmt.Errorf("part %q of %q of %q: no such part",
			m.Header.Get(partHeader), m.Header.Get(partsHeader), of)
	}
	if part == 0 { // also of a second sender, after the first was lost
		c.drop(of)
	}
	switch have := len(c.arrived[of]); {
	case part < have:
		return of, nil, false, nil
	case part > have:
		return of, nil, false, fmt.Errorf("part %d of %q came before part %d", part, of, have)
	}
	c.arrived[of] = append(c.arrived[of], m.Data)
	c.sizes[of] += len(m.Data)
	if c.sizes[of] > mostCollected {
		c.drop(of)
		return of, nil, false, fmt.Errorf("%q is larger than %d bytes", of, mostCollected)
	}
	if part+1 < parts {
		return of, nil, false, nil
	}
	for _, p := range c.arrived[of] {
		whole = append(whole, p...)
	}
	c.drop(of)
	return of, whole, true, nil
}

func (c *collector) drop(of string) {
	delete(c.arrived, of)
	delete(c.sizes, of)
}
