package grpcdyn

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
)

type Message struct {
	*Method
	head []hpack.HeaderField // metadata
	wire []byte              // gRPC frame
}

// encoded is a message from Method.Encode.
func NewMessage(m *Method, md metadata.MD, encoded []byte) *Message {
	out := &Message{Method: m, wire: make([]byte, 5, 5+len(encoded))}
	binary.BigEndian.PutUint32(out.wire[1:], uint32(len(encoded)))
	out.wire = append(out.wire, encoded...)
	for _, name := range slices.Sorted(maps.Keys(md)) {
		for _, value := range md[name] {
			if strings.HasSuffix(name, "-bin") {
				value = base64.RawStdEncoding.EncodeToString([]byte(value))
			}
			out.head = append(out.head, hpack.HeaderField{Name: name, Value: value})
		}
	}
	return out
}

// Len does not count the prefix of gRPC.
func (m *Message) Len() int64 { return int64(len(m.wire) - 5) }

type Answer struct {
	Code codes.Code
	// whether the status is the server's; otherwise Text describes the cause
	Answered   bool
	Text       string        // status message
	RetryAfter time.Duration // pushback of the server; 0 means none
	In         int64         // bytes of all messages
	// headers and trailers, and the last message; only if requested
	Metadata metadata.MD
	Last     []byte
}

func Spell(code codes.Code) string {
	if int(code) < len(spelled) {
		return spelled[code]
	}
	return "code " + strconv.Itoa(int(code))
}

var spelled = [...]string{"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED",
	"NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED",
	"FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE",
	"DATA_LOSS", "UNAUTHENTICATED"}

func (a *Answer) Err() error {
	if a.Answered {
		return nil
	}
	return fmt.Errorf("%s: %s", Spell(a.Code), a.Text)
}

const maxAgain = 3

// Call reads the complete answer. It sends the message once unless Options.Resend is set. wants
// requests the last message and the metadata.
func (c *Client) Call(
	ctx context.Context, m *Message, deadline time.Time, wants bool,
) Answer {
	at, err := c.host.Acquire(ctx, deadline)
	if err != nil {
		return failed(ctx, err)
	}
	defer func() { c.host.Release(at) }()
	for tries, again := 0, false; ; tries++ {
		var l *link
		if l, at, err = c.link(ctx, at, deadline); err != nil {
			return failed(ctx, err)
		}
		if again {
			c.resent.Add(1)
		}
		r := l.call(ctx, m, deadline, wants)
		if tries >= maxAgain || !r.unsent && !(r.unbegun && c.Resend) {
			return r.Answer
		}
		again = r.unbegun
	}
}

func failed(ctx context.Context, err error) Answer {
	if errors.Is(ctx.Err(), context.Canceled) {
		return Answer{Code: codes.Canceled, Text: context.Cause(ctx).Error()}
	}
	a := Answer{Code: codes.Unavailable, Text: err.Error()}
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		a.Code = codes.DeadlineExceeded
	}
	return a
}
