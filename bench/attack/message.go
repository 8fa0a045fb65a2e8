package attack

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
)

// A message is what one request sends. However it is sent, the request itself is the same.
type message struct {
	request *Request      // method, URL, header and body
	built   *http.Request // of it, without its body; to be copied: parsing a URL costs 1 µs
	wired   *outgoing     // of it, where it goes over a wire
	// of it, where it goes by a protocol of another package
	prepared any
}

// messages are those of the requests as they stand.
func messages(requests []Request) []message {
	all := make([]message, len(requests))
	for i := range requests {
		r, err := requests[i].Request()
		if err != nil {
			panic(fmt.Sprintf("attack: Validate let a request pass: %v", err))
		}
		all[i] = message{request: &requests[i], built: r}
	}
	return all
}

// message is what request number seq sends.
func (c *caller) message(seq uint64) *message { return &c.messages[seq%uint64(len(c.messages))] }

// http is the message for net/http, with a body of its own.
func (m *message) http(ctx context.Context) *http.Request {
	r := m.built.WithContext(ctx)
	if len(m.request.Body) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(m.request.Body))
	}
	return r
}
