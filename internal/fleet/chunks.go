package fleet

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/poolbench/poolbench/internal/machine/pace"
)

// Data larger than a message goes in parts.

// Headers of a part.
const (
	ofHeader    = "Poolbench-Of"    // what it is a part of
	sendHeader  = "Poolbench-Send"  // which of the times that the whole is sent
	partHeader  = "Poolbench-Part"  // its number, from 0
	partsHeader = "Poolbench-Parts" // how many there are
)

// partTime is how long an answer to a part may take; partTimes is how often it is sent over a
// connection that is there, and how often the whole is.
const (
	partTime  = 5 * time.Second
	partTimes = 6
)

// headRoom is what is left of a message for its headers.
const headRoom = 4 << 10

// Answers to a part.
var (
	yes = []byte("yes")
	// the parts before it are missing: the receiver has lost them, or has never had them
	fromStart = []byte("from the start")
)

// send sends the data to whoever collects them at that subject, until each part is confirmed. The
// error is nats.ErrNoResponders where nobody is there.
func send(ctx context.Context, conn *nats.Conn, subject, of string, data []byte) error {
	for range partTimes {
		whole, err := sendOnce(ctx, conn, subject, of, data)
		if whole || err != nil {
			return err
		}
	}
	return fmt.Errorf("the receiver has lost parts of a message %d times", partTimes)
}

// sendOnce sends all parts, and returns false when the receiver has lost some.
func sendOnce(
	ctx context.Context, conn *nats.Conn, subject, of string, data []byte,
) (whole bool, err error) {
	id := rand.Text()
	size := int(conn.MaxPayload()) - headRoom
	parts := max((len(data)+size-1)/size, 1)
	for i := range parts {
		m := nats.NewMsg(subject)
		m.Header.Set(ofHeader, of)
		m.Header.Set(sendHeader, id)
		m.Header.Set(partHeader, strconv.Itoa(i))
		m.Header.Set(partsHeader, strconv.Itoa(parts))
		m.Data = data[i*size : min((i+1)*size, len(data))]
		var answer *nats.Msg
		if err := again(ctx, conn, func(ctx context.Context) error {
			answer, err = conn.RequestMsgWithContext(ctx, m)
			return err
		}); err != nil {
			return false, err
		}
		if bytes.Equal(answer.Data, fromStart) {
			return false, nil
		}
	}
	return true, nil
}

// again tries again and again while there is no answer. A time without a connection does not
// count: a server that is started again is waited for until ctx ends. That nobody listens is final
// unless the server has been started again, whose clients come back one by one.
func again(ctx context.Context, conn *nats.Conn, try func(context.Context) error) (err error) {
	for tries := 0; tries < partTimes; {
		if conn.IsClosed() {
			return nats.ErrConnectionClosed
		}
		if conn.IsConnected() { // else nats.go would keep what is sent, and send it often
			before := conn.Stats().Reconnects
			asking, cancel := context.WithTimeout(ctx, partTime)
			err = try(asking)
			cancel()
			after := conn.Stats().Reconnects
			if err == nil || errors.Is(err, nats.ErrNoResponders) && after == 0 {
				return err
			}
			if after == before && conn.IsConnected() {
				tries++
			}
		}
		if pace.Sleep(ctx, pause) != nil {
			return context.Cause(ctx)
		}
	}
	return err
}

// mostCollected bounds what one sender may send.
const mostCollected = 1 << 30

// A collector puts parts together again. One goroutine uses it.
type collector map[string]collected // by what they are parts of

type collected struct {
	send  string // which one the parts are of
	parts int
	data  []byte
}

// errOrder is the error of a part whose predecessors are missing.
var errOrder = errors.New("the parts before this one are missing")

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
	if id := m.Header.Get(sendHeader); id != have.send && part == 0 {
		have = collected{send: id}
	} else if id != have.send {
		return of, nil, false, errOrder
	}
	if part < have.parts {
		return of, nil, false, nil
	}
	if part > have.parts {
		return of, nil, false, errOrder
	}
	have.data = append(have.data, m.Data...)
	if len(have.data) > mostCollected {
		delete(c, of)
		return of, nil, false, fmt.Errorf("%q is larger than %d bytes", of, mostCollected)
	}
	have.parts++
	if done = have.parts == parts; done {
		whole, have.data = have.data, nil // what stays knows the parts that come again
	}
	c[of] = have
	return of, whole, done, nil
}

// confirm answers a part that add has returned err for.
func confirm(m *nats.Msg, err error) {
	answer := yes
	if errors.Is(err, errOrder) {
		answer = fromStart
	}
	_ = m.Respond(answer) // a sender without it sends the part again
}
