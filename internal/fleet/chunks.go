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

// headers of a part of data larger than a message
const (
	ofHeader    = "Poolbench-Of"    // name of the whole data
	sendHeader  = "Poolbench-Send"  // identifies the attempt to send the data
	partHeader  = "Poolbench-Part"  // number of the part, from 0
	partsHeader = "Poolbench-Parts" // number of parts
)

// partTime is the timeout of the answer to a part. partTimes limits the attempts for a part while
// connected, and the attempts for the whole data.
const (
	partTime  = 5 * time.Second
	partTimes = 6
)

// bytes reserved for the headers of a message
const headRoom = 4 << 10

var (
	yes = []byte("yes")
	// the receiver lacks earlier parts
	fromStart = []byte("from the start")
)

// The error of send is nats.ErrNoResponders if there is no collector.
func send(ctx context.Context, conn *nats.Conn, subject, of string, data []byte) error {
	for range partTimes {
		whole, err := sendOnce(ctx, conn, subject, of, data)
		if whole || err != nil {
			return err
		}
	}
	return fmt.Errorf("the receiver has lost parts of a message %d times", partTimes)
}

// sendOnce returns false if the receiver has lost some of the parts.
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
		if err := retryUntilAnswered(ctx, conn, func(ctx context.Context) error {
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

// Time without a connection does not count, so retryUntilAnswered waits for a restarting server
// until ctx ends. A missing listener is final unless the server has restarted, because clients
// reconnect one by one.
func retryUntilAnswered(
	ctx context.Context, conn *nats.Conn, try func(context.Context) error,
) (err error) {
	for tries := 0; tries < partTimes; {
		if conn.IsClosed() {
			return nats.ErrConnectionClosed
		}
		// Without a connection, nats.go would buffer each attempt and later send them all.
		if conn.IsConnected() {
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

// bytes from one sender
const maxCollected = 1 << 30

// A collector joins parts. It is not safe for concurrent use.
type collector map[string]collected // by name of the whole data

type collected struct {
	send  string // attempt that the parts belong to
	parts int
	data  []byte
}

var errOrder = errors.New("the parts before this one are missing")

// With the last part, add returns the whole data and done. A part that is repeated after a lost
// confirmation counts once.
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
	if len(have.data) > maxCollected {
		delete(c, of)
		return of, nil, false, fmt.Errorf("%q is larger than %d bytes", of, maxCollected)
	}
	have.parts++
	if done = have.parts == parts; done {
		whole, have.data = have.data, nil // keep the entry without data, to detect repeated parts
	}
	c[of] = have
	return of, whole, done, nil
}

func confirm(m *nats.Msg, err error) {
	answer := yes
	if errors.Is(err, errOrder) {
		answer = fromStart
	}
	_ = m.Respond(answer) // if the answer is lost, the part is sent again
}
