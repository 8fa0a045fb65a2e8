package grpcdyn

import (
	"bufio"
	"errors"
	"fmt"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
)

// bytes of names and values in one header block
const maxHead = 1 << 20

type reader struct {
	*link
	decoder *hpack.Decoder
	at      *activeCall // call of the current header block, or nil
	size    int         // bytes of the block so far
	ends    bool        // whether the block ends the stream
}

func (l *link) read() {
	r := &reader{link: l}
	r.decoder = hpack.NewDecoder(4096, r.field)
	r.decoder.SetMaxStringLength(maxHead)
	framer := http2.NewFramer(nil, bufio.NewReaderSize(l.conn, 32<<10))
	framer.SetReuseFrames()
	framer.SetMaxReadFrameSize(firstFrame)
	for {
		frame, err := framer.ReadFrame()
		l.mu.Lock()
		if e, ok := errors.AsType[http2.StreamError](err); ok {
			r.refuse(l.calls[e.StreamID], codes.Internal, e.Error())
			err = nil
		} else if err == nil && l.dead == nil {
			err = r.handle(frame)
		}
		if err != nil {
			l.die(err)
		}
		dead := l.dead != nil
		l.mu.Unlock()
		if dead {
			return
		}
	}
}

func (r *reader) refuse(f *activeCall, code codes.Code, why string) {
	if f == nil {
		return
	}
	r.reset(f.id, http2.ErrCodeCancel)
	f.rest = nil
	f.fail(code, why)
	r.end(f)
}

func (r *reader) handle(frame http2.Frame) error {
	if _, ok := frame.(*http2.SettingsFrame); !ok && !r.hasSettings {
		return errors.New("the server does not speak HTTP/2")
	}
	f := r.calls[frame.Header().StreamID]
	switch frame := frame.(type) {
	case *http2.DataFrame:
		r.data(f, frame)
	case *http2.HeadersFrame:
		r.at, r.size, r.ends = f, 0, frame.StreamEnded()
		return r.block(frame.HeaderBlockFragment(), frame.HeadersEnded())
	case *http2.ContinuationFrame:
		r.at = f // nil if the call was given up
		return r.block(frame.HeaderBlockFragment(), frame.HeadersEnded())
	case *http2.RSTStreamFrame:
		if f != nil {
			f.rest = nil
			f.unbegun = frame.ErrCode == http2.ErrCodeRefusedStream
			f.fail(ofReset(frame.ErrCode), "the stream was reset by "+frame.ErrCode.String())
			if f.Code == codes.Canceled && !time.Now().Before(f.until) {
				// the server knows the timeout and may end the call first
				f.fail(codes.DeadlineExceeded, "no answer in time")
			}
			r.end(f)
		}
	case *http2.GoAwayFrame:
		r.goAway(frame)
	case *http2.WindowUpdateFrame:
		if frame.StreamID == 0 {
			r.window += int64(frame.Increment)
		} else if f != nil {
			f.window += int64(frame.Increment)
		}
		r.unblock()
	case *http2.SettingsFrame:
		return r.settle(frame)
	case *http2.PingFrame:
		if !frame.IsAck() {
			if err := r.ack(); err != nil {
				return err
			}
			r.frame(http2.FramePing, http2.FlagPingAck, 0, len(frame.Data))
			r.out = append(r.out, frame.Data[:]...)
		}
	}
	return nil
}

func (r *reader) data(f *activeCall, frame *http2.DataFrame) {
	n := int(frame.Length)
	if r.unacknowledged += n; r.unacknowledged > linkWindow/2 {
		r.credit(0, r.unacknowledged)
		r.unacknowledged = 0
	}
	if f == nil {
		return
	}
	if f.unacknowledged += n; f.unacknowledged > streamWindow/2 && !frame.StreamEnded() {
		r.credit(f.id, f.unacknowledged)
		f.unacknowledged = 0
	}
	if code, why := f.take(frame.Data()); code != codes.OK {
		r.refuse(f, code, why)
	} else if frame.StreamEnded() {
		f.fail(codes.Internal, "the stream ended without a status")
		r.end(f)
	}
}

func (r *reader) block(piece []byte, last bool) error {
	if _, err := r.decoder.Write(piece); err != nil {
		return err
	}
	if !last {
		return nil
	}
	if err := r.decoder.Close(); err != nil {
		return err
	}
	f := r.at
	switch r.at = nil; {
	case f == nil:
	case r.size > maxHead:
		r.refuse(f, codes.Internal, "the head is larger than 1 MiB")
	default:
		over, code, why := f.headed(r.ends)
		switch {
		case code != codes.OK:
			r.refuse(f, code, why)
		case over:
			r.end(f)
		}
	}
	return nil
}

func (r *reader) field(h hpack.HeaderField) {
	if r.size += len(h.Name) + len(h.Value) + 32; r.at != nil && r.size <= maxHead {
		r.at.field(h)
	}
}

func (r *reader) goAway(frame *http2.GoAwayFrame) {
	last := frame.LastStreamID
	r.gone = true
	for id, f := range r.calls {
		if id > last {
			f.rest, f.unbegun = nil, true
			f.fail(codes.Unavailable, "the server goes: "+frame.ErrCode.String())
			r.end(f)
		}
	}
	r.endIfUnused()
}

// a bound for a server that requests acknowledgements but does not read
const maxAcks = 1000

func (r *reader) ack() error {
	if r.acks++; r.acks > maxAcks {
		return errors.New("the server asks, and does not read the answers")
	}
	return nil
}

func (r *reader) settle(frame *http2.SettingsFrame) error {
	if frame.IsAck() {
		return nil
	}
	err := frame.ForeachSetting(func(s http2.Setting) error {
		if err := s.Valid(); err != nil {
			return err
		}
		switch s.ID {
		case http2.SettingInitialWindowSize:
			for _, f := range r.calls {
				f.window += int64(s.Val) - r.first
			}
			r.first = int64(s.Val)
		case http2.SettingMaxFrameSize:
			r.largest = int(s.Val)
		case http2.SettingMaxConcurrentStreams:
			r.most = int(min(s.Val, lastStream))
			r.tellLimit()
		case http2.SettingHeaderTableSize:
			r.encoder.SetMaxDynamicTableSizeLimit(s.Val)
			r.encoder.SetMaxDynamicTableSize(min(s.Val, 4096))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	if err := r.ack(); err != nil {
		return err
	}
	r.frame(http2.FrameSettings, http2.FlagSettingsAck, 0, 0)
	r.unblock()
	r.advance()
	if !r.hasSettings {
		r.hasSettings = true
		close(r.ready)
	}
	return nil
}

func ofReset(code http2.ErrCode) codes.Code {
	switch code {
	case http2.ErrCodeRefusedStream:
		return codes.Unavailable
	case http2.ErrCodeCancel:
		return codes.Canceled
	case http2.ErrCodeEnhanceYourCalm, http2.ErrCodeFlowControl:
		return codes.ResourceExhausted
	case http2.ErrCodeInadequateSecurity:
		return codes.PermissionDenied
	}
	return codes.Internal
}
