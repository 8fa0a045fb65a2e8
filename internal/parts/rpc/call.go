package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
)

// A Message is one call as it is sent.
type Message struct {
	*Method
	Metadata metadata.MD
	Bytes    []byte
}

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

// Call sends the message, once unless Options.Resend says otherwise, and reads what is answered to
// its end. wants says that somebody wants the last message and the metadata.
func (c *Client) Call(
	ctx context.Context, m *Message, deadline time.Time, wants bool,
) (a Answer) {
	at, err := c.streams.Take(ctx, deadline)
	if err != nil {
		return failed(err)
	}
	defer c.streams.Give(at)
	conn, err := c.conn(at)
	if err != nil {
		return failed(err)
	}
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	w := &watched{}
	ctx = context.WithValue(ctx, watchedKey{}, w)
	if len(m.Metadata) > 0 {
		ctx = metadata.NewOutgoingContext(ctx, m.Metadata)
	}
	var options []grpc.CallOption
	if !c.Resend { // what is not kept cannot be sent again
		options = once
	}
	got := received{wants: wants}
	var before, after metadata.MD
	if wants {
		options = append(slices.Clip(options), grpc.Header(&before), grpc.Trailer(&after))
	}
	if m.Streams() {
		err = callStream(ctx, conn, m, &got, options)
	} else {
		err = conn.Invoke(ctx, m.Path, m.Bytes, &got, options...)
	}
	if more := w.sent.Load() - 1; more > 0 {
		c.resent.Add(int64(more))
	}
	a = Answer{In: got.n, Last: got.last, Answered: err == nil || w.answered.Load(),
		RetryAfter: time.Duration(w.after.Load()), Metadata: metadata.Join(before, after)}
	if err != nil {
		s := status.Convert(err)
		a.Code, a.Text = s.Code(), s.Message()
	}
	return a
}

var once = []grpc.CallOption{grpc.MaxRetryRPCBufferSize(0)}

func failed(err error) Answer {
	a := Answer{Code: codes.Unavailable, Text: err.Error()}
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		a.Code = codes.DeadlineExceeded
	}
	return a
}

var streaming = grpc.StreamDesc{ServerStreams: true}

// callStream reads all messages of an answer.
func callStream(
	ctx context.Context, conn *grpc.ClientConn, m *Message, got *received,
	options []grpc.CallOption,
) error {
	s, err := conn.NewStream(ctx, &streaming, m.Path, options...)
	if err != nil {
		return err
	}
	if err := s.SendMsg(m.Bytes); err != nil && err != io.EOF {
		return err
	} // at the end of the stream, its status says why
	if err := s.CloseSend(); err != nil {
		return err
	}
	for {
		switch err := s.RecvMsg(got); err {
		case nil:
		case io.EOF:
			return nil
		default:
			return err
		}
	}
}

// A received answer is counted, and kept where somebody wants it.
type received struct {
	n     int64
	wants bool
	last  []byte
}

// raw is a codec for messages that are encoded.
type raw struct{}

// Name implements encoding.CodecV2.
func (raw) Name() string { return "proto" }

// Marshal implements encoding.CodecV2.
func (raw) Marshal(v any) (mem.BufferSlice, error) {
	b, ok := v.([]byte)
	if !ok {
		return plain.Marshal(v) // of reflection
	}
	return mem.BufferSlice{mem.SliceBuffer(b)}, nil
}

// Unmarshal implements encoding.CodecV2.
func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	got, ok := v.(*received)
	if !ok {
		return plain.Unmarshal(data, v)
	}
	got.n += int64(data.Len())
	if got.wants {
		got.last = data.Materialize()
	}
	return nil
}

// watched is what is seen of a call while it is made.
type watched struct {
	sent     atomic.Int32 // over a connection
	answered atomic.Bool
	after    atomic.Int64
}

type watchedKey struct{}

// A watcher sees what goes over connections. It implements stats.Handler.
type watcher struct{}

// TagRPC implements stats.Handler.
func (watcher) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// HandleRPC implements stats.Handler.
func (watcher) HandleRPC(ctx context.Context, event stats.RPCStats) {
	switch e := event.(type) {
	case *stats.OutHeader:
		if w, ok := ctx.Value(watchedKey{}).(*watched); ok {
			w.sent.Add(1)
		}
	case *stats.InTrailer:
		if w, ok := ctx.Value(watchedKey{}).(*watched); ok {
			w.answered.Store(true)
			if ms := e.Trailer.Get(pushback); len(ms) == 1 {
				if n, err := strconv.ParseInt(ms[0], 10, 32); err == nil && n > 0 {
					w.after.Store(n * int64(time.Millisecond))
				}
			}
		}
	}
}

// pushback is how a server says when a call may come again (gRFC A6).
const pushback = "grpc-retry-pushback-ms"

// TagConn implements stats.Handler.
func (watcher) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn implements stats.Handler.
func (watcher) HandleConn(context.Context, stats.ConnStats) {}
