package grpcdyn_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/poolbench/poolbench/internal/grpcdyn"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// plain is a codec for raw bytes.
type plain struct{}

func (plain) Name() string { return "plain" }

func (plain) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil
}

func (plain) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}

func methods(t testing.TB) (echo, many *grpcdyn.Method) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "e.proto")
	if err := os.WriteFile(path, []byte(`syntax = "proto3"; package e;
		message M { bytes b = 1; }
		service E { rpc Echo(M) returns (M); rpc Many(M) returns (stream M); }`),
		0o666); err != nil {
		t.Fatal(err)
	}
	set, err := grpcdyn.ReadSet(path)
	if err != nil {
		t.Fatal(err)
	}
	find, err := grpcdyn.FromSet(set)
	if err != nil {
		t.Fatal(err)
	}
	if echo, err = find.Method("/e.E/Echo"); err == nil {
		many, err = find.Method("/e.E/Many")
	}
	if err != nil {
		t.Fatal(err)
	}
	return echo, many
}

// serve starts a grpc-go server and returns a client.
func serve(
	t testing.TB, handle func(s grpc.ServerStream, message []byte) error, o ...grpc.ServerOption,
) *grpcdyn.Client {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(append(o, grpc.ForceServerCodecV2(plain{}),
		grpc.MaxRecvMsgSize(64<<20), grpc.UnknownServiceHandler(
			func(_ any, s grpc.ServerStream) error {
				var message []byte
				if err := s.RecvMsg(&message); err != nil {
					return err
				}
				return handle(s, message)
			}))...)
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	c := grpcdyn.NewClient(grpcdyn.Options{Address: listener.Addr().String(), Connections: 1,
		Dial: new(net.Dialer).DialContext})
	t.Cleanup(func() {
		c.Close()
		server.Stop()
		serving.Wait()
	})
	return c
}

func soon() time.Time { return time.Now().Add(time.Minute) }

// Messages exceed the flow-control window, headers exceed a frame, and calls exceed the stream
// limit.
func TestWindows(t *testing.T) {
	t.Parallel()
	echo, many := methods(t)
	var at, peak atomic.Int64
	three := make(chan struct{})
	full := sync.OnceFunc(func() { close(three) })
	c := serve(t, func(s grpc.ServerStream, message []byte) error {
		n := at.Add(1)
		for was := peak.Load(); n > was && !peak.CompareAndSwap(was, n); was = peak.Load() {
		}
		defer at.Add(-1)
		if n == 3 {
			full()
		}
		select { // the first three wait for each other
		case <-three:
		case <-s.Context().Done():
			return s.Context().Err()
		}
		md, _ := metadata.FromIncomingContext(s.Context())
		_ = s.SetHeader(metadata.Pairs("long", md.Get("long")[0], "one-bin", md.Get("one-bin")[0]))
		s.SetTrailer(metadata.Pairs("behind", fmt.Sprint(len(message))))
		answers := 1
		if name, _ := grpc.Method(s.Context()); strings.HasSuffix(name, "Many") {
			answers = 3
		}
		for range answers {
			if err := s.SendMsg(&message); err != nil {
				return err
			}
		}
		return nil
	}, grpc.MaxConcurrentStreams(3))
	var calls sync.WaitGroup
	for i := range 24 {
		calls.Go(func() {
			of, answers := echo, 1
			if i%2 == 1 {
				of, answers = many, 3
			}
			message := bytes.Repeat([]byte{byte(i)}, []int{0, 10, 100_000, 3_000_000}[i/2%4])
			long := strings.Repeat(fmt.Sprint(i%10), 40_000)
			m := grpcdyn.NewMessage(of, metadata.Pairs("long", long, "one-bin", "\x00\xff"), message)
			a := c.Call(t.Context(), m, soon(), true)
			if a.Code != codes.OK || !a.Answered || !bytes.Equal(a.Last, message) ||
				a.In != int64(answers*len(message)) || m.Len() != int64(len(message)) {
				t.Errorf("call %d: %v %q, %d bytes of %d", i, a.Code, a.Text, a.In,
					answers*len(message))
			}
			if got := a.Metadata; !slices.Equal(got["long"], []string{long}) ||
				!slices.Equal(got["one-bin"], []string{"\x00\xff"}) ||
				!slices.Equal(got["behind"], []string{fmt.Sprint(len(message))}) {
				t.Errorf("call %d: metadata of %d names", i, len(got))
			}
			if a = c.Call(t.Context(), m, soon(), false); a.Code != codes.OK || a.Last != nil ||
				a.Metadata != nil || a.In != int64(answers*len(message)) {
				t.Errorf("call %d, which nobody reads: %v %q", i, a.Code, a.Text)
			}
		})
	}
	calls.Wait()
	if peak.Load() != 3 {
		t.Errorf("%d calls at once, want 3", peak.Load())
	}
}

