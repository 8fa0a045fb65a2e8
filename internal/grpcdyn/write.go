package grpcdyn

import (
	"encoding/binary"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

func (l *link) appendPreface() {
	l.out = append(l.out, http2.ClientPreface...)
	settings := []http2.Setting{{ID: http2.SettingEnablePush, Val: 0},
		{ID: http2.SettingInitialWindowSize, Val: streamWindow}}
	l.frame(http2.FrameSettings, 0, 0, 6*len(settings))
	for _, s := range settings {
		l.out = binary.BigEndian.AppendUint16(l.out, uint16(s.ID))
		l.out = binary.BigEndian.AppendUint32(l.out, s.Val)
	}
	l.credit(0, linkWindow-firstWindow)
	l.wakeWriter()
}

func (l *link) frame(kind http2.FrameType, flags http2.Flags, stream uint32, n int) {
	if len(l.out) == 0 {
		l.wakeWriter() // otherwise the writer is awake
	}
	l.out = append(l.out, byte(n>>16), byte(n>>8), byte(n), byte(kind), byte(flags))
	l.out = binary.BigEndian.AppendUint32(l.out, stream)
}

func (l *link) appendUint32(kind http2.FrameType, stream, v uint32) {
	l.frame(kind, 0, stream, 4)
	l.out = binary.BigEndian.AppendUint32(l.out, v)
}

func (l *link) reset(stream uint32, code http2.ErrCode) {
	l.appendUint32(http2.FrameRSTStream, stream, uint32(code))
}

func (l *link) credit(stream uint32, n int) {
	l.appendUint32(http2.FrameWindowUpdate, stream, uint32(n))
}

func (l *link) wakeWriter() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *link) begin(f *activeCall) {
	f.id, f.rest, f.window = l.next, f.message.wire, l.first
	l.calls[f.id] = f
	if l.next += 2; l.next > lastStream {
		l.endIfUnused()
	}
	l.head.Reset()
	l.fields(l.to.pseudo)
	l.field(hpack.HeaderField{Name: ":path", Value: f.message.Path})
	l.fields(l.to.head)
	l.fields(f.message.head)
	l.field(hpack.HeaderField{Name: "grpc-timeout", Value: f.timeout})
	block, kind := l.head.Bytes(), http2.FrameHeaders
	for first := true; first || len(block) > 0; first = false {
		n := min(len(block), l.largest)
		flags := http2.Flags(0)
		if n == len(block) {
			flags = http2.FlagHeadersEndHeaders
		}
		l.frame(kind, flags, f.id, n)
		l.out = append(l.out, block[:n]...)
		block, kind = block[n:], http2.FrameContinuation
	}
	l.appendMessage(f)
}

func (l *link) fields(all []hpack.HeaderField) {
	for _, h := range all {
		l.field(h)
	}
}

func (l *link) field(h hpack.HeaderField) {
	_ = l.encoder.WriteField(h) // it writes to memory and cannot fail
}

func (l *link) appendMessage(f *activeCall) {
	for {
		n := int(min(int64(len(f.rest)), int64(l.largest), l.window, f.window))
		if n <= 0 { // a message has a prefix, so it is never empty
			f.blocked = true
			l.blocked = append(l.blocked, f)
			return
		}
		flags := http2.Flags(0)
		if n == len(f.rest) {
			flags = http2.FlagDataEndStream
		}
		l.frame(http2.FrameData, flags, f.id, n)
		l.out = append(l.out, f.rest[:n]...)
		f.rest = f.rest[n:]
		l.window -= int64(n)
		if f.window -= int64(n); len(f.rest) == 0 {
			return
		}
	}
}

func (l *link) unblock() {
	waiting := l.blocked
	l.blocked = nil
	for _, f := range waiting {
		f.blocked = false
		l.appendMessage(f)
	}
}

// largest buffer kept for reuse, in bytes
const maxKept = 1 << 20

func (l *link) write() {
	var b []byte
	for range l.wake {
		runtime.Gosched() // lets other callers join this write
		l.mu.Lock()
		b, l.out, l.acks = l.out, b[:0], 0
		dead := l.dead
		l.mu.Unlock()
		if dead != nil {
			return
		}
		if len(b) > 0 {
			if _, err := l.conn.Write(b); err != nil {
				l.fail(err)
				return
			}
		}
		if cap(b) > maxKept {
			b = nil
		}
	}
}

// A timeout has up to eight digits and a unit. Rounding up to milliseconds gives equal calls equal
// texts, which HPACK compresses to one byte.
func spellTimeout(left time.Duration) string {
	switch ms := (left + time.Millisecond - 1) / time.Millisecond; {
	case ms <= 0:
		return "1n"
	case ms < 1e8:
		return strconv.FormatInt(int64(ms), 10) + "m"
	default:
		return strconv.FormatInt(min(int64(left/time.Second), 1e8-1), 10) + "S"
	}
}
