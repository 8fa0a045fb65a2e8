package fleet

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

// Data larger than a message goes in parts.

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
		if err := again(ctx, func(ctx context.Context) error {
			_, err := conn.RequestMsgWithContext(ctx, m)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// again tries again and again while there is no answer.
func again(ctx context.Context, try func(context.Context) error) (err error) {
	for range partTimes {
		asking, cancel := context.WithTimeout(ctx, partTime)
		err = try(asking)
		cancel()
		if err == nil || ctx.Err() != nil || errors.Is(err, nats.ErrNoResponders) {
			break
		}
	}
	return err
}

// mostCollected bounds what one sender may send.
const mostCollected = 1 << 30

// A collector puts parts together again. One goroutine uses it.
type collector map[string]collected // by what they are parts of

type collected struct {
	parts int
	data  []byte
}

// add takes a part, and returns the whole when it was the last; done is false for others. A part
// that comes again, as its confirmation was lost, counts once.
func (c collector) add(m *nats.Msg) (of string, whole []byte, done bool, err error) {
	of = m.Header.Get(ofHeader)
	part, e1 := strconv.Atoi(m.Header.Get(partHeader))
	parts, e2 := strconv.Atoi(m.Header.Get(partsHeader))
	if errors.Join(e1, e2) != nil || of == "" || part < 0 || part >= parts {
		return of, nil, false, fmt.Errorf("part %q of %q of %q: no such part",
			m.Header.Get(partHeader), m.Header.Get(partsHeader), of)
	}
	have := c[of]
	switch {
	case part == 0: // also of a second sender, after the first was lost
		have = collected{}
	case part < have.parts:
		return of, nil, false, nil
	case part > have.parts:
		return of, nil, false, fmt.Errorf("part %d of %q came before part %d", part, of, have.parts)
	}
	delete(c, of)
	have.data = append(have.data, m.Data...)
	if len(have.data) > mostCollected {
		return of, nil, false, fmt.Errorf("%q is larger than %d bytes", of, mostCollected)
	}
	if have.parts++; have.parts < parts {
		c[of] = have
		return of, nil, false, nil
	}
	return of, have.data, true, nil
}