// A canceled call must release its stream.
func TestEnds(t *testing.T) {
	t.Parallel()
	echo, many := methods(t)
	c := serve(t, func(s grpc.ServerStream, message []byte) error {
		switch string(message) {
		case "hang":
			<-s.Context().Done()
			return s.Context().Err()
		case "nothing":
			return nil
		case "twice":
			_ = s.SendMsg(&message)
		case "refuse":
			s.SetTrailer(metadata.Pairs("grpc-retry-pushback-ms", "250"))
			return status.Error(codes.ResourceExhausted, "100 % – voll")
		}
		return s.SendMsg(&message)
	}, grpc.MaxConcurrentStreams(1))
	call := func(ctx context.Context, m *grpcdyn.Method, message string, d time.Time) grpcdyn.Answer {
		return c.Call(ctx, grpcdyn.NewMessage(m, nil, []byte(message)), d, false)
	}
	gone, give := context.WithCancelCause(t.Context())
	var waiting sync.WaitGroup
	for range 3 { // one call has the stream, and the others wait for it
		waiting.Go(func() {
			if a := call(gone, echo, "hang", soon()); a.Code != codes.Canceled || a.Answered ||
				a.Text != "enough" {
				t.Errorf("given up: %+v", a)
			}
		})
		waiting.Go(func() {
			a := call(t.Context(), echo, "hang", time.Now().Add(20*time.Millisecond))
			if a.Code != codes.DeadlineExceeded {
				t.Errorf("too late: %+v", a)
			}
		})
	}
	time.AfterFunc(40*time.Millisecond, func() { give(errors.New("enough")) })
	waiting.Wait()
	for text, want := range map[string]grpcdyn.Answer{
		"x": {Code: codes.OK, Answered: true, In: 1},
		"nothing": {Code: codes.Internal, Answered: true,
			Text: "it has 0 messages, where one is due"},
		"twice": {Code: codes.Internal, Answered: true, In: 10,
			Text: "it has 2 messages, where one is due"},
		"refuse": {Code: codes.ResourceExhausted, Answered: true, Text: "100 % – voll",
			RetryAfter: 250 * time.Millisecond},
	} {
		if a := call(t.Context(), echo, text, soon()); fmt.Sprint(a) != fmt.Sprint(want) {
			t.Errorf("%s: %+v, want %+v", text, a, want)
		}
	}
	if a := call(t.Context(), many, "nothing", soon()); a.Code != codes.OK {
		t.Errorf("a stream of nothing: %+v", a)
	}
}

// After 2^30 streams, calls must use a new connection.
func TestStreamsRunOut(t *testing.T) {
	t.Parallel()
	echo, _ := methods(t)
	var dialed atomic.Int64
	c := serve(t, func(s grpc.ServerStream, message []byte) error { return s.SendMsg(&message) })
	dial := c.Dial
	c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		dialed.Add(1)
		return dial(ctx, network, address)
	}
	m := grpcdyn.NewMessage(echo, nil, []byte("x"))
	for i := range 20 {
		if i == 5 {
			c.SkipTo(1<<31 - 5)
		}
		var calls sync.WaitGroup
		for range 4 {
			calls.Go(func() {
				if a := c.Call(t.Context(), m, soon(), false); a.Code != codes.OK {
					t.Errorf("round %d: %+v", i, a)
				}
			})
		}
		calls.Wait()
	}
	if dialed.Load() != 2 {
		t.Errorf("%d connections", dialed.Load())
	}
}

