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

// A Message is one call as it is sent.
type Message struct {
	*Method
	head []hpack.HeaderField // metadata
	wire []byte              // as it goes over the connection
}

// NewMessage is a call of the method with a message that Method.Encode has made.
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

// Len is how many bytes the encoded message has.
func (m *Message) Len() int64 { return int64(len(m.wire) - 5) }

// An Answer is what became of a call.
type Answer struct {
	Code codes.Code
	// the server said so itself. Else something on the way did, and Text has what
	Answered   bool
	Text       string        // what it said besides
	RetryAfter time.Duration // when the server wants to be called again; 0: it says nothing
	In         int64         // bytes of all messages
	// where somebody wants them: metadata before and after the messages, and the last of these
	Metadata metadata.MD
	Last     []byte
}

// Spell is how the field writes a code.
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

// Err is why there is no answer of the server's; nil: there is one.
func (a *Answer) Err() error {
	if a.Answered {
		return nil
	}
	return fmt.Errorf("%s: %s", Spell(a.Code), a.Text)
}

// mostAgain is how often a call looks for a connection that takes it.
const mostAgain = 3

// Call sends the message, once unless Options.Resend says otherwise, and reads what is answered to
// its end. wants says that somebody wants the last message and the metadata.
func (c *Client) Call(
	ctx context.Context, m *Message, deadline time.Time, wants bool,
) Answer {
	at, err := c.host.Take(ctx, deadline)
	if err != nil {
		return failed(ctx, err)
	}
	defer c.host.Give(at)
	for tries, again := 0, false; ; tries++ {
		l, err := c.link(ctx, at, deadline)
		if err != nil {
			return failed(ctx, err)
		}
		if again {
			c.resent.Add(1)
		}
		r := l.call(ctx, m, deadline, wants)
		if tries >= mostAgain || !r.unsent && !(r.unbegun && c.Resend) {
			return r.Answer
		}
		again = r.unbegun
	}
}

// failed is a call that has no connection, for which it may have waited in vain.
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