// If a server closes a connection before the first call, the call must use another one.
func TestGoneAtOnce(t *testing.T) {
	t.Parallel()
	echo, _ := methods(t)
	m := grpcdyn.NewMessage(echo, nil, []byte("x"))
	for range 20 {
		c := serve(t, func(s grpc.ServerStream, message []byte) error { return s.SendMsg(&message) })
		var dialed atomic.Int64
		var serving sync.WaitGroup
		dial := c.Dial
		c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			if dialed.Add(1) > 2 {
				return dial(ctx, network, address)
			}
			client, server := net.Pipe()
			serving.Go(func() { _, _ = io.Copy(io.Discard, server) })
			serving.Go(func() {
				var both bytes.Buffer
				w := http2.NewFramer(&both, nil)
				_ = w.WriteSettings()
				_ = w.WriteGoAway(0, http2.ErrCodeNo, nil)
				_, _ = server.Write(both.Bytes())
			})
			return client, nil
		}
		if a := c.Call(t.Context(), m, soon(), false); a.Code != codes.OK || dialed.Load() != 3 {
			t.Fatalf("%+v, %d connections", a, dialed.Load())
		}
		c.Close()
		serving.Wait()
	}
}

// Whatever a server sends, each call must end and must not get the answer to another call.
func FuzzAnswer(f *testing.F) {
	frames := func(write func(*http2.Framer)) []byte {
		var b bytes.Buffer
		write(http2.NewFramer(&b, nil))
		return b.Bytes()
	}
	head := append([]byte{0x88, 0x5f, 0x10}, "application/grpc"...)
	ok := append([]byte{0x40, 0x0b}, "grpc-status\x010"...)
	f.Add(frames(func(w *http2.Framer) {
		_ = w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head[:5]})
		_ = w.WriteContinuation(1, true, head[5:])
		_ = w.WriteData(1, false, []byte{0, 0, 0, 0, 2, 8, 1})
		_ = w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: ok,
			EndHeaders: true, EndStream: true})
	}))
	f.Add(frames(func(w *http2.Framer) {
		_ = w.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1},
			http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 0})
		_ = w.WriteWindowUpdate(1, 1<<31-1)
		_ = w.WritePing(false, [8]byte{1})
		_ = w.WriteRSTStream(1, http2.ErrCodeRefusedStream)
		_ = w.WriteGoAway(0, http2.ErrCodeNo, nil)
	}))
	echo, _ := methods(f)
	f.Fuzz(func(t *testing.T, sent []byte) {
		client, server := net.Pipe()
		var dialed atomic.Bool
		c := grpcdyn.NewClient(grpcdyn.Options{Address: "h:1", Resend: true,
			Dial: func(context.Context, string, string) (net.Conn, error) {
				if dialed.Swap(true) {
					return nil, net.ErrClosed
				}
				return client, nil
			}})
		var serving sync.WaitGroup
		serving.Go(func() { _, _ = io.Copy(io.Discard, server) })
		serving.Go(func() {
			_ = http2.NewFramer(server, nil).WriteSettings()
			_, _ = server.Write(sent)
			time.Sleep(5 * time.Millisecond)
			_ = server.Close()
		})
		var calls sync.WaitGroup
		for range 3 {
			calls.Go(func() {
				a := c.Call(t.Context(), grpcdyn.NewMessage(echo, nil, make([]byte, 100)),
					time.Now().Add(20*time.Second), true)
				if a.Code == codes.DeadlineExceeded {
					t.Errorf("%+v", a)
				}
				if (a.Code == codes.OK) && (!a.Answered || a.In != int64(len(a.Last))) {
					t.Errorf("%+v", a)
				}
			})
		}
		calls.Wait()
		c.Close()
		serving.Wait()
	})
}
